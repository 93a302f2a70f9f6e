#include "one_step.hpp"

#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/partition.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::testing::partition_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(partition, sends_each_element_to_the_output_of_its_number) {
  pipeline p{"p"};
  const auto parts = input_of<int>(p) | partition<3>("by remainder", [](int x) { return x % 3; });
  one_step step(parts[0]);
  auto& zero = step.output<int>(0);
  auto& one = step.output<int>(1);
  auto& two = step.output<int>(2);
  rows<int> in{{3, 1, 4, 6, 7}, {at(10), at(20), at(30), at(40), at(50)}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(zero.values, ElementsAre(3, 6));
  EXPECT_THAT(zero.times, ElementsAre(at(10), at(40)));
  EXPECT_THAT(zero.addresses, ElementsAre(&in.values[0], &in.values[3])) << "elements stay where they are";
  EXPECT_THAT(one.values, ElementsAre(1, 4, 7));
  EXPECT_TRUE(two.batches.empty());
  EXPECT_EQ(step.metrics.elements_in, 5);
  EXPECT_EQ(step.metrics.elements_out, 5);
}

TEST(partition, takes_any_number_of_outputs_at_run_time) {
  pipeline p{"p"};
  const auto parts = p | create("in", {5, 1, 5, 9}) | partition("by itself", 10, [](int x) { return x; });
  ASSERT_EQ(parts.size(), 10U);
  expectations e;
  e.that("fives", parts[5]).contains_in_any_order({5, 5});
  e.that("nines", parts[9]).contains_in_any_order({9});
  e.that("none", parts[0]).is_empty();
  run_direct(p);
  e.verify();
}

std::string failure_of(int number) {
  pipeline p{"p"};
  const auto parts = p | create("in", {number}) | partition<2>("halves", [](int x) { return x; });
  static_cast<void>(parts);
  try {
    run_direct(p);
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return {};
}

TEST(partition, names_step_element_number_and_remedy_for_a_number_without_an_output) {
  EXPECT_THAT(failure_of(2), HasSubstr("halves"));
  EXPECT_THAT(failure_of(2),
              HasSubstr("the function gave output 2, but the outputs are 0 to 1; give a number of them"));
  EXPECT_THAT(failure_of(-1), HasSubstr("the function gave output -1"));
  EXPECT_EQ(failure_of(1), "");
}

TEST(partition, sends_wrong_numbers_to_the_error_output) {
  pipeline p{"p"};
  const auto [parts, errors] =
      p | create("in", {1, 7, 0, 8, 1}) | partition<2>("halves", [](int x) { return x; }, with_errors);
  expectations e;
  e.that("ones", parts[1]).contains_in_any_order({1, 1});
  e.that("zeros", parts[0]).contains_in_any_order({0});
  const auto wrong = errors | map("which", [](const failed<int>& f) { return f.element; });
  e.that("wrong", wrong).contains_in_any_order({7, 8});
  run_direct(p);
  e.verify();
}

TEST(partition, refuses_to_have_no_outputs) {
  pipeline p{"p"};
  const auto in = input_of<int>(p);
  EXPECT_THROW(static_cast<void>(in | partition("none", 0, [](int x) { return x; })), pipeline_error);
}

}  // namespace
}  // namespace millrace::testing::partition_test
