#include "updating.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/map_state.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>

// What an update keeps, and what it refuses, beside the acceptance cases of the model.
namespace millrace::programs::updates_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class updates : public updating {};
INSTANTIATE_TEST_SUITE_P(on, updates, ::testing::ValuesIn(all_ways), way_name);

// A sum with a timer that gives it out 10 after the first element; later versions have other cells around these.
struct summing {
  using output = text;
  value_state<number> sum{"sum"};
  event_timer due{"due"};
  auto cells() { return std::tie(sum, due); }
  void process(const pair& in, emitter<text>& out) {
    if (!sum.has_value()) due.set(out.at().time + 10ms);
    sum.set(sum.get() + in.value);
  }
  void on_timer(const event_timer& /*due*/, const text& key, emitter<text>& out) {
    out(key + "=" + std::to_string(sum.get()));
    sum.clear();
  }
};
struct summing_and_counting {
  using output = text;
  map_state<text, number> counts{"counts"};
  event_timer due{"due"};
  value_state<number> sum{"sum"};
  auto cells() { return std::tie(counts, due, sum); }
  void process(const pair& in, emitter<text>& /*out*/) {
    counts.put("all", counts.find("all") ? *counts.find("all") + 1 : 1);
    sum.set(sum.get() + in.value);
  }
  void on_timer(const event_timer& /*due*/, const text& key, emitter<text>& out) {
    out(key + "=" + std::to_string(sum.get()) + " of " + std::to_string(counts.find("all") ? *counts.find("all") : 0));
  }
};
struct summing_without_timer {
  using output = text;
  value_state<number> sum{"sum"};
  auto cells() { return std::tie(sum); }
  void process(const pair& /*in*/, emitter<text>& /*out*/) {}
};
struct summing_by_clock {
  using output = text;
  value_state<number> sum{"sum"};
  processing_timer due{"due"};
  auto cells() { return std::tie(sum, due); }
  void process(const pair& /*in*/, emitter<text>& /*out*/) {}
  void on_timer(const processing_timer& /*due*/, const text& /*key*/, emitter<text>& /*out*/) {}
};
struct bag_of_sums {
  using output = text;
  bag_state<number> sum{"sum"};
  event_timer due{"due"};
  auto cells() { return std::tie(sum, due); }
  void process(const pair& /*in*/, emitter<text>& /*out*/) {}
  void on_timer(const event_timer& /*due*/, const text& /*key*/, emitter<text>& /*out*/) {}
};

template <class Fn>
struct summed {
  recording<text> out;
  pipeline p{"summed"};
  explicit summed(const std::vector<number>& all, bool ends = false) {
    keyed_numbers(p, all, ends) | par_do("sum", Fn{}) | collect("out", out);
  }
};

TEST_P(updates, a_function_may_have_more_cells_in_another_order_and_its_timers_stay) {
  const summed<summing> old({1, 2});
  const summed<summing_and_counting> now({3}, true);
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  EXPECT_EQ(refusal(*job, now.p), "");
  job->play(0);
  job->play(1);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(now.out), ElementsAre("k=6 of 1"));
}

TEST_P(updates, a_cell_that_is_gone_or_of_another_kind_is_refused) {
  const summed<summing> old({1});
  const summed<summing_without_timer> gone({});
  const summed<summing_by_clock> clocked({});
  const summed<bag_of_sums> bag({});
  const auto job = session(old.p);
  job->play(0);
  EXPECT_THAT(refusal(*job, gone.p), AllOf(HasSubstr("cell \"due\" is gone"), HasSubstr("event_timer")));
  EXPECT_THAT(refusal(*job, clocked.p), AllOf(HasSubstr("event_timer"), HasSubstr("processing_timer")));
  EXPECT_THAT(refusal(*job, bag.p), AllOf(HasSubstr("value<int64>"), HasSubstr("bag<vector<int64>>")));
}

// Elements beside a side input.
struct viewing {
  recording<text> out;
  pipeline p{"viewing"};
  viewing(const std::vector<number>& all, bool with_view, const text& view_name = "known") {
    const auto known = p | create("known numbers", {number{7}}) | as_singleton(view_name);
    const auto main = keyed_numbers(p, all) | map("values", [](const pair& x) { return x.value; });
    if (with_view)
      main | map("add", [](number x, number y) { return std::to_string(x + y); }, with(known)) | collect("out", out);
    else main | map("add", [](number x) { return std::to_string(x); }) | collect("out", out);
  }
};

TEST_P(updates, side_inputs_stay_and_are_not_added_or_removed) {
  const viewing old({1}, true);
  const viewing now({2}, true);
  const viewing renamed({3}, true, "given");
  const viewing without({4}, false);
  const auto job = session(old.p);
  job->play(0);
  EXPECT_EQ(refusal(*job, now.p), "");
  job->play(0);
  EXPECT_THAT(refusal(*job, without.p), AllOf(HasSubstr("step \"add\""), HasSubstr("side inputs"), HasSubstr("none")));
  EXPECT_THAT(refusal(*job, renamed.p), HasSubstr("\"known/gather\""));
  EXPECT_EQ(refusal(*job, renamed.p, name_mapping{{{"known", "given"}}}), "");
  job->play(0);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(renamed.out), ElementsAre("10", "8", "9"));

  const viewing plain({1}, false);
  const auto other = session(plain.p);
  other->play(0);
  EXPECT_THAT(refusal(*other, now.p), AllOf(HasSubstr("step \"add\""), HasSubstr("\"known/view\"")));
}

// A source that has begun goes on; a new branch and a new stage begin.
TEST_P(updates, sources_go_on_and_what_is_new_begins) {
  const recording<number> before;
  pipeline old{"sources"};
  old | sequence("numbers", {.to = 6, .rate = 1}) | collect("numbers out", before);
  const recording<number> after;
  const recording<text> branch;
  const recording<number> begun;
  pipeline now{"sources"};
  const auto all = now | sequence("numbers", {.to = 6, .rate = 1}) | reshuffle("spread");
  all | collect("numbers out", after);
  all | map("as text", [](number x) { return "n" + std::to_string(x); }) | collect("branch", branch);
  now | create("more", {number{100}}) | collect("more out", begun);

  const auto job = session(old);
  for (const auto at : {1000, 2000}) job->advance_clock(timestamp{at});
  EXPECT_EQ(refusal(*job, now), "");
  for (const auto at : {3000, 4000, 5000}) job->advance_clock(timestamp{at});
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(after), ElementsAre("0", "1", "2", "3", "4", "5"));
  EXPECT_THAT(texts_of(branch), ElementsAre("n3", "n4", "n5"));
  EXPECT_THAT(texts_of(begun), ElementsAre("100"));
}

TEST_P(updates, a_source_that_ends_does_not_become_one_that_does_not) {
  pipeline old{"sources"};
  const recording<number> out;
  old | sequence("numbers", {.to = 6, .rate = 1}) | collect("out", out);
  pipeline now{"sources"};
  now | sequence("numbers", {.rate = 1}) | collect("out", out);
  const auto job = session(old);
  job->advance_clock(timestamp{1000});
  EXPECT_THAT(refusal(*job, now), AllOf(HasSubstr("\"numbers\""), HasSubstr("bounded")));
}

TEST_P(updates, a_source_that_is_gone_takes_its_position_with_it_only_if_that_is_said) {
  const recording<number> out;
  pipeline old{"sources"};
  old | sequence("numbers", {.to = 6, .rate = 1}) | collect("out", out);
  pipeline now{"sources"};
  now | sequence("others", {.to = 1}) | collect("out", out);
  const auto job = session(old);
  job->advance_clock(timestamp{1000});
  EXPECT_THAT(refusal(*job, now), AllOf(HasSubstr("\"numbers\""), HasSubstr("position")));
  EXPECT_EQ(refusal(*job, now, name_mapping{{{"numbers", ""}}}), "");
}

struct adding {
  [[nodiscard]] number create() const { return 0; }
  void add(number& to, number x) const { to += x; }
  void merge(number& to, number other) const { to += other; }
  [[nodiscard]] number extract(number of) const { return of; }
};
// The same accumulator, another result.
struct adding_debts : adding {
  [[nodiscard]] number extract(number of) const { return -of; }
};
struct averaging {
  using parts = kv<number, number>;
  [[nodiscard]] parts create() const { return {}; }
  void add(parts& to, number x) const { merge(to, {x, 1}); }
  void merge(parts& to, const parts& other) const {
    to.key += other.key;
    to.value += other.value;
  }
  [[nodiscard]] number extract(const parts& of) const { return of.key / of.value; }
};
template <class Fn>
struct combined {
  recording<pair> out;
  pipeline p{"combined"};
  combined(const std::vector<number>& all, Fn fn) {
    keyed_numbers(p, all, true)
        | window_into("to the end", {.into = global_windows(), .fire = at_watermark(), .keep = panes::discarding})
        | combine_per_key("combine", fn) | collect("out", out);
  }
};

TEST_P(updates, a_combine_function_may_change_if_it_accumulates_alike_and_that_is_told) {
  const combined old({1, 2}, adding{});
  const combined same({5}, adding{});
  const combined negated({5}, adding_debts{});
  const combined averaged({5}, averaging{});
  const auto job = session(old.p);
  job->play(0);
  job->play(1);
  EXPECT_EQ(refusal(*job, same.p), "");
  EXPECT_THAT(job->notices(), IsEmpty());
  EXPECT_THAT(refusal(*job, averaged.p), AllOf(HasSubstr("step \"combine\""), HasSubstr("accumulator int64"),
                                               HasSubstr("accumulator kv<int64,int64>")));
  EXPECT_EQ(refusal(*job, negated.p), "");
  EXPECT_THAT(job->notices(), ::testing::Contains(AllOf(HasSubstr("\"combine\""), HasSubstr("adding_debts"))));
  job->play(0);
  job->play(1);
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(negated.out), ElementsAre("k -8"));
}

TEST_P(updates, two_steps_do_not_become_one) {
  const auto counted = [](pipeline& p, const recording<text>& out, bool both) {
    const auto in = keyed_numbers(p, {1});
    in | par_do("first", summing{}) | collect("first out", out);
    if (both) in | par_do("second", summing{}) | collect("second out", out);
  };
  const recording<text> out;
  const recording<text> other;
  pipeline old{"counted"};
  pipeline now{"counted"};
  counted(old, out, true);
  counted(now, other, false);
  const auto job = session(old);
  job->play(0);
  EXPECT_THAT(refusal(*job, now, name_mapping{{{"second", "first"}}}),
              AllOf(HasSubstr("\"first\""), HasSubstr("both")));
}

}  // namespace
}  // namespace millrace::programs::updates_test
