#include "told_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

namespace millrace::testing::stateful_bundle_timers_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  const std::string log = check_undone<told_of_the_end>({{"end of j", 1}, {"finish", 1}}, [](auto& step,
                                                                                             const auto& arm) {
    step.bundle({{{"k", "t3"}, 1}, {{"j", "b"}, 1}});
    arm();
    auto given = step.watermark(11);
    EXPECT_THAT(given, ElementsAre("\"alarm 1:t3\" [0, 10) @3", "\"end of j 1:b\" [0, 10) @9",
                                   "\"alarm 0:\" [0, 10) @4", "\"alarm 0:\" [0, 10) @9", "\"end of k 0:\" [0, 10) @9",
                                   "\"bundle alarmend of jalarmalarmend of k\" [0, 10) @5"));
    EXPECT_FALSE(step.running().has_state());
    for (const std::string& line : step.element({"k", "t17"}, 12)) given.push_back(line);
    return given;
  });
  EXPECT_EQ(log, "start alarm end of j teardown setup start alarm end of j alarm alarm end of k finish "
                 "teardown setup start alarm end of j alarm alarm end of k finish start t17 finish ");
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

TEST(stateful_bundles, of_sorted_input_have_elements_before_timers_of_their_time_each_time) {
  check_undone<told_in_order>({{"finish", 1}}, [](auto& step, const auto& arm) {
    step.bundle({{{"k", "t5"}, 3}, {{"k", "e"}, 5}});
    step.watermark(4);
    arm();
    auto given = step.watermark(6);
    EXPECT_THAT(given,
                ElementsAre("\"2:t5e\" [0, 10) @5", "\"alarm 2:t5e\" [0, 10) @5", "\"bundle ealarm\" [0, 10) @5"));
    return given;
  });
}

// A timer that sets itself again in the past, more often than one bundle fires; others of its key wait for their turn.
// It does not before the first of two failures, so that then they have it.
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
    if (rung_.get() < 1500 && of_->failures["finish"] < 2) loop_.set(t.fired_at());
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
  EXPECT_EQ(log, "end finish finish finish end finish ");
}

TEST(stateful_bundles, may_be_restored_after_they_were_done_again) {
  witness seen{.log = {}, .failures = {{"b", 1}}};
  auto step = step_of(told(&seen));
  step.bundle({{{"k", "t7"}, 1}, {{"k", "b"}, 2}});
  step.restart();
  EXPECT_THAT(step.watermark(8), ElementsAre("\"alarm 2:t7b\" [0, 10) @7", "\"bundle alarm\" [0, 10) @5"));
}

TEST(stateful_bundles, of_timers_leave_nothing_of_windows_that_have_expired) {
  witness seen{.log = {}, .failures = {{"alarm", 1}}};
  auto step = step_of(told(&seen));
  step.bundle({{{"k", "t7"}, 1}, {{"j", "a"}, 2}});
  step.watermark(20);
  EXPECT_FALSE(step.running().has_state());
}

}  // namespace
}  // namespace millrace::testing::stateful_bundle_timers_test
