#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace millrace::testing::stateful_operator_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;

windowing_strategy fixed_ten(std::int64_t lateness = 0) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.allowed_lateness = duration{lateness};
  return s;
}

// How many elements there were so far.
struct running_count {
  using output = kv<std::string, std::int64_t>;
  auto cells() { return std::tie(seen_); }
  void process(const row& x, emitter<output>& out) {
    seen_.set(seen_.get() + 1);
    out({x.key, seen_.get()});
  }
  value_state<std::int64_t> seen_{"seen"};
};

template <class Fn>
auto step_of(Fn fn, windowing_strategy strategy, keyed_options options = {}) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, std::move(strategy)) | par_do("step", std::move(fn)),
                                              options);
}

TEST(stateful_operator, keeps_a_value_per_key_and_window_9_1) {
  auto step = step_of(running_count{}, fixed_ten());
  EXPECT_THAT(step.element({"k", "a"}, 1), ElementsAre("(\"k\", 1) [0, 10) @1"));
  EXPECT_THAT(step.element({"k", "b"}, 2), ElementsAre("(\"k\", 2) [0, 10) @2"));
  EXPECT_THAT(step.element({"k", "c"}, 11), ElementsAre("(\"k\", 1) [10, 20) @11"));
  EXPECT_THAT(step.element({"j", "a"}, 3), ElementsAre("(\"j\", 1) [0, 10) @3"));
}

TEST(stateful_operator, drops_and_counts_elements_of_expired_windows_9_2) {
  auto step = step_of(running_count{}, fixed_ten());
  step.element({"k", "a"}, 1);
  step.watermark(9);
  EXPECT_THAT(step.element({"k", "b"}, 2), ElementsAre("(\"k\", 2) [0, 10) @2"));
  step.watermark(10);
  EXPECT_THAT(step.element({"k", "c"}, 5), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
  EXPECT_THAT(step.element({"k", "d"}, 12), ElementsAre("(\"k\", 1) [10, 20) @12"));
}

TEST(stateful_operator, clears_state_one_instant_after_expiry_9_2b) {
  auto step = step_of(running_count{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "a"}, 1);
  step.watermark(10);
  EXPECT_NE(step.snapshot(), nothing);
  step.watermark(11);
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_operator, keeps_state_through_the_allowed_lateness_9_2c) {
  auto step = step_of(running_count{}, fixed_ten(5));
  step.element({"k", "a"}, 1);
  step.watermark(14);
  EXPECT_THAT(step.element({"k", "b"}, 2), ElementsAre("(\"k\", 2) [0, 10) @2"));
  step.watermark(15);
  EXPECT_THAT(step.element({"k", "c"}, 3), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
}

TEST(stateful_operator, processes_an_element_once_in_each_of_its_windows_9_7) {
  windowing_strategy s;
  s.into = sliding(duration{10}, duration{5});
  auto step = step_of(running_count{}, s);
  EXPECT_THAT(step.element({"k", "a"}, 7), ElementsAre("(\"k\", 1) [5, 15) @7", "(\"k\", 1) [0, 10) @7"));
  EXPECT_THAT(step.element({"k", "b"}, 12), ElementsAre("(\"k\", 1) [10, 20) @12", "(\"k\", 2) [5, 15) @12"));
}

TEST(stateful_operator, is_refused_over_windows_that_merge_9_6) {
  pipeline p{"p"};
  windowing_strategy s;
  s.into = sessions(duration{10});
  const auto in = keyed_input<row>(p, s);
  try {
    static_cast<void>(in | par_do("watch", running_count{}));
    FAIL() << "not refused";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("watch"));
    EXPECT_THAT(e.what(), HasSubstr("session"));
  }
  s.already_merged = true;
  EXPECT_NO_THROW(static_cast<void>(keyed_input<row>(p, s) | par_do("watch", running_count{})));
}

TEST(stateful_operator, is_refused_with_two_cells_of_one_name) {
  struct twice : running_count {
    auto cells() { return std::tie(seen_, other_); }
    value_state<std::int64_t> other_{"seen"};
  };
  pipeline p{"p"};
  const auto in = keyed_input<row>(p, fixed_ten());
  EXPECT_THROW(static_cast<void>(in | par_do("watch", twice{})), pipeline_error);
}

// Bags: "add x", "clear", anything else shows the sum of what is there.
struct adder {
  using output = std::int64_t;
  auto cells() { return std::tie(bag_); }
  void process(const row& x, emitter<output>& out) {
    if (x.value == "clear") bag_.clear();
    else bag_.add(std::stoll(x.value));
    std::int64_t sum = 0;
    for (const std::int64_t v : bag_.read()) sum += v;
    out(sum);
  }
  bag_state<std::int64_t> bag_{"bag"};
};

TEST(stateful_operator, reads_its_own_writes_of_a_bag_9_5) {
  auto step = step_of(adder{}, fixed_ten());
  EXPECT_THAT(step.bundle({{{"k", "1"}, 1}, {{"k", "2"}, 1}, {{"j", "5"}, 1}}),
              ElementsAre("1 [0, 10) @1", "3 [0, 10) @1", "5 [0, 10) @1"));
  EXPECT_THAT(step.bundle({{{"k", "clear"}, 1}, {{"k", "4"}, 1}}), ElementsAre("0 [0, 10) @1", "4 [0, 10) @1"));
}

// Throws at each element of which a counter outside says so, after it has written everything it can write.
struct failing {
  using output = std::int64_t;
  auto cells() { return std::tie(count_, bag_, timer_); }
  void process(const row& x, emitter<output>& out) {
    count_.set(count_.get() + 1);
    if (x.value == "clear") bag_.clear();
    bag_.add(count_.get());
    timer_.set(timestamp{8});
    out(100 * static_cast<std::int64_t>(bag_.size()) + count_.get());
    if (*failures > 0) {
      --*failures;
      throw std::runtime_error("not yet");
    }
  }
  void on_timer(const event_timer&, const std::string&, emitter<output>& out) {
    count_.clear();
    bag_.clear();
    out(-static_cast<std::int64_t>(bag_.size()) - count_.get());
    if (*failures > 0) {
      --*failures;
      throw std::runtime_error("not yet");
    }
  }
  int* failures;
  value_state<std::int64_t> count_{"count"};
  bag_state<std::int64_t> bag_{"bag"};
  event_timer timer_{"timer"};
};

TEST(stateful_operator, takes_back_all_that_a_failed_call_did_13_1) {
  int failures = 0;
  auto step = step_of(failing{&failures}, fixed_ten());
  EXPECT_THAT(step.element({"k", "a"}, 1), ElementsAre("101 [0, 10) @1"));
  failures = 3;
  EXPECT_THAT(step.bundle({{{"k", "b"}, 2}, {{"k", "c"}, 3}}), ElementsAre("202 [0, 10) @2", "303 [0, 10) @3"));
  failures = 1;
  EXPECT_THAT(step.element({"k", "clear"}, 4), ElementsAre("104 [0, 10) @4"));
  failures = 2;
  EXPECT_THAT(step.watermark(9), ElementsAre("0 [0, 10) @8"));
  EXPECT_EQ(step.metrics.elements_out, 5U);
}

TEST(stateful_operator, names_the_element_when_attempts_are_used_up) {
  int failures = 4;
  auto step = step_of(failing{&failures}, fixed_ten());
  try {
    step.element({"k", "a"}, 1);
    FAIL() << "no failure";
  } catch (const element_failure& e) {
    EXPECT_EQ(e.step(), "step");
    EXPECT_EQ(e.attempts(), 4U);
    EXPECT_EQ(e.cause(), "not yet");
    EXPECT_THAT(e.element(), HasSubstr("(\"k\", \"a\") @1 [0, 10)"));
  }
}

TEST(stateful_operator, gives_what_keeps_failing_to_the_error_output_and_keeps_the_state_before) {
  struct errors final : receiver<failed<row>> {
    std::vector<std::string> seen;
    void accept(const batch<failed<row>>& in) override {
      in.each([&](std::uint32_t, const failed<row>& f) { seen.push_back(f.element.value + ": " + f.message); });
    }
  } errors;
  int failures = 0;
  pipeline p{"p"};
  auto [good, bad] = keyed_input<row>(p, fixed_ten()) | par_do("step", failing{&failures}, with_errors);
  static_assert(std::is_same_v<decltype(bad), pcollection<failed<row>>>);
  keyed_step<row, std::int64_t> step(
      good, {.attempts_max = 2}, [&](stage_operator& o) { o.connect(1, static_cast<receiver<failed<row>>&>(errors)); });
  step.element({"k", "a"}, 1);
  failures = 2;
  EXPECT_THAT(step.bundle({{{"k", "b"}, 2}, {{"k", "c"}, 3}}), ElementsAre("202 [0, 10) @3"));
  EXPECT_THAT(errors.seen, ElementsAre("b: not yet"));
  EXPECT_EQ(step.metrics.error_elements, 1U);
}

TEST(stateful_operator, restores_every_key_of_every_window) {
  auto one = step_of(running_count{}, fixed_ten());
  for (int i = 0; i < 100; ++i) one.element({"k" + std::to_string(i), ""}, i);
  const std::string state = one.snapshot();
  auto other = step_of(running_count{}, fixed_ten());
  other.restore(state);
  EXPECT_EQ(other.snapshot().size(), state.size());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(one.element({"k" + std::to_string(i), ""}, i), other.element({"k" + std::to_string(i), ""}, i)) << i;
}

TEST(stateful_operator, refuses_damaged_state) {
  auto step = step_of(running_count{}, fixed_ten());
  step.element({"k", "a"}, 1);
  const std::string state = step.snapshot();
  for (std::size_t n = 1; n < state.size(); ++n) {
    auto fresh = step_of(running_count{}, fixed_ten());
    reader from(std::string_view(state).substr(1, n - 1));
    EXPECT_THROW(fresh.running().restore(from), decode_error) << n;
  }
}

}  // namespace
}  // namespace millrace::testing::stateful_operator_test
