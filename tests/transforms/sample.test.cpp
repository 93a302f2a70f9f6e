#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sample.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace millrace::testing::sample_test {
namespace {

using ::testing::ElementsAre;

std::vector<int> numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Samples 0..9 in accumulators of `part` values each, which are then merged.
std::vector<int> sampled(std::size_t n, std::uint64_t seed, std::size_t part) {
  const uniform_sample_of<int> fn(n, seed);
  reservoir<int> total = fn.create();
  reservoir<int> one = fn.create();
  for (const int x : numbers(10)) {
    fn.add(one, x);
    if (one.count < part) continue;
    fn.merge(total, one);
    one = fn.create();
  }
  fn.merge(total, one);
  return fn.extract(total);
}

// Each of 0..9 is in 3 of 10 samples of three: of 4000 samples it is in 1200, give or take 5 standard deviations of 29.
void expect_uniform(std::size_t part) {
  std::vector<int> times(10);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    auto one = sampled(3, seed, part);
    ASSERT_EQ(one.size(), 3U);
    std::sort(one.begin(), one.end());
    ASSERT_EQ(std::unique(one.begin(), one.end()), one.end()) << "an element was drawn twice";
    for (const int x : one) ++times[static_cast<std::size_t>(x)];
  }
  for (const int t : times) EXPECT_NEAR(t, 1200, 145);
}

TEST(uniform_sample, gives_each_element_the_same_chance) {
  expect_uniform(100);
}

TEST(uniform_sample, stays_uniform_when_parts_are_merged) {
  expect_uniform(1);
  expect_uniform(4);
  expect_uniform(7);
}

TEST(uniform_sample, counts_equal_elements_as_often_as_they_come) {
  int rare = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const uniform_sample_of<char> fn(1, seed);
    auto to = fn.create();
    for (const char x : {'a', 'a', 'b', 'a'}) fn.add(to, x);
    rare += fn.extract(to).front() == 'b' ? 1 : 0;
  }
  EXPECT_NEAR(rare, 1000, 140);  // a quarter, five standard deviations of 27
}

TEST(uniform_sample, is_the_same_for_the_same_seed_and_order) {
  EXPECT_EQ(sampled(3, 17, 4), sampled(3, 17, 4));
  EXPECT_NE(sampled(3, 17, 4), sampled(3, 18, 4));
}

TEST(uniform_sample, keeps_everything_while_there_is_room) {
  EXPECT_THAT(sampled(20, 1, 3), ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(any_sample, keeps_the_same_values_in_any_order_and_grouping) {
  const any_sample_of<std::uint16_t> fn(2);
  auto one = fn.create();
  for (const std::uint16_t x : std::vector<std::uint16_t>{9, 3, 3}) fn.add(one, x);
  auto two = fn.create();
  for (const std::uint16_t x : std::vector<std::uint16_t>{5, 1, 7}) fn.add(two, x);
  auto merged = one;
  fn.merge(merged, two);
  fn.merge(two, one);
  EXPECT_THAT(fn.extract(merged), ElementsAre(1, 3));
  EXPECT_EQ(merged, two);
}

TEST(any_sample, gives_elements_of_the_input) {
  pipeline p{"p"};
  expectations e;
  e.that("some", p | create("in", numbers(50)) | sample_any("any", 7))
      .satisfies([](const std::vector<int>& found) -> std::string {
        const bool inside = std::all_of(found.begin(), found.end(), [](int x) { return 0 <= x && x < 50; });
        return found.size() == 7 && inside ? "" : "not seven elements of the input";
      });
  e.that("few", p | create("two", {1, 2}) | sample_any("any of two", 7)).contains_in_any_order({1, 2});
  run_direct(p);
  e.verify();
}

TEST(sample, refuses_to_keep_nothing) {
  EXPECT_THROW(static_cast<void>(any_sample(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(uniform_sample(0, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace millrace::testing::sample_test
