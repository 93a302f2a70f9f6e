#include <millrace/transforms/approximate_distinct.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace millrace::testing::approximate_distinct_test {
namespace {

using ::testing::HasSubstr;

// How far off the estimate of `count` different numbers is, as a part of them.
double error_of(std::size_t sample, std::int64_t count, std::int64_t first) {
  const distinct_estimate_of<std::int64_t> fn(sample);
  auto to = fn.create();
  for (std::int64_t i = 0; i < count; ++i) fn.add(to, first + i);
  for (std::int64_t i = 0; i < count; i += 3) fn.add(to, first + i);
  return std::abs(static_cast<double>(fn.extract(to)) / static_cast<double>(count) - 1);
}

TEST(approximate_distinct, is_exact_below_the_size_of_its_sample) {
  EXPECT_EQ(error_of(100, 99, 0), 0);
  EXPECT_EQ(error_of(16, 15, -7), 0);
}

TEST(approximate_distinct, is_off_by_two_standard_deviations_in_few_of_many_cases) {
  for (const std::size_t sample : {16U, 256U, 4096U}) {
    int outside = 0;
    for (std::int64_t run = 0; run < 100; ++run)
      outside += error_of(sample, 10000, run * 1000000) > 2 / std::sqrt(static_cast<double>(sample)) ? 1 : 0;
    EXPECT_LE(outside, 10) << sample;  // about 5 are expected
  }
}

TEST(approximate_distinct, does_not_depend_on_order_or_grouping) {
  const distinct_estimate_of<int> fn(16);
  auto whole = fn.create();
  auto front = fn.create();
  auto back = fn.create();
  for (int i = 0; i < 1000; ++i) fn.add(whole, i);
  for (int i = 600; i >= 0; --i) fn.add(front, i);
  for (int i = 300; i < 1000; ++i) fn.add(back, i);
  fn.merge(back, front);
  EXPECT_EQ(back, whole);
}

TEST(approximate_distinct, counts_per_key_and_globally) {
  using row = kv<std::string, int>;
  using counted = kv<std::string, std::uint64_t>;
  pipeline p{"p"};
  expectations e;
  const auto in = p | create("in", {row{"a", 1}, row{"a", 1}, row{"a", 2}, row{"b", 1}});
  e.that("per key", in | approximate_distinct_per_key("of key", 16))
      .contains_in_any_order({counted{"a", 2}, counted{"b", 1}});
  e.that("globally", in | approximate_distinct_globally("of all", 16)).contains_in_any_order({std::uint64_t{3}});
  run_direct(p);
  e.verify();
}

TEST(approximate_distinct, names_the_step_whose_sample_is_too_small_14_5) {
  try {
    static_cast<void>(approximate_distinct_globally("visitors", 15));
    FAIL() << "15 was taken";
  } catch (const pipeline_error& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("\"visitors\""));
    EXPECT_THAT(fault.what(), HasSubstr("a sample of 15 hashes is too small; give 16 to"));
  }
}

}  // namespace
}  // namespace millrace::testing::approximate_distinct_test
