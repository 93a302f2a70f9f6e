#include "one_step.hpp"

#include <millrace/transforms/timestamps.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace millrace::testing::timestamps_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(with_timestamps, gives_elements_of_unknown_time_any_time) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | with_timestamps("t", [](const int& x) { return at(x); }));
  auto& out = step.output<int>();
  rows<int> in{{5, -7, 5}, {}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.times, ElementsAre(at(5), at(-7), at(5)));
  EXPECT_EQ(out.addresses[0], in.values.data());
}

TEST(with_timestamps, floors_finer_time_points) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | with_timestamps("t", [](const int& x) {
                  return std::chrono::sys_time<std::chrono::microseconds>{std::chrono::microseconds{x}};
                }));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1999, -1}, {}, {}, {}});
  EXPECT_THAT(out.times, ElementsAre(at(1), at(-1)));
}

TEST(with_timestamps, moves_forward_freely_and_back_by_the_allowed_skew) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | with_timestamps("t", [](const int& x) { return at(x); }, allowed_skew{10ms}));
  auto& out = step.output<int>();
  step.feed(rows<int>{{90, 1000}, {at(100), at(100)}, {}, {}});
  EXPECT_THAT(out.times, ElementsAre(at(90), at(1000)));
  EXPECT_THROW(step.feed(rows<int>{{89}, {at(100)}, {}, {}}), element_failure);
}

TEST(with_timestamps, refuses_to_move_back_without_allowed_skew) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | with_timestamps("t", [](const int& x) { return at(x); }));
  step.output<int>();
  try {
    step.feed(rows<int>{{9}, {at(10)}, {}, {}});
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_THAT(e.what(), HasSubstr("time 9 is not allowed for an element at 10"));
  }
}

TEST(with_timestamps, refuses_times_outside_of_time) {
  pipeline p{"p"};
  auto [good, bad] =
      input_of<std::int64_t>(p) | with_timestamps("t", [](const std::int64_t& x) { return timestamp{x}; }, with_errors);
  one_step step(good);
  auto& out = step.output<std::int64_t>(0);
  auto& errors = step.output<failed<std::int64_t>>(1);
  const std::int64_t beyond = timestamp::max().millis() + 1;
  step.feed(rows<std::int64_t>{{1, beyond, 2, -beyond, 3}, {}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre(1, 2, 3));
  EXPECT_THAT(out.times, ElementsAre(at(1), at(2), at(3)));
  EXPECT_EQ(errors.values.size(), 2U);
}

}  // namespace
}  // namespace millrace::testing::timestamps_test
