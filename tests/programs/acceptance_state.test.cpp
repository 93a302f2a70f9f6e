#include "both_runners.hpp"

#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/map_state.hpp>
#include <millrace/transforms/state/multimap_state.hpp>
#include <millrace/transforms/state/ordered_list_state.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>

#include <stdexcept>

// State, timers and failures: acceptance cases of the paper, sections 9 and 10, and user case U43.
namespace millrace::programs::acceptance_state_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using text = std::string;
using number = std::int64_t;
using line = kv<text, text>;

class state_cases : public both_runners {
 protected:
  // What a stateful function says about elements of key k in the window [0,10), each a bundle of its own.
  template <class Fn>
  [[nodiscard]] std::vector<text> said(const Fn& fn, std::initializer_list<timestamped_value<text>> of) const {
    pipeline p("state");
    recording<text> all;
    test_stream<line> input("input");
    for (const auto& x : of) input.add_at(x.at, {line{"k", x.value}});
    p | input.advance_watermark_to_infinity() | window_into("tens", {.into = fixed(10ms)}) | par_do("say", fn)
        | collect("all", all);
    run(p);
    return texts_of(all);
  }
};
INSTANTIATE_TEST_SUITE_P(on, state_cases, ::testing::ValuesIn(all_ways), way_name);

template <class Range>
text listed(const Range& entries) {
  text all;
  for (const auto& [at, x] : entries) all += " " + std::to_string(at.millis()) + ":" + x;
  return all;
}

// Keeps elements at their times; at "look" it reads a range, clears another, and reads all.
class keeps_in_order {
 public:
  using output = text;
  void process(const line& x, emitter<text>& out) {
    if (x.value != "look") return log_.add(out.at().time, x.value);
    out("range" + listed(log_.read_range(timestamp{3}, timestamp{9})));
    log_.clear_range(timestamp{5}, timestamp{6});
    out("rest" + listed(log_.read()));
  }
  auto cells() { return std::tie(log_); }

 private:
  ordered_list_state<text> log_{"log"};
};

TEST_P(state_cases, 9_3_an_ordered_list_reads_and_clears_ranges) {
  EXPECT_THAT(
      said(
          keeps_in_order{},
          {{"a", timestamp{5}}, {"b", timestamp{3}}, {"c", timestamp{5}}, {"d", timestamp{9}}, {"look", timestamp{1}}}),
      ElementsAre(AnyOf("range 3:b 5:a 5:c", "range 3:b 5:c 5:a"), "rest 3:b 9:d"));
}

class keeps_by_name {
 public:
  using output = text;
  void process(const line& x, emitter<text>& out) {
    if (x.value == "put") {
      all_.put("a", 1);
      all_.put("a", 2);
      all_.put("b", 3);
    } else {
      all_.remove("a");
      out("keys " + text_of(all_.keys()) + (all_.empty() ? ", empty" : ", not empty"));
    }
  }
  auto cells() { return std::tie(all_); }

 private:
  multimap_state<text, number> all_{"all"};
};

TEST_P(state_cases, 9_4_a_multimap_forgets_all_values_of_a_key) {
  EXPECT_THAT(said(keeps_by_name{}, {{"put", timestamp{1}}, {"remove", timestamp{2}}}),
              ElementsAre("keys [b], not empty"));
}

class puts_unread {
 public:
  using output = text;
  void process(const line& x, emitter<text>& out) {
    if (x.value == "put") {
      map_.put_if_absent("k", 1);
      bag_.add(7);
      bag_.clear();
      out("bag of " + std::to_string(bag_.read().size()));
    } else {
      out("map has " + std::to_string(map_.get("k")));
    }
  }
  auto cells() { return std::tie(map_, bag_); }

 private:
  map_state<text, number> map_{"map"};
  bag_state<number> bag_{"bag"};
};

TEST_P(state_cases, 9_5_what_nobody_reads_is_put_and_what_is_cleared_is_gone) {
  EXPECT_THAT(said(puts_unread{}, {{"put", timestamp{1}}, {"get", timestamp{2}}}),
              ElementsAre("bag of 0", "map has 1"));
}

// Sets its timer again, one millisecond on, until it has fired five times.
class loops_five_times {
 public:
  using output = kv<text, number>;
  void process(const line& /*x*/, emitter<output>& /*out*/) { tick_.after(1ms); }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<output>& out) {
    count_.set(count_.get() + 1);
    out(output{key, count_.get()});
    if (count_.get() < 5) tick_.after(1ms);
  }
  auto cells() { return std::tie(count_, tick_); }

 private:
  value_state<number> count_{"count"};
  event_timer tick_{"tick"};
};

TEST_P(state_cases, 10_6_a_loop_over_bounded_input_ends_by_itself) {
  pipeline p("loop");
  recording<kv<text, number>> fired;
  p | create("keys", {line{"k1", ""}, line{"k2", ""}}) | par_do("loop", loops_five_times{}) | collect("fired", fired);
  run(p);
  EXPECT_THAT(texts_of(fired),
              ElementsAre("k1 1", "k1 2", "k1 3", "k1 4", "k1 5", "k2 1", "k2 2", "k2 3", "k2 4", "k2 5"));
}

// Gives its element out and cares for nothing that happens behind it.
struct catches_all {
  using output = text;
  void process(const text& x, emitter<text>& out) const {
    try {
      out(x);
    } catch (...) {  // NOLINT(bugprone-empty-catch): that is what the case is about
    }
  }
};

// What a step throws that cannot read its element.
number read_number(const text& x) {
  std::size_t end = 0;
  const number n = std::stoll(x, &end);
  if (end != x.size()) throw std::invalid_argument("no number");
  return n;
}

TEST_P(state_cases, U43_a_bad_record_goes_to_the_error_output_whatever_a_step_before_catches) {
  pipeline p("errors");
  recording<number> good;
  recording<failed<text>> bad;
  const auto [numbers, errors] = p | create("in", {text("1"), text("x"), text("3")}) | par_do("catch", catches_all{})
                                 | map("read", read_number, with_errors);
  numbers | collect("good", good);
  errors | collect("bad", bad);
  run(p);
  EXPECT_THAT(texts_of(good), ElementsAre("1", "3"));
  const auto failures = bad.values();
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].element, "x");
  EXPECT_EQ(failures[0].step, "read");
  EXPECT_NE(failures[0].message, "");
  EXPECT_EQ(failures[0].attempts, 4U);
}

TEST_P(state_cases, U43_without_one_the_job_fails_and_names_the_step) {
  pipeline p("fails");
  recording<number> good;
  p | create("in", {text("1"), text("x"), text("3")}) | par_do("catch", catches_all{}) | map("read", read_number)
      | collect("good", good);
  EXPECT_THAT(failure_of(p), AllOf(HasSubstr("\"read\""), HasSubstr("\"x\"")));
  EXPECT_THAT(texts_of(good), ::testing::IsEmpty()) << "nothing of a job that fails is committed";
}

struct fails_in_setup {
  using output = text;
  static void setup() { throw std::runtime_error("no door"); }
  void process(const text& x, emitter<text>& out) const { out(x); }
};

TEST_P(state_cases, U43_a_setup_that_throws_fails_the_job) {
  pipeline p("setup");
  p | create("in", {text("1")}) | par_do("catch", catches_all{}) | par_do("open", fails_in_setup{});
  EXPECT_THAT(failure_of(p), AllOf(HasSubstr("\"open\""), HasSubstr("no door")));
}

}  // namespace
}  // namespace millrace::programs::acceptance_state_test
