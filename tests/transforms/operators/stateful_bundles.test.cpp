#include "told_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace millrace::testing::stateful_bundles_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  seen.failures["w"] = 100;
  EXPECT_THAT(step.element({"k", "w"}, 14), ElementsAre("\"bundle \" [0, 10) @5"));
  EXPECT_THAT(errors.seen, ElementsAre("b: not yet, 2 @2", "w: not yet, 2 @14"));
  step.watermark(11);
  EXPECT_FALSE(step.running().has_state());  // nothing is left of the window of w
}

// The same for input that waits for its epoch.
class told_of_stable_input : public told {
 public:
  using told::told;
  static constexpr bool requires_stable_input = true;
};

TEST(stateful_bundles, of_stable_input_are_those_that_came) {
  witness seen{.log = {}, .failures = {{"b", 1}, {"c", 1}}};
  auto step = step_of(told_of_stable_input(&seen), {.durable_epochs = true});
  EXPECT_THAT(step.bundle({{{"k", "a"}, 1}, {{"k", "b"}, 2}}), IsEmpty());
  EXPECT_THAT(step.element({"k", "c"}, 3), IsEmpty());
  step.running().as_epoch_participant()->prepare(1);
  step.running().as_epoch_participant()->commit(1);
  EXPECT_THAT(step.watermark(4), ElementsAre("\"1:a\" [0, 10) @1", "\"2:ab\" [0, 10) @2", "\"bundle ab\" [0, 10) @5",
                                             "\"3:abc\" [0, 10) @3", "\"bundle c\" [0, 10) @5"));
  EXPECT_EQ(seen.log, "setup start a b teardown setup start a b finish start c teardown setup start c finish ");
}

TEST(stateful_bundles, that_see_no_element_make_no_call) {
  witness seen;
  auto step = step_of(told(&seen));
  EXPECT_THAT(step.watermark(8), IsEmpty());
  step.watermark(20);
  EXPECT_THAT(step.element({"k", "late"}, 1), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
  EXPECT_EQ(seen.log, "setup ");
}

}  // namespace
}  // namespace millrace::testing::stateful_bundles_test
