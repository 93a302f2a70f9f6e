#include "plain_runs.hpp"
#include "splittable_functions.hpp"

#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

// Splittable functions with side inputs, an error output and a bound on the time of one call, on both runners.
namespace millrace::programs::splittable_options_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class splittable_options : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, splittable_options, each_runner(), runner_name);

// Counts in steps of a side input.
struct counting_by {
  using output = int;
  static offset_range initial_restriction(int n) { return {0, n}; }
  static void process(int /*n*/, const int& step, tracker<offset_range>& range, emitter<int>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) out(step * static_cast<int>(i));
  }
};

// The side input of the second window comes last; calls are split after two claims, and read it again.
TEST_P(splittable_options, side_inputs_are_read_in_the_window_of_the_element) {
  pipeline p{"p"};
  const recording<int> out;
  const auto steps = p
                     | test_stream<int>("steps")
                           .advance_processing_time(1ms)
                           .add_at(timestamp{3}, {10})
                           .add_at(timestamp{13}, {100})
                           .advance_watermark_to_infinity()
                     | window_into("step windows", {.into = fixed(10ms)}) | as_singleton("step");
  p | test_stream<int>("numbers").add({{3, timestamp{1}}, {4, timestamp{12}}}).advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms)})
      | par_do_splittable("count", counting_by{}, with(steps), {.claims_max = 2}) | collect("out", out);
  run_on(GetParam(), p);
  EXPECT_THAT(out.values(), UnorderedElementsAre(0, 10, 20, 0, 100, 200, 300));
}

TEST_P(splittable_options, elements_that_wait_for_side_inputs_are_part_of_a_checkpoint) {
  pipeline p{"p"};
  const recording<int> out;
  const auto steps = p
                     | test_stream<int>("steps").advance_processing_time(1ms).add({10}).advance_watermark_to_infinity()
                     | window_into("step hours", {.into = fixed(1h)}) | as_singleton("step");
  p | test_stream<int>("numbers").add({3}).advance_watermark_to_infinity() | window_into("hours", {.into = fixed(1h)})
      | par_do_splittable("count", counting_by{}, with(steps)) | collect("out", out);
  if (GetParam() == runner::direct) {
    direct_session session(p);
    for (std::size_t event = 0; event < 3; ++event) {
      if (event == 0) session.play(0);
      session.checkpoint();
      session.crash({});
      if (event > 0) session.play(event);
    }
    session.drain();
    EXPECT_EQ(session.error(), "");
  } else {
    ASSERT_TRUE(simulate(p, {.job = {.shards = 2}}).report.succeeded());
  }
  EXPECT_THAT(in_order(out), ElementsAre(0, 10, 20));
}

TEST_P(splittable_options, side_inputs_that_cannot_be_read_are_laid_to_the_element) {
  pipeline p{"p"};
  const auto none = p | create("none", std::vector<int>{}) | as_singleton("step");
  const recording<int> out;
  const recording<std::string> lost;
  const auto [good, bad] =
      p | create("numbers", std::vector<int>{3}) | par_do_splittable("count", counting_by{}, with(none), with_errors);
  good | collect("out", out);
  bad | map("text", [](const failed<int>& f) { return std::to_string(f.element) + ": " + f.message; })
      | collect("lost", lost);
  run_on(GetParam(), p);
  EXPECT_TRUE(out.values().empty());
  const auto messages = lost.values();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages.front(), HasSubstr("3: side input \"step\""));
  EXPECT_THAT(messages.front(), HasSubstr("is empty where a singleton has one element"));
}

// Fails for good at 5, and without a restriction for negative numbers.
struct failing_at_five {
  using output = int;
  static offset_range initial_restriction(int n) {
    if (n < 0) throw std::invalid_argument("negative");
    return {0, n};
  }
  static void process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) {
      if (i == 5) throw std::runtime_error("five");
      out(static_cast<int>(i));
    }
  }
};

TEST_P(splittable_options, elements_that_fail_go_to_the_error_output_and_what_they_gave_stands) {
  pipeline p{"p"};
  const recording<int> out;
  const recording<std::string> lost;
  const auto [good, bad] =
      p | create("numbers", std::vector<int>{7, 3, -1}) | par_do_splittable("count", failing_at_five{}, with_errors);
  good | collect("out", out);
  bad | map("text", [](const failed<int>& f) {
    return std::to_string(f.element) + " in " + f.step + ": " + f.message + ", " + std::to_string(f.attempts)
           + " attempts";
  }) | collect("lost", lost);
  auto metrics = run_on(GetParam(), p).metrics;
  EXPECT_THAT(in_order(out), ElementsAre(0, 0, 1, 1, 2, 2, 3, 4));
  EXPECT_THAT(lost.values(), UnorderedElementsAre("7 in count/process: five; not done: {5, 7}, 4 attempts",
                                                  "-1 in count/pair: negative, 4 attempts"));
  EXPECT_EQ(metrics.at("count/process").error_elements, 1U);
}

// Means a range that ends before it begins.
struct counting_backwards : counting {
  static offset_range initial_restriction(int n) { return {n, n < 5 ? 0 : n}; }
};

TEST_P(splittable_options, a_restriction_that_its_tracker_refuses_is_laid_to_the_element) {
  pipeline p{"p"};
  const recording<std::string> lost;
  const auto [good, bad] =
      p | create("numbers", std::vector<int>{7, 3}) | par_do_splittable("count", counting_backwards{}, with_errors);
  bad | map("text", [](const failed<int>& f) { return std::to_string(f.element) + " in " + f.step + ": " + f.message; })
      | collect("lost", lost);
  run_on(GetParam(), p);
  EXPECT_THAT(lost.values(), ElementsAre("3 in count/process: the offset range [3,0) ends before it begins; not done: "
                                         "{3, 0}"));

  pipeline q{"q"};
  q | create("numbers", std::vector<int>{3}) | par_do_splittable("count", counting_backwards{});
  EXPECT_THAT(failure_on(GetParam(), q), HasSubstr("step \"count/process\" failed on element (3, {3, 0})"));
}

TEST(par_do_splittable, ends_a_call_that_has_taken_longer_than_it_may_on_the_direct_runner) {
  pipeline p{"p"};
  const recording<int> out;
  const counting_in_time fn;
  p | create("in", std::vector<int>{10}) | par_do_splittable("count", fn, {.time_max = 1s}) | collect("out", out);
  run_direct(p, {.clock = [clock = fn.clock] { return timestamp{clock->load()}; }});
  EXPECT_EQ(out.values(), up_to(10));
  EXPECT_THAT(*fn.begins, ElementsAre(0, 4, 8)) << "at the claim of 4 the call has taken 1.2 s";
}

}  // namespace
}  // namespace millrace::programs::splittable_options_test
