#include "one_step.hpp"

#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace millrace::testing::flatten_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const pipeline_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(flatten, takes_collections_in_order_and_the_same_one_twice) {
  pipeline p{"p"};
  const auto a = input_of<int>(p, "a");
  const auto b = input_of<int>(p, "b", false);
  const auto all = flatten("all", a, b, a);
  const node& n = p.description().at(2);
  EXPECT_EQ(n.spec->kind(), operator_kind::flatten);
  EXPECT_THAT(n.inputs, ElementsAre(a.id(), b.id(), a.id()));
  EXPECT_FALSE(all.bounded()) << "one input is unbounded";
  EXPECT_NE(std::string(n.where.file_name()).find("flatten.test.cpp"), std::string::npos);
}

TEST(flatten, takes_the_windowing_of_the_first_input) {
  pipeline p{"p"};
  const auto a = input_of<int>(p, "a") | window_into("wa", {.into = fixed(10ms)});
  const auto b = input_of<int>(p, "b")
                 | window_into("wb", {.into = fixed(10ms), .keep = panes::discarding, .allowed_lateness = 5s});
  const auto all = flatten("all", a, b);
  EXPECT_EQ(all.windowing(), a.windowing());
}

TEST(flatten, refuses_inputs_that_are_windowed_differently) {
  pipeline p{"p"};
  const auto a = input_of<int>(p, "a") | window_into("wa", {.into = fixed(10ms)});
  const auto b = input_of<int>(p, "b") | window_into("wb", {.into = fixed(20ms)});
  const std::string error = error_of([&] { (void)flatten("all", a, b); });
  EXPECT_THAT(error, HasSubstr("transform \"all\""));
  EXPECT_THAT(error, HasSubstr("fixed(10ms)"));
  EXPECT_THAT(error, HasSubstr("fixed(20ms)"));
}

TEST(flatten, refuses_inputs_with_different_triggers) {
  pipeline p{"p"};
  const auto a = input_of<int>(p, "a") | window_into("wa", {.into = fixed(10ms)});
  const auto b =
      input_of<int>(p, "b")
      | window_into("wb",
                    {.into = fixed(10ms), .fire = each_element{}, .keep = panes::discarding, .allowed_lateness = 0s});
  EXPECT_THAT(error_of([&] { (void)flatten("all", a, b); }), HasSubstr("windowed differently"));
}

TEST(flatten, accepts_sessions_with_sessions) {
  pipeline p{"p"};
  const auto a = input_of<int>(p, "a") | window_into("wa", {.into = sessions(10ms)});
  const auto b = input_of<int>(p, "b") | window_into("wb", {.into = sessions(20ms)});
  EXPECT_EQ(error_of([&] { (void)flatten("all", a, b); }), "no error");
}

TEST(flatten, refuses_collections_of_different_pipelines) {
  pipeline p{"p"};
  pipeline q{"q"};
  const auto a = input_of<int>(p);
  const auto b = input_of<int>(q);
  EXPECT_THAT(error_of([&] { (void)flatten("all", a, b); }), HasSubstr("different pipelines"));
}

TEST(flatten, of_nothing_is_empty_when_its_type_is_named) {
  pipeline p{"p"};
  const auto none = flatten<int>(p, "none");
  EXPECT_TRUE(none.bounded());
  EXPECT_TRUE(p.description().at(0).inputs.empty());
  EXPECT_THAT(error_of([&] { (void)flatten("nothing", std::vector<pcollection<int>>{}); }),
              HasSubstr("nothing to flatten"));
}

}  // namespace
}  // namespace millrace::testing::flatten_test
