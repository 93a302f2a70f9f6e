#include "plain_runs.hpp"

#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

// What a shard may hold in side inputs, and in elements that wait for them, on both runners.
namespace millrace::programs::side_budget_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using text = std::string;
using number = std::int64_t;

text padded(number n) {
  return text(100, 'x') + std::to_string(n);
}

class side_budget : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, side_budget, each_runner(), runner_name);

// Sums the numbers behind the padding.
number sum_of_all(number x, const element_range<text>& all) {
  for (const text& one : all) x += std::stoll(one.substr(100));
  return x;
}

TEST_P(side_budget, an_iterable_of_many_blocks_is_read_in_pieces) {
  recording<number> sums;
  pipeline p("large");
  const auto all =
      p | sequence("side numbers", {.to = 20'000}) | map("pad", padded) | as_iterable("all");  // two million bytes
  p | create("main", {number{1}, number{2}}) | map("sum", sum_of_all, with(all)) | collect("sums", sums);
  run_on(GetParam(), p);
  auto values = values_of(sums);
  std::ranges::sort(values);
  EXPECT_THAT(values, ElementsAre(199'990'001, 199'990'002));
}

TEST_P(side_budget, contents_beyond_it_fail_the_job) {
  recording<number> sums;
  pipeline p("beyond");
  const auto all = p | sequence("side numbers", {.to = 5000}) | map("pad", padded) | as_iterable("everything");
  p | create("main", {number{1}}) | map("sum", sum_of_all, with(all)) | collect("sums", sums);
  EXPECT_THAT(failure_on(GetParam(), p, 100'000),
              AllOf(HasSubstr("step \"sum\": side input \"everything\" takes "), HasSubstr("--side_input_bytes"),
                    HasSubstr("enrich"), HasSubstr("co_group_by_key")));
}

const windowing hours{.into = fixed(std::chrono::hours(1))};

// A side input that is ready only when the main input has been read whole: each comes from a test stream.
pcollection<number> late_side(pipeline& p) {
  return p | test_stream<number>("side").advance_processing_time(duration{1}).add({7}).advance_watermark_to_infinity()
         | window_into("side hours", hours);
}

TEST_P(side_budget, elements_that_wait_beyond_it_fail_the_job) {
  recording<text> out;
  pipeline p("waiting");
  const auto seven = late_side(p) | as_singleton("seven");
  p | test_stream<text>("main").add({padded(1), padded(2), padded(3)}).advance_watermark_to_infinity()
      | window_into("hours", hours)
      | map("wait", [](const text& x, number n) { return x + std::to_string(n); }, with(seven)) | collect("out", out);
  EXPECT_THAT(failure_on(GetParam(), p, 300),
              AllOf(HasSubstr("step \"wait\": "), HasSubstr("bytes of elements wait for side input \"seven\""),
                    HasSubstr("--side_input_bytes")));
  EXPECT_EQ(failure_on(GetParam(), p, 10'000), "it did not fail");
}

// A stateful function whose elements wait.
class waiting_with_state {
 public:
  using output = number;
  void process(const kv<number, text>& x, const number& n, emitter<number>& out) {
    count_.set(count_.get() + 1);
    out(x.key + n + count_.get());
  }
  auto cells() { return std::tie(count_); }

 private:
  value_state<number> count_{"count"};
};

TEST_P(side_budget, elements_of_a_stateful_function_that_wait_beyond_it_fail_the_job) {
  pipeline p("waiting with state");
  const auto seven = late_side(p) | as_singleton("seven");
  p | test_stream<text>("main").add({padded(1), padded(2), padded(3)}).advance_watermark_to_infinity()
      | window_into("hours", hours) | with_keys("key", [](const text& /*x*/) { return number{1}; })
      | par_do("count", waiting_with_state{}, with(seven));
  EXPECT_THAT(failure_on(GetParam(), p, 300),
              AllOf(HasSubstr("step \"count\": "), HasSubstr("bytes of elements wait for side input \"seven\"")));
  EXPECT_EQ(failure_on(GetParam(), p, 10'000), "it did not fail");
}

// Ten numbers a second are the side input; the main input is there at once and far larger than what may wait.
struct slow_view {
  recording<number> out;
  pipeline p{"slow view"};
  slow_view() {
    const auto all = p | sequence("side numbers", {.to = 20, .rate = 10}) | as_iterable("all");
    p | sequence("main numbers", {.to = 50'000})
        | map(
            "add", [](number x, const element_range<number>& side) { return x + static_cast<number>(side.size()); },
            with(all))
        | collect("out", out);
  }
  void expect_all() {
    auto values = values_of(out);
    std::ranges::sort(values);
    ASSERT_EQ(values.size(), 50'000U);
    EXPECT_EQ(values.front(), 20);
    EXPECT_EQ(values.back(), 50'019);
  }
};

TEST(side_budget_of_a_reader, makes_reading_pause_until_the_side_input_is_ready) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    slow_view slow;
    const auto result = simulate(slow.p, {.seed = seed, .job = {.shards = 2, .side_input_bytes = 50'000}});
    ASSERT_TRUE(result.report.succeeded()) << result.report.error;
    slow.expect_all();
    for (const shard_report& s : result.report.shards)
      EXPECT_LT(s.queued_bytes_max, 1'000'000U) << s.stage << ", with more than all main numbers waiting";
  }
}

TEST(side_budget_of_a_reader, makes_reading_pause_on_the_direct_runner_where_steps_are_fused) {
  slow_view slow;
  run_direct(slow.p, {.fuse = true, .side_input_bytes = 50'000});
  slow.expect_all();
}

}  // namespace
}  // namespace millrace::programs::side_budget_test
