#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;

windowing_strategy fixed_ten() {
  windowing_strategy s;
  s.into = fixed(duration{10});
  return s;
}

// What copies of a function share: the calls that were made, and how often calls are yet to fail.
struct witness {
  std::string log;
  std::map<std::string, int> failures;

  void call(const std::string& what) { log += what + " "; }
  void may_fail(const std::string& what) {
    if (failures[what]-- > 0) throw std::runtime_error("not yet");
  }
};

// Keeps what it has seen of a key in cells, and of a bundle in itself. "tN" sets a timer, "fN" one of a family, "pN"
// one of the clock, "clear" forgets. Each call throws, if it shall, after all it does.
class told {
 public:
  using output = std::string;
  explicit told(witness* of) : of_(of) {}
  auto cells() { return std::tie(seen_, total_, alarm_, family_, clock_); }
  auto metrics() { return std::tie(calls_); }
  void setup() { of_->call("setup"); }
  void start_bundle() {
    of_->call("start");
    of_->may_fail("start");
  }
  void process(const row& x, emitter<output>& out) {
    of_->call(x.value);
    ++calls_;
    bundle_ += x.value;
    seen_.add(x.value);
    total_.set(total_.get() + 1);
    const auto time = [&] { return timestamp{std::stoll(x.value.substr(1))}; };
    if (x.value == "clear") seen_.clear();
    else if (x.value[0] == 't') alarm_.set(time());
    else if (x.value[0] == 'f') family_.set(x.value, time());
    else if (x.value[0] == 'p') clock_.set(time(), no_output);
    out(words());
    of_->may_fail(x.value);
  }
  void on_timer(const event_timer& t, const std::string& /*key*/, emitter<output>& out) {
    ring("alarm", out);
    if (t.fired_at() < timestamp{4}) alarm_.set(timestamp{4});
    else if (t.fired_at() < timestamp{9}) alarm_.set(timestamp{9});
    of_->may_fail("alarm");
  }
  void on_timer(const event_timer_family& t, const std::string& /*key*/, emitter<output>& out) {
    ring(t.tag(), out);
    of_->may_fail(t.tag());
  }
  void on_timer(const processing_timer& /*t*/, const std::string& /*key*/, emitter<output>& out) {
    ring("clock", out);
    of_->may_fail("clock");
  }
  void finish_bundle(emitter<output>& out) {
    of_->call("finish");
    out.emit("bundle " + bundle_, timestamp{5}, {timestamp{0}, timestamp{10}});
    bundle_.clear();
    of_->may_fail("finish");
  }
  void teardown() { of_->call("teardown"); }

 protected:
  std::string words() {
    std::string all = std::to_string(total_.get()) + ":";
    for (const std::string& w : seen_.read()) all += w;
    return all;
  }
  void ring(const std::string& what, emitter<output>& out) {
    of_->call(what);
    bundle_ += what;
    out(what + " " + words());
    seen_.clear();
    total_.clear();
  }

  witness* of_;
  bag_state<std::string> seen_{"seen"};
  value_state<std::int64_t> total_{"total"};
  event_timer alarm_{"alarm"};
  event_timer_family family_{"family"};
  processing_timer clock_{"clock"};
  counter calls_{"calls"};
  std::string bundle_;
};

// The same with a last word.
class told_of_the_end : public told {
 public:
  using told::told;
  void on_window_expiration(const std::string& key, emitter<output>& out) {
    ring("end of " + key, out);
    of_->may_fail("end of " + key);
  }
};

// The same in the order of time.
class told_in_order : public told {
 public:
  using told::told;
  static constexpr bool requires_time_sorted_input = true;
};

template <class Fn>
auto step_of(Fn fn, keyed_options options = {}) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, fixed_ten()) | par_do("step", std::move(fn)),
                                              options);
}

// Plays a script twice, once with failures from where it arms them on: all that comes out, state, timers and metrics
// must be alike. Returns the calls since then of the one that failed.
template <class Fn, class Script>
std::string check_undone(const std::map<std::string, int>& failures, Script&& script) {
  witness failing;
  witness plain;
  auto one = step_of(Fn(&failing));
  auto other = step_of(Fn(&plain));
  const std::vector<std::string> given = script(one, [&] { failing = {.log = {}, .failures = failures}; });
  EXPECT_EQ(given, script(other, [] {}));
  EXPECT_EQ(one.snapshot(), other.snapshot());
  EXPECT_EQ(one.output_watermark(), other.output_watermark());
  EXPECT_EQ(one.metrics.counter("calls"), other.metrics.counter("calls"));
  EXPECT_EQ(one.metrics.elements_in, other.metrics.elements_in);
  EXPECT_EQ(one.metrics.elements_out, other.metrics.elements_out);
  for (const auto& [what, left] : failing.failures) EXPECT_LE(left, 0) << what << " has not failed";
  return failing.log;
}

TEST(stateful_bundles, are_done_again_whole_by_a_new_copy) {
  witness seen{.log = {}, .failures = {{"b", 1}}};
  auto step = step_of(told(&seen));
  EXPECT_THAT(
      step.bundle({{{"k", "a"}, 1}, {{"k", "b"}, 2}, {{"k", "c"}, 3}}),
      ElementsAre("\"1:a\" [0, 10) @1", "\"2:ab\" [0, 10) @2", "\"3:abc\" [0, 10) @3", "\"bundle abc\" [0, 10) @5"));
  EXPECT_THAT(step.element({"k", "d"}, 4), ElementsAre("\"4:abcd\" [0, 10) @4", "\"bundle d\" [0, 10) @5"));
  step.running().teardown();
  EXPECT_EQ(seen.log, "setup start a b teardown setup start a b c finish start d finish teardown ");
  EXPECT_EQ(step.metrics.counter("calls"), 4);
  EXPECT_EQ(step.metrics.elements_in, 4U);
  EXPECT_EQ(step.metrics.elements_out, 6U);
  const metric_board attempted = step.metrics.attempted_since({});
  EXPECT_EQ(attempted.counters().at("calls"), 6);
  EXPECT_EQ(attempted.elements_in, 6U);
}

TEST(stateful_bundles, are_done_again_when_their_first_or_last_call_throws) {
  witness seen{.log = {}, .failures = {{"start", 1}, {"finish", 1}}};
  auto step = step_of(told(&seen));
  EXPECT_THAT(step.element({"k", "a"}, 1), ElementsAre("\"1:a\" [0, 10) @1", "\"bundle a\" [0, 10) @5"));
  EXPECT_EQ(seen.log, "setup start teardown setup start a finish teardown setup start a finish ");
}

TEST(stateful_bundles, fail_with_the_call_that_throws_to_the_last) {
  for (const char* call : {"start", "finish"}) {
    witness seen{.log = {}, .failures = {{call, 100}}};
    auto step = step_of(told(&seen), {.attempts_max = 3});
    try {
      step.element({"k", "a"}, 1);
      FAIL() << "no failure";
    } catch (const element_failure& e) {
      EXPECT_EQ(e.step(), "step");
      EXPECT_EQ(e.element(), "");
      EXPECT_EQ(e.cause(), std::string(call) + "_bundle(): not yet");
      EXPECT_EQ(e.attempts(), 3U);
    }
    EXPECT_EQ(seen.failures[call], 97);
  }
}

TEST(stateful_bundles, fail_with_the_element_or_timer_that_throws_to_the_last) {
  for (const char* call : {"b", "alarm", "f4"}) {
    witness seen{.log = {}, .failures = {{call, 100}}};
    auto step = step_of(told(&seen), {.attempts_max = 3});
    try {
      step.bundle({{{"k", "t3"}, 1}, {{"k", "f4"}, 1}, {{"k", "b"}, 2}});
      step.watermark(8);
      FAIL() << "no failure";
    } catch (const element_failure& e) {
      EXPECT_EQ(e.step(), "step");
      EXPECT_EQ(e.cause(), "not yet");
      EXPECT_EQ(e.attempts(), 3U);
      const std::map<std::string, std::string> names{{"b", "(\"k\", \"b\") @2 [0, 10)"},
                                                     {"alarm", "timer \"alarm\" of key \"k\" @3 [0, 10)"},
                                                     {"f4", "(\"k\", \"f4\") @1 [0, 10)"}};
      EXPECT_EQ(e.element(), names.at(call));
    }
  }
}

TEST(stateful_bundles, give_an_element_that_fails_for_good_to_the_error_output) {
  struct errors final : receiver<failed<row>> {
    std::vector<std::string> seen;
    void accept(const batch<failed<row>>& in) override {
      in.each([&](std::uint32_t p, const failed<row>& f) {
        seen.push_back(f.element.value + ": " + f.message + ", " + std::to_string(f.attempts) + " @"
                       + std::to_string(in.at->time_at(p).millis()));
      });
    }
  } errors;
  witness seen{.log = {}, .failures = {{"b", 100}, {"c", 1}}};
  pipeline p{"p"};
  auto [good, bad] = keyed_input<row>(p, fixed_ten()) | par_do("step", told(&seen), with_errors);
  keyed_step<row, std::string> step(
      good, {.attempts_max = 2}, [&](stage_operator& o) { o.connect(1, static_cast<receiver<failed<row>>&>(errors)); });
  EXPECT_THAT(step.bundle({{{"k", "a"}, 1}, {{"k", "b"}, 2}, {{"k", "c"}, 3}}),
              ElementsAre("\"1:a\" [0, 10) @1", "\"2:ac\" [0, 10) @3", "\"bundle ac\" [0, 10) @5"));
  EXPECT_THAT(errors.seen, ElementsAre("b: not yet, 2 @2"));
  EXPECT_EQ(step.metrics.error_elements, 1U);
  EXPECT_EQ(step.metrics.counter("calls"), 2);
  EXPECT_EQ(step.metrics.elements_in, 3U);
  EXPECT_THAT(step.element({"k", "d"}, 4), ElementsAre("\"3:acd\" [0, 10) @4", "\"bundle d\" [0, 10) @5"));
  EXPECT_EQ(errors.seen.size(), 1U);
}

TEST(stateful_bundles, that_fail_leave_cells_and_timers_as_they_were) {
  const std::string log = check_undone<told>({{"last", 2}, {"finish", 1}}, [](auto& step, const auto& arm) {
    step.bundle({{{"j", "a"}, 1}, {{"k", "t7"}, 2}, {{"k", "f8"}, 2}, {{"k", "p20"}, 2}});
    arm();
    auto given = step.bundle({{{"j", "clear"}, 3},
                              {{"k", "t5"}, 4},
                              {{"k", "f6"}, 4},
                              {{"k", "p30"}, 4},
                              {{"new", "t8"}, 4},
                              {{"k", "other window"}, 14},
                              {{"k", "last"}, 4}});
    EXPECT_EQ(step.output_watermark(), timestamp::min());
    return given;
  });
  EXPECT_THAT(log, HasSubstr("last teardown setup start clear"));
  EXPECT_THAT(log, HasSubstr("finish teardown setup start clear"));
}

TEST(stateful_bundles, of_timers_are_done_again_with_those_that_they_have_set) {
  // The alarm of 3 sets one for 4, which fires in the same bundle, and that one for 9, which does not.
  const std::string log = check_undone<told>({{"alarm", 1}, {"f6", 1}, {"finish", 1}}, [](auto& step, const auto& arm) {
    step.bundle({{{"k", "t3"}, 1}, {{"k", "f6"}, 2}, {{"j", "f2"}, 2}, {{"k", "f8"}, 2}});
    arm();
    auto given = step.watermark(7);
    EXPECT_EQ(step.output_watermark(), timestamp{7});
    EXPECT_THAT(given, ElementsAre("\"f2 1:f2\" [0, 10) @2", "\"alarm 3:t3f6f8\" [0, 10) @3", "\"alarm 0:\" [0, 10) @4",
                                   "\"f6 0:\" [0, 10) @6", "\"bundle f2alarmalarmf6\" [0, 10) @5"));
    for (const std::string& line : step.watermark(10)) given.push_back(line);
    return given;
  });
  EXPECT_EQ(log, "start f2 alarm teardown setup start f2 alarm alarm f6 teardown setup start f2 alarm alarm f6 finish "
                 "teardown setup start f2 alarm alarm f6 finish start f8 alarm finish ");
}

TEST(stateful_bundles, of_timers_of_the_clock_are_done_again) {
  check_undone<told>({{"clock", 3}, {"finish", 1}}, [](auto& step, const auto& arm) {
    step.bundle({{{"k", "p5"}, 1}, {{"j", "p6"}, 1}, {{"k", "a"}, 1}});
    arm();
    return step.processing_time(10);
  });
}

TEST(stateful_bundles, of_expirations_are_done_again_before_the_state_goes) {
  const std::string log =
      check_undone<told_of_the_end>({{"end of j", 1}, {"finish", 1}}, [](auto& step, const auto& arm) {
        step.bundle({{{"k", "a"}, 1}, {{"j", "b"}, 1}});
        arm();
        auto given = step.watermark(11);
        EXPECT_THAT(given, ElementsAre("\"end of j 1:b\" [0, 10) @9", "\"end of k 1:a\" [0, 10) @9",
                                       "\"bundle end of jend of k\" [0, 10) @5"));
        EXPECT_FALSE(step.running().has_state());
        for (const std::string& line : step.element({"k", "t17"}, 12)) given.push_back(line);
        return given;
      });
  EXPECT_EQ(log, "start end of j teardown setup start end of j end of k finish teardown setup start end of j end of k "
                 "finish start t17 finish ");
}

TEST(stateful_bundles, of_sorted_input_are_done_again_in_order) {
  const std::string log = check_undone<told_in_order>({{"b", 1}, {"finish", 1}}, [](auto& step, const auto& arm) {
    step.bundle({{{"k", "c"}, 5}, {{"k", "a"}, 3}, {{"k", "b"}, 4}, {{"k", "d"}, 8}});
    arm();
    auto given = step.watermark(6);
    EXPECT_THAT(given, ElementsAre("\"1:a\" [0, 10) @3", "\"2:ab\" [0, 10) @4", "\"3:abc\" [0, 10) @5",
                                   "\"bundle abc\" [0, 10) @5"));
    EXPECT_EQ(step.output_watermark(), timestamp{6});
    for (const std::string& line : step.watermark(9)) given.push_back(line);
    return given;
  });
  EXPECT_EQ(log, "start a b teardown setup start a b c finish teardown setup start a b c finish start d finish ");
}

// A timer that sets itself again in the past, more often than one bundle fires; others of its key wait for their turn.
class looping_told {
 public:
  using output = std::int64_t;
  static constexpr bool requires_time_sorted_input = true;
  explicit looping_told(witness* of) : of_(of) {}
  auto cells() { return std::tie(loop_, rung_); }
  auto metrics() { return std::tie(calls_); }
  void process(const row& x, emitter<output>& out) {
    of_->call(x.value);
    if (x.value == "loop") loop_.set(timestamp{1});
    else out(rung_.get());
  }
  void on_timer(const event_timer& t, const std::string& /*key*/, emitter<output>& /*out*/) {
    rung_.set(rung_.get() + 1);
    if (rung_.get() < 1500) loop_.set(t.fired_at());
  }
  void finish_bundle() {
    of_->call("finish");
    of_->may_fail("finish");
  }

 private:
  witness* of_;
  event_timer loop_{"loop"};
  value_state<std::int64_t> rung_{"rung"};
  counter calls_{"calls"};
};

TEST(stateful_bundles, hand_back_what_does_not_fit_once_they_have_succeeded) {
  const std::string log = check_undone<looping_told>({{"finish", 2}}, [](auto& step, const auto& arm) {
    step.element({"k", "loop"}, 0);
    step.element({"k", "end"}, 5);
    step.watermark(1);
    arm();
    return step.watermark(9);
  });
  EXPECT_EQ(log, "finish finish finish end finish ");
}

TEST(stateful_bundles, may_be_restored_after_they_were_done_again) {
  witness seen{.log = {}, .failures = {{"b", 1}}};
  auto step = step_of(told(&seen));
  step.bundle({{{"k", "t7"}, 1}, {{"k", "b"}, 2}});
  step.restart();
  EXPECT_THAT(step.watermark(8), ElementsAre("\"alarm 2:t7b\" [0, 10) @7", "\"bundle alarm\" [0, 10) @5"));
}

TEST(stateful_bundles, that_see_no_element_make_no_call) {
  witness seen;
  auto step = step_of(told(&seen));
  EXPECT_THAT(step.watermark(8), IsEmpty());
  EXPECT_EQ(seen.log, "setup ");
}

}  // namespace
}  // namespace millrace::testing
