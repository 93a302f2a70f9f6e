#include "bundle_keeping.hpp"
#include "plain_runs.hpp"

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

// Splittable functions that are told of their bundles, which are done again whole: the model, section 13.
namespace millrace::programs::splittable_bundles_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using text = std::string;
using number = std::int64_t;

class splittable_bundles : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, splittable_bundles, each_runner(), runner_name);

TEST_P(splittable_bundles, one_that_fails_at_its_first_position_is_done_again_by_a_new_copy) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["0"] = 1;
  recording<number> given;
  pipeline p("first");
  p | create("in", {number{3}}) | par_do_splittable("keep", keeping(seen)) | collect("given", given);
  const run_metrics run = run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup setup start 0 teardown setup start 0 1 2 finish teardown teardown ");
  EXPECT_THAT(values_of(given), ElementsAre(0, 1, 2));
  const metric_board& values = run.metrics.at("keep/process");
  EXPECT_EQ(values.counters().at("seen"), 3);
  EXPECT_EQ(values.elements_in, 1U);
  EXPECT_EQ(values.elements_out, 3U);
  const metric_board& attempted = run.attempted.at("keep/process");
  EXPECT_EQ(attempted.counters().at("seen"), 4);
  EXPECT_EQ(attempted.elements_in, 2U);
}

// What was kept for position 0 is nobody's when the bundle is done again, so that it comes once. The position that
// failed begins a bundle.
TEST_P(splittable_bundles, one_that_fails_at_a_later_position_is_done_again_up_to_there_and_leaves_nothing_behind) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["2"] = 1;
  recording<number> given;
  pipeline p("later");
  p | create("in", {number{4}}) | par_do_splittable("keep", keeping(seen)) | collect("given", given);
  const run_metrics run = run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup setup start 0 1 2 teardown setup start 0 1 finish start 2 3 finish teardown teardown ");
  EXPECT_THAT(values_of(given), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(run.metrics.at("keep/process").counters().at("seen"), 4);
  EXPECT_EQ(run.metrics.at("keep/process").elements_out, 4U);
  EXPECT_EQ(run.attempted.at("keep/process").counters().at("seen"), 7);
}

TEST_P(splittable_bundles, one_with_several_elements_is_done_again_whole) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["2"] = 1;
  recording<number> given;
  pipeline p("several");
  p | test_stream<number>("in").add({2, 3}).advance_watermark_to_infinity() | par_do_splittable("keep", keeping(seen))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log,
            "setup setup start 0 1 0 1 2 teardown setup start 0 1 0 1 finish start 2 finish teardown teardown ");
  EXPECT_THAT(values_of(given), ElementsAre(0, 1, 0, 1, 2));
}

TEST_P(splittable_bundles, calls_around_one_that_fail_are_made_again_with_all_of_it) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["start"] = 1;
  seen->failures_left["finish"] = 2;
  recording<number> given;
  pipeline p("around");
  p | create("in", {number{2}}) | par_do_splittable("keep", keeping(seen)) | collect("given", given);
  const run_metrics run = run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup setup start teardown setup start 0 1 finish teardown setup start 0 1 finish teardown "
                       "setup start 0 1 finish "
                       "teardown teardown ");
  EXPECT_THAT(values_of(given), ElementsAre(0, 1));
  EXPECT_EQ(run.metrics.at("keep/process").counters().at("seen"), 2);
}

TEST_P(splittable_bundles, a_call_around_one_that_fails_for_good_fails_the_job) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["finish"] = 1000;
  recording<number> given;
  pipeline p("around for good");
  p | create("in", {number{2}}) | par_do_splittable("keep", keeping(seen)) | collect("given", given);
  const text failure = failure_on(GetParam(), p);
  EXPECT_THAT(failure, HasSubstr("keep/process"));
  EXPECT_THAT(failure, HasSubstr("finish_bundle(): not yet"));
  EXPECT_THAT(failure, HasSubstr("4 attempts"));
  EXPECT_THAT(values_of(given), IsEmpty());
  EXPECT_THAT(seen->log, EndsWith("finish teardown teardown "));
}

// Attempts are those of a position: each of many may fail as often as the job allows.
TEST_P(splittable_bundles, many_positions_may_fail) {
  const auto seen = std::make_shared<call_witness>();
  for (number i = 0; i < 300; i += 3) seen->failures_left[std::to_string(i)] = 3;
  recording<number> given;
  pipeline p("many");
  p | create("in", {number{300}}) | par_do_splittable("keep", keeping(seen)) | collect("given", given);
  const run_metrics run = run_on(GetParam(), p);
  EXPECT_EQ(values_of(given), numbers_below(300));
  EXPECT_EQ(run.metrics.at("keep/process").counters().at("seen"), 300);
}

TEST_P(splittable_bundles, a_position_that_fails_for_good_fails_the_job) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["5"] = 1000;
  pipeline p("for good");
  p | create("in", {number{7}}) | par_do_splittable("keep", keeping(seen));
  const text failure = failure_on(GetParam(), p);
  EXPECT_THAT(failure, HasSubstr("keep/process"));
  EXPECT_THAT(failure, HasSubstr("(7, {5, 7})"));
  EXPECT_THAT(failure, HasSubstr("not yet"));
  EXPECT_THAT(failure, HasSubstr("4 attempts"));
  EXPECT_EQ(seen->failures_left["5"], 996);
  EXPECT_THAT(seen->log, EndsWith("5 teardown teardown "));
}

TEST_P(splittable_bundles, what_is_left_from_a_position_that_fails_for_good_goes_to_the_error_output) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["5"] = 1000;
  recording<number> given;
  recording<text> lost;
  pipeline p("error output");
  const auto [good, bad] =
      p | create("in", {number{7}, number{3}}) | par_do_splittable("keep", keeping(seen), with_errors);
  good | collect("given", given);
  bad | map("what", [](const failed<number>& f) {
    return std::to_string(f.element) + ": " + f.message + " after " + std::to_string(f.attempts);
  }) | collect("lost", lost);
  const run_metrics run = run_on(GetParam(), p);
  auto values = values_of(given);
  std::ranges::sort(values);
  EXPECT_THAT(values, ElementsAre(0, 0, 1, 1, 2, 2, 3, 4));
  EXPECT_THAT(values_of(lost), ElementsAre("7: not yet; not done: {5, 7} after 4"));
  EXPECT_EQ(run.metrics.at("keep/process").error_elements, 1U);
  EXPECT_EQ(run.metrics.at("keep/process").counters().at("seen"), 8);
}

TEST(splittable_bundles, one_attempt_is_one) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["5"] = 1;
  recording<number> given;
  recording<text> lost;
  pipeline p("one attempt");
  const auto [good, bad] = p | create("in", {number{7}}) | par_do_splittable("keep", keeping(seen), with_errors);
  good | collect("given", given);
  bad | map("what", [](const failed<number>& f) { return f.message + " after " + std::to_string(f.attempts); })
      | collect("lost", lost);
  run_direct(p, {.attempts_max = 1});
  EXPECT_THAT(values_of(given), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(values_of(lost), ElementsAre("not yet; not done: {5, 7} after 1"));

  seen->failures_left["5"] = 1;
  pipeline q("one attempt without an error output");
  q | create("in", {number{7}}) | par_do_splittable("keep", keeping(seen));
  EXPECT_THROW(run_direct(q, {.attempts_max = 1}), element_failure);
}

}  // namespace
}  // namespace millrace::programs::splittable_bundles_test
