#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::stateful_timers_test {
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
windowing_strategy one_window() {
  return {};
}

// Values are commands: "A=5" sets event timer A, "A=5/3" with an output timestamp, "A=5/none" without; "A~9" a
// processing timer; "-A" clears; "A=5>C" runs C when A fires. Callbacks give the timer's name. Anything else is passed
// on.
struct timers {
  using output = kv<std::string, std::string>;
  auto cells() { return std::tie(event_a_, event_b_, clock_a_, then_a_, then_b_); }

  void process(const row& x, emitter<output>& out) { run(x.key, x.value, out); }
  void on_timer(const event_timer& t, const std::string& key, emitter<output>& out) {
    out({key, t.name()});
    value_state<std::string>& then = t == event_a_ ? then_a_ : then_b_;
    const std::string command = then.get();
    then.clear();
    if (!command.empty()) run(key, command, out);
  }
  void on_timer(const processing_timer& t, const std::string& key, emitter<output>& out) { out({key, t.name()}); }

  void run(const std::string& key, const std::string& command, emitter<output>& out) {
    if (command[0] == '-') {
      event_of(command[1]).clear();
      if (command[1] == 'A') clock_a_.clear();
      return;
    }
    if (command.size() > 1 && command[1] == '=') return set(event_of(command[0]), command);
    if (command.size() > 1 && command[1] == '~') return set(clock_a_, command);
    out({key, command});
  }
  template <class Timer>
  void set(Timer& t, const std::string& command) {
    const std::string rest =
        command.substr(2, command.find('>') == std::string::npos ? std::string::npos : command.find('>') - 2);
    if (const auto then = command.find('>'); then != std::string::npos)
      (command[0] == 'A' ? then_a_ : then_b_).set(command.substr(then + 1));
    const timestamp fires{std::stoll(rest)};
    const auto slash = rest.find('/');
    if (slash == std::string::npos) t.set(fires);
    else if (rest.substr(slash + 1) == "none") t.set(fires, no_output);
    else t.set(fires, timestamp{std::stoll(rest.substr(slash + 1))});
  }
  event_timer& event_of(char name) { return name == 'A' ? event_a_ : event_b_; }

  event_timer event_a_{"A"};
  event_timer event_b_{"B"};
  processing_timer clock_a_{"clock A"};
  value_state<std::string> then_a_{"then A"};
  value_state<std::string> then_b_{"then B"};
};

template <class Fn>
auto step_of(Fn fn, windowing_strategy strategy, keyed_options options = {}) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, std::move(strategy)) | par_do("step", std::move(fn)),
                                              options);
}

TEST(stateful_timers, fire_strictly_after_their_time_10_1) {
  auto step = step_of(timers{}, fixed_ten());
  step.element({"k", "A=9"}, 1);
  EXPECT_THAT(step.watermark(9), IsEmpty());
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", \"A\") [0, 10) @9"));
}

TEST(stateful_timers, may_be_set_up_to_expiry_10_1b_c) {
  auto step = step_of(timers{}, fixed_ten(5), {.attempts_max = 1});
  step.element({"k", "A=14"}, 1);
  EXPECT_THAT(step.watermark(14), IsEmpty());
  EXPECT_THAT(step.watermark(15), ElementsAre("(\"k\", \"A\") [0, 10) @14"));
  auto other = step_of(timers{}, fixed_ten(5), {.attempts_max = 1});
  try {
    other.element({"k", "A=15"}, 1);
    FAIL() << "not refused";
  } catch (const element_failure& e) {
    EXPECT_THAT(e.what(), HasSubstr("timer \"A\": its time 15 is after the expiry of the window, 14"));
  }
}

TEST(stateful_timers, are_replaced_when_set_again_10_2) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=5"}, 0);
  step.element({"k", "A=8"}, 0);
  EXPECT_THAT(step.watermark(6), IsEmpty());
  EXPECT_THAT(step.watermark(9), ElementsAre("(\"k\", \"A\") global @8"));
  step.element({"k", "A=20"}, 10);
  step.element({"k", "A=15"}, 10);
  EXPECT_THAT(step.watermark(16), ElementsAre("(\"k\", \"A\") global @15"));
  EXPECT_THAT(step.watermark(100), IsEmpty());
}

TEST(stateful_timers, are_cleared_10_2b) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=5"}, 0);
  step.element({"k", "-A"}, 0);
  step.element({"k", "-B"}, 0);
  EXPECT_THAT(step.watermark(100), IsEmpty());
}

TEST(stateful_timers, hold_the_watermark_at_their_output_timestamp_10_3) {
  auto step = step_of(timers{}, one_window());
  step.watermark(0);
  step.element({"k", "A=20/5"}, 0);
  step.watermark(15);
  EXPECT_EQ(step.output_watermark(), timestamp{5});
  EXPECT_THAT(step.watermark(21), ElementsAre("(\"k\", \"A\") global @5"));
  EXPECT_EQ(step.output_watermark(), timestamp{21});
}

TEST(stateful_timers, hold_nothing_without_one_10_3b) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=20/none"}, 0);
  step.watermark(15);
  EXPECT_EQ(step.output_watermark(), timestamp{15});
}

TEST(stateful_timers, let_go_of_the_hold_when_cleared_10_3c) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=20/5"}, 0);
  step.watermark(15);
  step.element({"k", "-A"}, 16);
  EXPECT_EQ(step.output_watermark(), timestamp{15});
}

TEST(stateful_timers, refuse_an_output_timestamp_before_the_element_or_after_the_firing) {
  for (const char* command : {"A=20/4", "A=20/21", "A~20/4"}) {
    auto step = step_of(timers{}, one_window());
    EXPECT_THROW(step.element({"k", command}, 5), element_failure) << command;
  }
}

TEST(stateful_timers, of_the_clock_fire_strictly_after_their_time_10_4) {
  auto step = step_of(timers{}, fixed_ten());
  step.element({"k", "A~100"}, 1);
  step.watermark(9);
  EXPECT_EQ(step.output_watermark(), timestamp{1});
  EXPECT_EQ(step.running().as_head()->next_clock_timer(), timestamp{101});
  EXPECT_THAT(step.processing_time(100), IsEmpty());
  EXPECT_THAT(step.processing_time(101), ElementsAre("(\"k\", \"clock A\") [0, 10) @1"));
  EXPECT_EQ(step.output_watermark(), timestamp{9});
  EXPECT_EQ(step.running().as_head()->next_clock_timer(), std::nullopt);
}

TEST(stateful_timers, of_the_clock_are_dropped_with_their_window_10_4b) {
  auto step = step_of(timers{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "A~100"}, 1);
  step.watermark(10);
  EXPECT_EQ(step.output_watermark(), timestamp{10});
  EXPECT_THAT(step.processing_time(101), IsEmpty());
  step.watermark(100);
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_timers, of_the_clock_are_dropped_at_the_end_of_the_input) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A~100"}, 1);
  EXPECT_THAT(step.end(), IsEmpty());
  EXPECT_EQ(step.output_watermark(), timestamp::max());
  EXPECT_THAT(step.processing_time(200), IsEmpty());
}

struct patient_timers : timers {
  static constexpr bool fires_clock_timers_at_end = true;
  void on_window_expiration(const std::string& key, emitter<output>& out) { out({key, "end"}); }
};

TEST(stateful_timers, of_the_clock_fire_after_the_end_of_the_input_where_the_function_waits_for_them) {
  auto step = step_of(patient_timers{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "A~100"}, 1);
  step.element({"k", "A~200/none"}, 11);
  step.element({"k", "A~300"}, 21);
  EXPECT_THAT(step.watermark(30), ElementsAre("(\"k\", \"end\") [0, 10) @9", "(\"k\", \"end\") [10, 20) @19"));
  step.element({"j", "A~400/none"}, 31);
  step.restart();
  EXPECT_THAT(step.end(), ElementsAre("(\"k\", \"end\") [20, 30) @29"));
  EXPECT_EQ(step.output_watermark(), timestamp{39});
  EXPECT_THAT(step.processing_time(400), IsEmpty());
  EXPECT_THAT(step.processing_time(401),
              ElementsAre("(\"j\", \"clock A\") [30, 40) @39", "(\"j\", \"end\") [30, 40) @39"));
  EXPECT_EQ(step.output_watermark(), timestamp::max());
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_timers, set_by_a_callback_fire_before_later_ones_10_5) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=1>A=2"}, 0);
  step.element({"k", "B=3"}, 0);
  EXPECT_THAT(step.watermark(10),
              ElementsAre("(\"k\", \"A\") global @1", "(\"k\", \"A\") global @2", "(\"k\", \"B\") global @3"));
}

TEST(stateful_timers, set_by_a_callback_fire_before_equal_ones) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=1>A=3"}, 0);
  step.element({"k", "B=3"}, 0);
  EXPECT_THAT(step.watermark(10),
              ElementsAre("(\"k\", \"A\") global @1", "(\"k\", \"A\") global @3", "(\"k\", \"B\") global @3"));
}

TEST(stateful_timers, cleared_by_a_callback_do_not_fire_10_5b) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "B=3>-A"}, 0);
  step.element({"k", "A=9"}, 0);
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", \"B\") global @3"));
}

TEST(stateful_timers, moved_by_a_callback_fire_later_10_5c) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "B=3>A=50"}, 0);
  step.element({"k", "A=9"}, 0);
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", \"B\") global @3"));
  EXPECT_THAT(step.watermark(51), ElementsAre("(\"k\", \"A\") global @50"));
}

TEST(stateful_timers, are_per_key_and_window_10_9) {
  auto step = step_of(timers{}, fixed_ten());
  step.element({"x", "A=5"}, 1);
  step.element({"y", "A=7"}, 1);
  step.element({"x", "A=15"}, 11);
  EXPECT_THAT(step.watermark(6), ElementsAre("(\"x\", \"A\") [0, 10) @5"));
  step.element({"y", "-A"}, 2);
  EXPECT_THAT(step.watermark(100), ElementsAre("(\"x\", \"A\") [10, 20) @15"));
}

TEST(stateful_timers, of_one_shard_fire_by_time_then_key) {
  auto step = step_of(timers{}, one_window());
  step.element({"b", "A=2"}, 0);
  step.element({"c", "A=1"}, 0);
  step.element({"a", "A=2"}, 0);
  EXPECT_THAT(step.watermark(9),
              ElementsAre("(\"c\", \"A\") global @1", "(\"a\", \"A\") global @2", "(\"b\", \"A\") global @2"));
}

TEST(stateful_timers, set_in_the_past_fire_at_once) {
  auto step = step_of(timers{}, one_window());
  step.watermark(50);
  EXPECT_THAT(step.element({"k", "A=20"}, 10), ElementsAre("(\"k\", \"A\") global @20"));
}

TEST(stateful_timers, stay_pending_until_the_bundle_that_carries_them_is_accepted) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=5"}, 0);
  step.clock.input_watermark = timestamp{10};
  const auto due = step.take_due_timers();
  ASSERT_EQ(due[0].timers.size(), 1U);
  EXPECT_EQ(step.output_watermark(), timestamp{5});
  EXPECT_THAT(step.take_due_timers()[0].timers, IsEmpty());
  const std::string between = step.snapshot();
  EXPECT_THAT(step.accept_timers(due), ElementsAre("(\"k\", \"A\") global @5"));
  EXPECT_EQ(step.output_watermark(), timestamp{10});
  step.restore(between);  // a crash in between loses the bundle and nothing else
  EXPECT_THAT(step.accept_timers(step.take_due_timers()), IsEmpty());
}

TEST(stateful_timers, cleared_while_their_bundle_waits_do_not_fire) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=5"}, 0);
  step.clock.input_watermark = timestamp{10};
  const auto due = step.take_due_timers();
  step.element({"k", "-A"}, 11);
  EXPECT_THAT(step.accept_timers(due), IsEmpty());
}

TEST(stateful_timers, survive_a_restart_and_fire_once_10_12) {
  auto step = step_of(timers{}, one_window());
  step.element({"k", "A=5"}, 0);
  step.element({"k", "A~100"}, 0);
  const std::string state = step.snapshot();
  EXPECT_THAT(step.watermark(6), ElementsAre("(\"k\", \"A\") global @5"));
  step.clock.input_watermark = timestamp::min();
  step.restore(state);
  EXPECT_THAT(step.watermark(6), ElementsAre("(\"k\", \"A\") global @5"));
  step.restart();
  EXPECT_THAT(step.processing_time(101), ElementsAre("(\"k\", \"clock A\") global @0"));
  EXPECT_THAT(step.end(), IsEmpty());
}

// Sets itself again without end, and says whether the job is drained.
struct endless {
  using output = std::string;
  auto cells() { return std::tie(loop_, other_); }
  void process(const row&, emitter<output>&) { loop_.set(timestamp{5}); }
  void on_timer(const event_timer& t, const std::string&, emitter<output>& out) {
    out(t.name() + (t.caused_by_drain() ? " drained" : ""));
    if (t == other_) return;
    loop_.set(t.fired_at() + duration{5});
    if (t.caused_by_drain()) other_.set(t.fired_at());
  }
  event_timer loop_{"loop"};
  event_timer other_{"other"};
};

TEST(stateful_timers, that_loop_end_with_a_drain) {
  auto step = step_of(endless{}, one_window());
  const std::string nothing = step.snapshot();
  step.element({"k", "a"}, 0);
  EXPECT_THAT(step.watermark(6), ElementsAre("\"loop\" global @5"));
  step.clock.draining = true;
  EXPECT_THAT(step.watermark(11), ElementsAre("\"loop\" global @10"));
  EXPECT_THAT(step.end(), ElementsAre("\"loop drained\" global @15", "\"other drained\" global @15"));
  EXPECT_EQ(step.output_watermark(), timestamp::max());
  EXPECT_EQ(step.snapshot(), nothing);
}

// Counts calls of a timer that sets itself again.
struct looping {
  using output = kv<std::string, std::int64_t>;
  auto cells() { return std::tie(calls_, loop_); }
  void process(const row&, emitter<output>& out) { loop_.set(out.at().time + duration{1}); }
  void on_timer(const event_timer& t, const std::string& key, emitter<output>& out) {
    calls_.set(calls_.get() + 1);
    out({key, calls_.get()});
    if (calls_.get() < 5) loop_.set(t.fired_at() + duration{1});
  }
  value_state<std::int64_t> calls_{"calls"};
  event_timer loop_{"loop"};
};

TEST(stateful_timers, that_loop_stop_by_themselves_10_6) {
  auto step = step_of(looping{}, one_window());
  step.bundle({{{"x", "a"}, 0}, {{"y", "b"}, 0}});
  std::map<char, std::vector<std::string>> by_key;
  for (const std::string& line : step.end()) by_key[line[2]].push_back(line);
  for (const char key : {'x', 'y'}) {
    ASSERT_EQ(by_key[key].size(), 5U);
    for (int i = 1; i <= 5; ++i) {
      const std::string n = std::to_string(i);
      EXPECT_EQ(by_key[key][static_cast<std::size_t>(i - 1)], std::string("(\"") + key + "\", " + n + ") global @" + n);
    }
  }
  EXPECT_EQ(step.output_watermark(), timestamp::max());
}

TEST(stateful_timers, give_the_same_after_a_restart_between_any_two_events) {
  const std::vector<std::pair<const char*, int>> commands{{"A=1>A=2", 0}, {"B=3>A=50", 0}, {"A~30", 2}, {"x", 3},
                                                          {"B=12/5", 4},  {"A~9/8", 7},    {"y", 9}};
  std::vector<std::string> expected;
  for (int restart_at = -1; restart_at < static_cast<int>(3 * commands.size()); ++restart_at) {
    auto step = step_of(timers{}, one_window());
    std::vector<std::string> seen;
    int event = 0;
    const auto after = [&](const std::vector<std::string>& lines) {
      seen.insert(seen.end(), lines.begin(), lines.end());
      if (event++ == restart_at) step.restart();
    };
    for (const auto& [command, time] : commands) {
      after(step.element({time % 2 == 0 ? "k" : "j", command}, time));
      after(step.watermark(2 * time));
      after(step.processing_time(4 * time));
    }
    after(step.end());
    if (restart_at < 0) expected = seen;
    EXPECT_EQ(seen, expected) << restart_at;
  }
  EXPECT_EQ(expected.size(), 9U);  // three times A, twice B and the clock, x and y
}

}  // namespace
}  // namespace millrace::testing::stateful_timers_test
