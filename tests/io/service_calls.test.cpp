#include <millrace/io/lookup_cache.hpp>
#include <millrace/io/service_calls.hpp>

#include <gtest/gtest.h>

#include <string>

namespace millrace::service_calls_test {
namespace {

using namespace std::chrono_literals;

timestamp second(std::int64_t s) {
  return timestamp{s * 1000};
}

TEST(service_retries, wait_twice_as_long_each_time_up_to_a_limit) {
  const service_retries policy{.attempts_max = 9, .wait_first = 100ms, .wait_most = 500ms};
  service_draws draws(1);
  const duration whole[] = {100ms, 200ms, 400ms, 500ms, 500ms};
  for (std::uint32_t failed = 1; failed <= 5; ++failed) {
    const duration d = wait_after(failed, policy, draws);
    EXPECT_GE(d, whole[failed - 1] / 2);
    EXPECT_LE(d, whole[failed - 1]);
  }
  service_draws same(7);
  service_draws again(7);
  EXPECT_EQ(wait_after(3, policy, same), wait_after(3, policy, again));
}

TEST(adaptive_throttle, holds_nothing_back_while_half_of_the_calls_are_accepted) {
  adaptive_throttle throttle;
  for (int i = 0; i < 20; ++i) throttle.called(second(1), i % 2 == 0);
  EXPECT_EQ(throttle.probability(second(1)), 0);
}

TEST(adaptive_throttle, holds_back_in_proportion_to_refusals_and_forgets_them) {
  adaptive_throttle throttle;
  for (int i = 0; i < 9; ++i) throttle.called(second(1), false);
  EXPECT_DOUBLE_EQ(throttle.probability(second(1)), 0.9);  // 9 / 10
  throttle.called(second(2), true);
  EXPECT_DOUBLE_EQ(throttle.probability(second(2)), 8.0 / 11);
  EXPECT_EQ(throttle.probability(second(31)), 0) << "only the accepted call of second 2 is left";
}

TEST(adaptive_throttle, holds_nothing_back_before_it_has_seen_some_calls) {
  adaptive_throttle throttle;
  for (int i = 0; i < 7; ++i) throttle.called(second(1), false);
  EXPECT_EQ(throttle.probability(second(1)), 0);
  throttle.called(second(1), false);
  EXPECT_DOUBLE_EQ(throttle.probability(second(1)), 8.0 / 9);
}

TEST(adaptive_throttle, counts_what_it_holds_back) {
  adaptive_throttle throttle;
  service_draws draws(3);
  for (int i = 0; i < 99; ++i) throttle.called(second(1), false);
  int held = 0;
  for (int i = 0; i < 1000; ++i) held += throttle.holds_back(second(1), draws) ? 1 : 0;
  EXPECT_GT(held, 990);
  EXPECT_LT(held, 1000) << "the service is asked now and then";
}

TEST(lookup_cache, forgets_after_its_time_and_what_was_used_least_recently) {
  lookup_cache<int> cache(2, 10s);
  cache.put("a", 1, second(0));
  cache.put("b", 2, second(5));
  ASSERT_NE(cache.find("a", second(9)), nullptr);
  cache.put("c", 3, second(9));
  EXPECT_EQ(cache.find("b", second(9)), nullptr) << "a was used after b";
  EXPECT_EQ(*cache.find("a", second(9)), 1);
  EXPECT_EQ(cache.find("a", second(10)), nullptr);
  EXPECT_EQ(cache.size(), 1U);
  cache.put("c", 4, second(11));
  EXPECT_EQ(*cache.find("c", second(20)), 4);
}

}  // namespace
}  // namespace millrace::service_calls_test
