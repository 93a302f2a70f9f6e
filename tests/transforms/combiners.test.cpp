#include <millrace/transforms/combiners.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace millrace::combiners_test {
namespace {

using ::testing::ElementsAre;

// The accumulator of some values.
template <class Fn, class T>
auto of_values(const Fn& fn, const std::vector<T>& values) {
  auto acc = fn.create();
  for (const T& v : values) fn.add(acc, v);
  return acc;
}

TEST(combiners, sum_wraps_around_and_starts_at_zero) {
  const sum_of<std::int32_t> fn;
  EXPECT_EQ(fn.extract(fn.create()), 0);
  EXPECT_EQ(fn.extract(of_values(fn, std::vector<std::int32_t>{5, -7})), -2);
  EXPECT_EQ(fn.extract(of_values(fn, std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(), 1})),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((sum_of<double>{}.extract(of_values(sum_of<double>{}, std::vector<double>{0.5, 0.25}))), 0.75);
}

TEST(combiners, mean_is_exact_in_integers_and_has_no_result_for_none) {
  const mean_of<std::int32_t> fn;
  auto acc = fn.create();
  EXPECT_FALSE(fn.has_result(acc));
  acc = of_values(fn, std::vector<std::int32_t>{2'000'000'000, 2'000'000'001});
  EXPECT_EQ(fn.extract(acc), 2'000'000'000.5);
  fn.merge(acc, of_values(fn, std::vector<std::int32_t>{-4'000'00}));
  EXPECT_EQ(acc.count, 3U);
}

TEST(combiners, least_and_greatest_of_numbers_and_text) {
  const auto least = detail::combine_fn_for<std::int64_t>(min);
  const auto greatest = detail::combine_fn_for<std::string>(max);
  EXPECT_FALSE(least.has_result(least.create()));
  EXPECT_EQ(least.extract(of_values(least, std::vector<std::int64_t>{3, -9, 4})), -9);
  EXPECT_EQ(greatest.extract(of_values(greatest, std::vector<std::string>{"b", "c", "a"})), "c");
  auto merged = least.create();
  least.merge(merged, least.create());
  EXPECT_FALSE(least.has_result(merged));
}

TEST(combiners, numbers_come_before_what_is_not_a_number) {
  const auto least = detail::combine_fn_for<double>(min);
  EXPECT_EQ(least.extract(of_values(least, std::vector<double>{std::nan(""), 2.0})), 2.0);
  EXPECT_EQ(least.extract(of_values(least, std::vector<double>{2.0, std::nan("")})), 2.0);
}

TEST(combiners, top_keeps_the_greatest_in_order_14_6) {
  const auto two = detail::combine_fn_for<std::int64_t>(top(2));
  EXPECT_THAT(two.extract(of_values(two, std::vector<std::int64_t>{5, 1, 4})), ElementsAre(5, 4));
  const auto five = detail::combine_fn_for<std::int64_t>(top(5));
  EXPECT_THAT(five.extract(of_values(five, std::vector<std::int64_t>{1})), ElementsAre(1));
  EXPECT_THROW(static_cast<void>(top(0)), std::invalid_argument);
}

TEST(combiners, top_merges_the_lists_of_workers_8_6) {
  const auto two = detail::combine_fn_for<std::int64_t>(top(2));
  auto acc = of_values(two, std::vector<std::int64_t>{5, 1});
  two.merge(acc, of_values(two, std::vector<std::int64_t>{4}));
  two.merge(acc, two.create());
  EXPECT_THAT(two.extract(acc), ElementsAre(5, 4));
}

TEST(combiners, top_breaks_ties_alike_in_every_order) {
  using named = kv<std::int64_t, std::string>;
  const auto fn = detail::combine_fn_for<named>(top(2, [](const named& a, const named& b) { return a.key < b.key; }));
  std::vector<named> values{{1, "d"}, {2, "c"}, {2, "a"}, {2, "b"}};
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(fn.extract(of_values(fn, values)), ElementsAre(named{2, "a"}, named{2, "b"}));
    std::shuffle(values.begin(), values.end(), random);
  }
}

TEST(combiners, take_the_type_of_their_input_from_the_collection) {
  static_assert(std::is_same_v<detail::combine_fn_for_t<int, decltype(&sum)>, sum_of<int>>);
  static_assert(std::is_same_v<detail::combine_fn_for_t<int, decltype(sum())>, sum_of<int>>);
  static_assert(std::is_same_v<detail::combine_fn_for_t<int, sum_of<long>>, sum_of<long>>);
  static_assert(combine_fn<sum_of<int>, int>);
  static_assert(!combine_fn<int, int>);
}

TEST(combiners, a_partial_result_keeps_its_accumulator_and_elements) {
  const partial<std::string> part{3, "abc"};
  writer to;
  coder<partial<std::string>>::encode(to, part);
  reader from(to.bytes());
  const auto back = coder<partial<std::string>>::decode(from);
  EXPECT_EQ(back.elements, 3U);
  EXPECT_EQ(back.accumulator, "abc");
}

}  // namespace
}  // namespace millrace::combiners_test
