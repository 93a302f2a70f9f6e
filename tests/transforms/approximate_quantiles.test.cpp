#include <millrace/transforms/approximate_quantiles.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace millrace::testing::approximate_quantiles_test {
namespace {

using ::testing::ElementsAre;

TEST(approximate_quantiles, divide_0_to_100_in_quarters_14_5) {
  std::vector<int> all;
  for (int i = 0; i <= 100; ++i) all.push_back((i * 37) % 101);
  pipeline p{"p"};
  expectations e;
  e.that("quarters", p | create("in", all) | approximate_quantiles_globally("quantiles", 5))
      .contains_in_any_order({std::vector<int>{0, 25, 50, 75, 100}});
  run_direct(p);
  e.verify();
}

// Feeds 0..count-1, scattered, in accumulators of `part` values that are merged; returns the quantiles.
std::vector<std::int64_t> quantiles_of_scattered(std::int64_t count, std::int64_t part, double error) {
  const quantiles_of<std::int64_t, std::less<>> fn(11, error, {});
  auto total = fn.create();
  auto one = fn.create();
  for (std::int64_t i = 0; i < count; ++i) {
    fn.add(one, i * 700001 % count);  // a prime, so that each number comes once
    if (static_cast<std::int64_t>(one.count) < part) continue;
    fn.merge(total, one);
    one = fn.create();
  }
  fn.merge(total, one);
  return fn.extract(total);
}

void expect_within(std::int64_t count, std::int64_t part, double error) {
  const auto found = quantiles_of_scattered(count, part, error);
  ASSERT_EQ(found.size(), 11U);
  EXPECT_EQ(found.front(), 0);
  EXPECT_EQ(found.back(), count - 1);
  for (std::size_t i = 1; i < 10; ++i) {
    const double rank = static_cast<double>(i) * static_cast<double>(count - 1) / 10;
    EXPECT_NEAR(static_cast<double>(found[i]), rank, error * static_cast<double>(count) + 1) << i << " of " << part;
  }
}

TEST(approximate_quantiles, stay_within_their_error) {
  expect_within(200000, 1000000, 0.01);
  expect_within(200000, 1, 0.01);
  expect_within(200000, 777, 0.01);
  expect_within(200000, 777, 0.001);
  expect_within(200000, 5000, 0.2);
}

TEST(approximate_quantiles, are_exact_for_a_thousand_values_in_any_grouping) {
  for (const std::int64_t part : {1, 10, 333, 1000}) {
    const auto found = quantiles_of_scattered(1001, part, 0.5);
    EXPECT_THAT(found, ElementsAre(0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)) << part;
  }
}

TEST(approximate_quantiles, put_what_is_no_number_last) {
  const quantiles_of<double, std::less<>> fn(3, 0.01, {});
  auto to = fn.create();
  for (const double x : {2.0, std::numeric_limits<double>::quiet_NaN(), 1.0}) fn.add(to, x);
  const auto found = fn.extract(to);
  EXPECT_EQ(found[0], 1.0);
  EXPECT_EQ(found[1], 2.0);
  EXPECT_TRUE(std::isnan(found[2]));
}

TEST(approximate_quantiles, survive_their_coder) {
  const quantiles_of<std::string, std::less<>> fn(2, 0.01, {});
  auto to = fn.create();
  for (int i = 0; i < 3000; ++i) fn.add(to, std::to_string(i));
  const auto again = decode_whole<quantile_sketch<std::string>>(encode_whole(to));
  EXPECT_THAT(fn.extract(again), ElementsAre("0", "999"));
}

TEST(approximate_quantiles, refuse_less_than_two_and_a_senseless_error) {
  EXPECT_THROW(static_cast<void>(approximate_quantiles(1)), pipeline_error);
  EXPECT_THROW(static_cast<void>(approximate_quantiles(5, {.at_most = 0})), pipeline_error);
  EXPECT_THROW(static_cast<void>(approximate_quantiles(5, {.at_most = 0.6})), pipeline_error);
}

}  // namespace
}  // namespace millrace::testing::approximate_quantiles_test
