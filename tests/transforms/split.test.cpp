#include "one_step.hpp"

#include <millrace/transforms/split.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <variant>

namespace millrace::testing::split_test {
namespace {

using ::testing::ElementsAre;
using choice = std::variant<int, std::string>;

choice parse(const std::string& s) {
  if (s == "throw") throw std::runtime_error("thrown");
  if (s.size() == 1) return s[0] - '0';
  return s + std::string(30, '.');
}

TEST(split, sends_each_alternative_to_its_output_with_its_stamp) {
  pipeline p{"p"};
  auto [numbers, texts] = input_of<std::string>(p) | split("parse", parse);
  one_step step(numbers);
  auto& ints = step.output<int>(0);
  auto& strings = step.output<std::string>(1);
  step.feed(rows<std::string>{{"1", "ab", "2", "cd"}, {at(1), at(2), at(3), at(4)}, {win(0, 10), {}}, {}});
  EXPECT_THAT(ints.values, ElementsAre(1, 2));
  EXPECT_THAT(ints.times, ElementsAre(at(1), at(3)));
  EXPECT_THAT(strings.values, ElementsAre("ab" + std::string(30, '.'), "cd" + std::string(30, '.')));
  EXPECT_THAT(strings.times, ElementsAre(at(2), at(4)));
  EXPECT_EQ(texts.id(), numbers.id() + 1);
}

TEST(split, hands_alternatives_on_where_they_lie) {
  pipeline p{"p"};
  auto [numbers, texts] = input_of<std::string>(p) | split("parse", parse);
  one_step step(numbers);
  step.output<int>(0);
  auto& strings = step.output<std::string>(1);
  step.feed(rows<std::string>{{"ab", "1", "cd"}, {}, {}, {}});
  const auto distance =
      reinterpret_cast<const char*>(strings.addresses[1]) - reinterpret_cast<const char*>(strings.addresses[0]);
  EXPECT_EQ(distance, static_cast<std::ptrdiff_t>(2 * sizeof(choice)));
}

TEST(split, keeps_to_the_selection) {
  pipeline p{"p"};
  auto [numbers, texts] = input_of<std::string>(p) | split("parse", parse);
  one_step step(numbers);
  auto& ints = step.output<int>(0);
  auto& strings = step.output<std::string>(1);
  rows<std::string> in{{"throw", "2", "throw", "xy"}, {}, {}, {}};
  batch<std::string> b = in.as_batch();
  const std::uint16_t chosen[] = {1, 3};
  b.selected = chosen;
  b.count = 2;
  step.feed(b);
  EXPECT_THAT(ints.values, ElementsAre(2));
  EXPECT_THAT(strings.values, ElementsAre("xy" + std::string(30, '.')));
}

TEST(split, names_the_element_that_fails) {
  pipeline p{"p"};
  auto [numbers, texts] = input_of<std::string>(p) | split("parse", parse);
  one_step step(numbers);
  step.output<int>(0);
  step.output<std::string>(1);
  try {
    step.feed(rows<std::string>{{"ab", "throw"}, {}, {}, {}});
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_EQ(e.element(), "\"throw\" @min");
  }
}

}  // namespace
}  // namespace millrace::testing::split_test
