#include "engine.hpp"
#include "transcript.hpp"
#include "values.hpp"
#include "windows.hpp"

#include <millrace/tests/sanitizer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

// What must hold of the engine whatever the program: laws of the model that no single case shows.
namespace reference {
namespace {

// Draws programs and events; equal seeds draw equal ones.
class drawing {
 public:
  explicit drawing(unsigned seed) : random_(seed) {}

  int number(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }

  window_function windows() {
    switch (number(0, 3)) {
    case 0:
      return {};
    case 1:
      return {window_kind::fixed, number(1, 20), 0, 0};
    case 2:
      return {window_kind::sliding, number(1, 20), number(3, 9), number(0, 2)};
    default:
      return {window_kind::sessions, number(2, 10), 0, 0};
    }
  }

  trigger any_trigger(int depth) {
    const int kind = number(0, depth > 0 ? 11 : 5);
    switch (kind) {
    case 0:
      return {trigger_kind::never, 0, {}, {}};
    case 1:
      return {trigger_kind::always, 0, {}, {}};
    case 2:
      return {trigger_kind::at_watermark, 0, {}, {}};
    case 3:
      return {trigger_kind::clock, 0, {{number(0, 1) == 1, number(1, 20)}}, {}};
    case 4:
    case 5:
      return {trigger_kind::count, number(1, 4), {}, {}};
    case 6:
      return {trigger_kind::repeat, 0, {}, {any_trigger(depth - 1)}};
    case 7:
      return {trigger_kind::first, 0, {}, {any_trigger(depth - 1), any_trigger(depth - 1)}};
    case 8:
      return {trigger_kind::all, 0, {}, {any_trigger(depth - 1), any_trigger(depth - 1)}};
    case 9:
      return {trigger_kind::each, 0, {}, {any_trigger(depth - 1), any_trigger(depth - 1)}};
    case 10:
      return {trigger_kind::until, 0, {}, {any_trigger(depth - 1), any_trigger(depth - 1)}};
    default:
      return {trigger_kind::early_late, 0, {}, {any_trigger(depth - 1), any_trigger(depth - 1)}};
    }
  }

  step grouped() {
    step one;
    one.windows = windows();
    one.firing_trigger = any_trigger(2);
    one.lateness = number(0, 1) * number(1, 20);
    one.panes = number(0, 1) == 0 ? accumulation::discarding : accumulation::accumulating;
    one.timestamps = static_cast<timestamp_combiner>(number(0, 2));
    one.on_time = static_cast<firing>(number(0, 1));
    one.closing = static_cast<firing>(number(0, 1));
    return one;
  }

  event any_event() {
    const int kind = number(0, 9);
    if (kind < 2) return {event_kind::watermark, {}, watermark_ += number(0, 15)};
    if (kind < 4) return {event_kind::clock, {}, clock_ += number(0, 10)};
    event made;
    for (int i = number(1, 4); i > 0; --i) {
      const std::string value = "v" + std::to_string(next_++);
      made.elements.push_back({number(0, 2) == 0 ? "x" : "k", value, watermark_ + number(-15, 25)});
    }
    return made;
  }

  std::vector<event> events() {
    std::vector<event> all;
    for (int i = 0; i < 25; ++i) all.push_back(any_event());
    all.push_back({event_kind::watermark, {}, max_time});
    return all;
  }

 private:
  std::mt19937 random_;
  instant watermark_ = -10;
  instant clock_ = 0;
  int next_ = 0;
};

program one_grouping(drawing& from) {
  program made;
  made.unsafe_triggers = true;
  made.steps.push_back(from.grouped());
  return made;
}

// A grouping and one more step: a grouping in the windows of the first, in others, a count, or batches.
program two_steps(drawing& from) {
  program made = one_grouping(from);
  step second;
  switch (from.number(0, 3)) {
  case 0:
    break;
  case 1:
    second = from.grouped();
    break;
  case 2:
    second.what.kind = transform_kind::running_count;
    break;
  default:
    second.what.kind = transform_kind::batches;
    second.what.limit = 3;
    break;
  }
  made.steps.push_back(second);
  return made;
}

bool merges(const program& what) {
  return what.steps[0].windows->kind == window_kind::sessions;
}

constexpr unsigned programs = under_sanitizer ? 500 : 3000;

TEST(reference_laws, the_output_watermark_never_goes_back_and_at_the_end_nothing_is_left) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    job running(two_steps(from));
    instant held = min_time;
    report last;
    for (const event& what : from.events()) {
      last = running.apply(what);
      EXPECT_GE(last.held, held) << seed;
      held = last.held;
    }
    EXPECT_EQ(last.held, max_time) << seed;
    EXPECT_FALSE(last.state_left) << seed;
    EXPECT_EQ(last.state, job_state::running) << seed << " " << last.error;
  }
}

TEST(reference_laws, what_comes_out_in_time_is_not_behind_the_output_watermark) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    job running(one_grouping(from));
    instant held = min_time;
    for (const event& what : from.events()) {
      const report seen = running.apply(what);
      for (const output& one : seen.outputs) {
        EXPECT_LE(one.time, max_of(one.in)) << seed;
        const bool late = one.which.timing == pane_timing::late;
        EXPECT_TRUE(late || one.time >= held) << seed << " " << text_of(one);
      }
      held = seen.held;
    }
  }
}

TEST(reference_laws, no_element_is_lost_or_doubled_in_discarding_panes) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    program what = one_grouping(from);
    what.steps[0].panes = accumulation::discarding;
    job running(what);
    std::int64_t in = 0;
    std::map<std::pair<std::string, std::string>, int> out;
    std::int64_t count = 0;
    report last;
    for (const event& each : from.events()) {
      for (const element& one : each.elements)
        in += static_cast<std::int64_t>(assign(*what.steps[0].windows, one.time).size());
      last = running.apply(each);
      for (const output& one : last.outputs) {
        const auto values = values_of_bag(one.value).value();
        for (const std::string& value : values) {
          const int times = ++out[{text_of(one.in), value}];
          EXPECT_TRUE(merges(what) || times == 1) << seed << " " << value;
        }
        count += static_cast<std::int64_t>(values.size());
      }
    }
    const drops dropped = last.dropped_in_all();
    EXPECT_EQ(count + dropped.late + dropped.closed_window, in) << seed;
  }
}

TEST(reference_laws, panes_of_a_window_are_numbered_and_come_early_on_time_late) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    const program what = one_grouping(from);
    if (merges(what)) continue;
    job running(what);
    std::map<std::pair<std::string, window>, pane> panes;
    for (const event& each : from.events()) {
      for (const output& one : running.apply(each).outputs) {
        const auto known = panes.find({one.key, one.in});
        EXPECT_EQ(one.which.first, known == panes.end()) << seed;
        EXPECT_EQ(one.which.index, known == panes.end() ? 0 : known->second.index + 1) << seed;
        EXPECT_EQ(one.which.non_speculative_index == -1, one.which.timing == pane_timing::early) << seed;
        if (known != panes.end()) {
          EXPECT_FALSE(known->second.last) << seed;
          EXPECT_LE(known->second.timing, one.which.timing) << seed;
          EXPECT_FALSE(known->second.timing == pane_timing::on_time && one.which.timing == pane_timing::on_time);
        }
        panes[{one.key, one.in}] = one.which;
      }
    }
  }
}

TEST(reference_laws, a_crash_changes_nothing) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    const program what = two_steps(from);
    const std::vector<event> events = from.events();
    job plain(what);
    job crashing(what);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const report expected = plain.apply(events[i]);
      const report found = crashing.apply(events[i]);
      ASSERT_EQ(found.outputs, expected.outputs) << seed;
      ASSERT_EQ(found.held, expected.held) << seed;
      ASSERT_EQ(found.dropped, expected.dropped) << seed;
      if (i % 7 == 3) crashing.apply({event_kind::checkpoint, {}, {}});
      if (i % 5 == 4) crashing.apply({event_kind::crash, {}, {}});
    }
  }
}

TEST(reference_laws, a_case_written_down_holds_when_read) {
  for (unsigned seed = 0; seed < programs; ++seed) {
    drawing from(seed);
    const program what = two_steps(from);
    const auto cases = parse_transcript(written_case("1", what, from.events()));
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(differences(cases.front()), std::vector<std::string>{}) << seed;
  }
}

}  // namespace
}  // namespace reference
