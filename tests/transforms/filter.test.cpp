#include "one_step.hpp"

#include <millrace/transforms/filter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace millrace::testing::filter_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct reading {
  int celsius = 0;
  bool valid = false;
};

TEST(filter, narrows_the_selection_and_copies_nothing) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | filter("even", [](const int& x) { return x % 2 == 0; }));
  auto& out = step.output<int>();
  rows<int> in{{1, 2, 3, 4}, {at(1), at(2), at(3), at(4)}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre(2, 4));
  EXPECT_THAT(out.times, ElementsAre(at(2), at(4)));
  EXPECT_THAT(out.addresses, ElementsAre(&in.values[1], &in.values[3]));
  EXPECT_EQ(step.metrics.elements_in, 4U);
  EXPECT_EQ(step.metrics.elements_out, 2U);
}

TEST(filter, filters_what_a_filter_has_left) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | filter("small", [](const int& x) { return x < 5; }));
  auto& out = step.output<int>();
  rows<int> in{{1, 7, 3, 9, 4}, {}, {}, {}};
  batch<int> b = in.as_batch();
  const std::uint16_t chosen[] = {1, 2, 4};
  b.selected = chosen;
  b.count = 3;
  step.feed(b);
  EXPECT_THAT(out.values, ElementsAre(3, 4));
}

TEST(filter, passes_nothing_on_when_nothing_is_left) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | filter("none", [](const int&) { return false; }));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1, 2}, {}, {}, {}});
  EXPECT_THAT(out.batches, IsEmpty());
}

TEST(filter, takes_a_pointer_to_a_bool_member) {
  pipeline p{"p"};
  one_step step(input_of<reading>(p) | filter("valid", &reading::valid));
  auto& out = step.output<reading>();
  step.feed(rows<reading>{{{1, true}, {2, false}, {3, true}}, {}, {}, {}});
  ASSERT_EQ(out.values.size(), 2U);
  EXPECT_EQ(out.values[1].celsius, 3);
}

TEST(filter, resumes_behind_elements_that_fail_for_good) {
  pipeline p{"p"};
  auto [kept, bad] = input_of<int>(p)
                     | filter(
                         "positive",
                         [](const int& x) {
                           if (x == 0) throw std::runtime_error("zero");
                           return x > 0;
                         },
                         with_errors);
  one_step step(kept);
  auto& out = step.output<int>(0);
  auto& errors = step.output<failed<int>>(1);
  step.feed(rows<int>{{1, 0, -1, 2, 0}, {at(1), at(2), at(3), at(4), at(5)}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre(1, 2));
  EXPECT_THAT(out.times, ElementsAre(at(1), at(4)));
  EXPECT_THAT(errors.times, ElementsAre(at(2), at(5)));
  EXPECT_EQ(errors.values[0].attempts, 4U);
}

}  // namespace
}  // namespace millrace::testing::filter_test
