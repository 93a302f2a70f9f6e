#include "engine.hpp"
#include "transcript.hpp"
#include "windows.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// The acceptance cases of side inputs by their numbers.
namespace reference {
namespace {

constexpr window_function fixed_10{window_kind::fixed, 10};

step windowed(const window_function& by) {
  step one;
  one.windows = by;
  one.what.kind = transform_kind::none;
  return one;
}

// Main elements in windows, each with what the side input has for it behind its value.
program reading(const window_function& main, transform_kind view, step side) {
  program made;
  made.steps.push_back(windowed(main));
  made.steps[0].what.kind = view;
  made.side.push_back(std::move(side));
  return made;
}

step summed(const window_function& by) {
  step one = windowed(by);
  one.what.kind = transform_kind::sum;
  return one;
}

step every_element(accumulation panes) {
  step one = windowed({});
  one.firing_trigger = parse_trigger("repeat(count 1)");
  one.lateness = 0;
  one.panes = panes;
  return one;
}

// A job whose events are single calls that return the values that come out.
class side_run {
 public:
  explicit side_run(const program& what) : job_(what) {}

  std::vector<std::string> main(std::vector<element> elements) {
    return values({event_kind::elements, std::move(elements), {}});
  }
  std::vector<std::string> side(std::vector<element> elements) {
    return values({event_kind::side_elements, std::move(elements), {}});
  }
  std::vector<std::string> main_watermark(instant to) { return values({event_kind::watermark, {}, to}); }
  std::vector<std::string> side_watermark(instant to) { return values({event_kind::side_watermark, {}, to}); }

  std::vector<std::string> values(const event& what) {
    last = job_.apply(what);
    std::vector<std::string> all;
    for (const output& one : last.outputs) all.push_back(one.value);
    return all;
  }

  report last;

 private:
  job job_;
};

using strings = std::vector<std::string>;

std::vector<element> numbers_1_2_3() {
  return {{"k", "1", 1}, {"k", "2", 11}, {"k", "3", 13}};
}

std::vector<element> letters() {
  return {{"k", "A", 4}, {"k", "B", 15}, {"k", "C", 7}};
}

TEST(reference_side_inputs, case_11_1_a_sum_per_window) {
  side_run run(reading(fixed_10, transform_kind::side_singleton, summed(fixed_10)));
  run.side(numbers_1_2_3());
  EXPECT_EQ(run.main(letters()), strings{});
  EXPECT_EQ(run.side_watermark(max_time), (strings{"A1", "B5", "C1"}));
  EXPECT_EQ(run.last.outputs.at(1).in, (window{10, 20}));
  EXPECT_EQ(run.last.outputs.at(1).time, 15);
  EXPECT_FALSE(run.last.state_left);
}

TEST(reference_side_inputs, case_11_1b_a_sum_over_all) {
  program all = reading(fixed_10, transform_kind::side_singleton, summed({}));
  all.bounded = true;
  side_run run(all);
  run.side(numbers_1_2_3());
  run.side_watermark(max_time);
  EXPECT_EQ(run.main(letters()), (strings{"A6", "B6", "C6"}));
}

TEST(reference_side_inputs, case_11_1c_a_default_for_an_empty_window) {
  program zero = reading(fixed_10, transform_kind::side_singleton, summed(fixed_10));
  zero.steps[0].what.fallback = "0";
  side_run run(zero);
  run.side({{"k", "2", 11}, {"k", "3", 13}});
  run.side_watermark(max_time);
  EXPECT_EQ(run.main(letters()), (strings{"A0", "B5", "C0"}));
}

TEST(reference_side_inputs, case_11_2_an_empty_singleton_without_a_default_fails) {
  side_run run(reading(fixed_10, transform_kind::side_singleton, summed(fixed_10)));
  run.side({{"k", "2", 11}});
  run.side_watermark(max_time);
  EXPECT_EQ(run.main(letters()), strings{});
  EXPECT_EQ(run.last.state, job_state::failed);
  EXPECT_NE(run.last.error.find("Empty"), std::string::npos) << run.last.error;
  EXPECT_NE(run.last.error.find("singleton"), std::string::npos) << run.last.error;
}

TEST(reference_side_inputs, case_11_3_an_element_waits_and_holds_the_watermark) {
  side_run run(reading(fixed_10, transform_kind::side_iterable, windowed(fixed_10)));
  run.main_watermark(0);
  run.side_watermark(9);
  EXPECT_EQ(run.main({{"k", "A", 4}}), strings{});
  run.main_watermark(30);
  EXPECT_EQ(run.last.held, 4);
  EXPECT_TRUE(run.last.state_left);
  EXPECT_EQ(run.side_watermark(10), strings{"A{}"});
  EXPECT_EQ(run.last.held, 30);
}

TEST(reference_side_inputs, case_11_3b_held_elements_are_on_time_behind_it) {
  program grouped = reading(fixed_10, transform_kind::side_iterable, windowed(fixed_10));
  grouped.steps.emplace_back();
  side_run run(grouped);
  run.main({{"k", "A", 4}});
  EXPECT_EQ(run.main_watermark(100), strings{});
  run.side({{"k", "1", 1}});
  EXPECT_EQ(run.side_watermark(10), strings{"{A{1}}"});
  EXPECT_EQ(run.last.outputs.at(0).which, (pane{pane_timing::on_time, 0, 0, true, true}));
}

TEST(reference_side_inputs, case_11_4_the_newest_pane_replaces_accumulating) {
  program read = reading({}, transform_kind::side_iterable, every_element(accumulation::accumulating));
  side_run run(read);
  EXPECT_EQ(run.main({{"k", "a", 0}}), strings{});
  EXPECT_EQ(run.side({{"k", "1", 0}}), strings{"a{1}"});
  EXPECT_EQ(run.main({{"k", "b", 0}}), strings{"b{1}"});
  run.side({{"k", "2", 0}});
  EXPECT_EQ(run.main({{"k", "c", 0}}), strings{"c{1,2}"});
}

TEST(reference_side_inputs, case_11_4b_discarding_shows_only_the_newest_pane) {
  side_run run(reading({}, transform_kind::side_singleton, every_element(accumulation::discarding)));
  run.side({{"k", "1", 0}});
  EXPECT_EQ(run.main({{"k", "a", 0}}), strings{"a1"});
  run.side({{"k", "2", 0}});
  EXPECT_EQ(run.main({{"k", "b", 0}}), strings{"b2"});
}

TEST(reference_side_inputs, case_11_4c_accumulating_panes_are_no_singleton) {
  side_run run(reading({}, transform_kind::side_singleton, every_element(accumulation::accumulating)));
  run.side({{"k", "1", 0}});
  run.side({{"k", "2", 0}});
  run.main({{"k", "b", 0}});
  EXPECT_EQ(run.last.state, job_state::failed);
  EXPECT_NE(run.last.error.find("more than one element"), std::string::npos) << run.last.error;
}

TEST(reference_side_inputs, case_11_5_a_map_has_each_key_once) {
  side_run run(reading(fixed_10, transform_kind::side_map, windowed(fixed_10)));
  run.side({{"a", "1", 1}, {"a", "2", 2}, {"a", "3", 11}, {"b", "4", 12}});
  run.side_watermark(max_time);
  EXPECT_EQ(run.main({{"k", "x", 15}}), strings{"x{a=3,b=4}"});
  run.main({{"k", "y", 5}});
  EXPECT_EQ(run.last.state, job_state::failed);
  EXPECT_EQ(run.last.error, "Duplicate values for a");
}

TEST(reference_side_inputs, case_11_5b_a_multimap_has_all_values) {
  side_run run(reading(fixed_10, transform_kind::side_multimap, windowed(fixed_10)));
  run.side({{"a", "1", 1}, {"b", "3", 3}, {"a", "2", 2}});
  run.side_watermark(max_time);
  EXPECT_EQ(run.main({{"k", "x", 5}}), strings{"x{a={1,2},b={3}}"});
}

TEST(reference_side_inputs, case_11_6_each_window_of_an_element_waits_for_itself) {
  const window_function sliding{window_kind::sliding, 10, 5};
  side_run run(reading(sliding, transform_kind::side_iterable, windowed(fixed_10)));
  run.side({{"k", "1", 3}, {"k", "2", 12}});
  run.side_watermark(10);
  EXPECT_EQ(run.main({{"k", "x", 7}}), strings{"x{1}"});
  EXPECT_EQ(run.last.outputs.at(0).in, (window{0, 10}));
  EXPECT_EQ(run.side_watermark(20), strings{"x{2}"});
  EXPECT_EQ(run.last.outputs.at(0).in, (window{5, 15}));
}

TEST(reference_side_inputs, case_2_4_the_window_that_holds_the_last_instant) {
  EXPECT_EQ(side_window({10, 20}, {window_kind::fixed, 7}), (window{14, 21}));
  EXPECT_EQ(side_window({10, 20}, {window_kind::sliding, 10, 5}), (window{10, 20}));
  EXPECT_EQ(side_window({10, 20}, {}), global_window);
  EXPECT_THROW((void)side_window(global_window, fixed_10), failure);
}

TEST(reference_side_inputs, case_2_4b_a_global_main_window_has_no_fixed_one) {
  EXPECT_THROW(engine(reading({}, transform_kind::side_iterable, windowed(fixed_10))), refusal);
}

TEST(reference_side_inputs, case_2_4c_sessions_are_refused) {
  EXPECT_THROW(engine(reading(fixed_10, transform_kind::side_iterable, windowed({window_kind::sessions, 10}))),
               refusal);
  EXPECT_THROW(engine(reading(fixed_10, transform_kind::side_iterable, windowed({}))), refusal);
}

// A trigger that need not have fired at the end of the window lets readers wait until the window expires.
TEST(reference_side_inputs, case_11_7_are_ready_at_the_end_only_if_the_trigger_has_fired_then) {
  step counted = windowed(fixed_10);
  counted.firing_trigger = parse_trigger("repeat(count 2)");
  counted.lateness = 5;
  counted.panes = accumulation::discarding;
  side_run run(reading(fixed_10, transform_kind::side_iterable, counted));
  run.main({{"k", "a", 1}});
  run.side({{"k", "1", 1}});
  EXPECT_EQ(run.side_watermark(14), strings{});
  EXPECT_EQ(run.side_watermark(15), strings{"a{1}"});
}

TEST(reference_side_inputs, case_11_8_a_crash_brings_back_contents_and_waiting_elements) {
  side_run run(reading(fixed_10, transform_kind::side_iterable, windowed(fixed_10)));
  run.main({{"k", "a", 1}});
  run.side({{"k", "1", 1}});
  run.values({event_kind::checkpoint, {}, {}});
  EXPECT_EQ(run.side_watermark(10), strings{"a{1}"});
  EXPECT_EQ(run.values({event_kind::crash, {}, {}}), strings{});
  EXPECT_EQ(run.main({{"k", "b", 2}}), strings{"b{1}"});
}

TEST(reference_side_inputs, case_11_9_a_drain_ends_the_waiting) {
  side_run run(reading(fixed_10, transform_kind::side_iterable, windowed(fixed_10)));
  run.main({{"k", "a", 1}});
  run.side({{"k", "1", 1}});
  EXPECT_EQ(run.values({event_kind::drain, {}, {}}), strings{"a{1}"});
  EXPECT_EQ(run.last.state, job_state::drained);
  EXPECT_FALSE(run.last.state_left);
}

TEST(reference_side_inputs, case_U26_a_slowly_refreshed_singleton_shows_the_newest) {
  side_run run(reading({}, transform_kind::side_singleton, every_element(accumulation::discarding)));
  std::string newest;
  for (int i = 0; i < 4000; ++i) {
    newest = std::to_string(i);
    run.side({{"k", newest, i}});
    ASSERT_EQ(run.main({{"k", "m", i}}), strings{"m" + newest});
  }
}

}  // namespace
}  // namespace reference
