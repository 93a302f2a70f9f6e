#include "one_step.hpp"

#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace millrace::testing::window_into_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<timestamp> times_of(std::initializer_list<std::int64_t> millis) {
  std::vector<timestamp> times;
  for (const auto m : millis) times.push_back(at(m));
  return times;
}

TEST(window_into, gives_a_batch_in_one_window_a_single_context_and_copies_nothing) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = fixed(10ms)}));
  auto& out = step.output<int>();
  rows<int> in{{1, 2, 3}, times_of({10, 19, 12}), {window::global(), {4, 4, pane_timing::late, false, false}}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre(1, 2, 3));
  EXPECT_EQ(out.addresses[0], in.values.data());
  EXPECT_FALSE(out.coded[0]);
  EXPECT_EQ(out.contexts[0], (context{win(10, 20), pane_info{}}));
  EXPECT_EQ(step.metrics.elements_out, 3U);
}

TEST(window_into, gives_a_batch_across_windows_codes) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = fixed(10ms)}));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1, 2, 3, 4}, times_of({9, 10, 5, -1}), {}, {}});
  EXPECT_THAT(out.batches, ElementsAre(4U));
  EXPECT_THAT(out.dictionaries, ElementsAre(3U));
  EXPECT_EQ(out.contexts[0].windows, window_set{win(0, 10)});
  EXPECT_EQ(out.contexts[1].windows, window_set{win(10, 20)});
  EXPECT_EQ(out.contexts[2].windows, window_set{win(0, 10)});
  EXPECT_EQ(out.contexts[3].windows, window_set{win(-10, 0)});
}

TEST(window_into, splits_a_batch_with_more_windows_than_codes) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = sessions(10ms)}));
  auto& out = step.output<int>();
  rows<int> in;
  for (int i = 0; i < 512; ++i) {
    in.values.push_back(i);
    in.times.push_back(at(1000 - i));
  }
  step.feed(in.as_batch());
  EXPECT_THAT(out.batches, ElementsAre(256U, 256U));
  for (std::size_t i = 0; i < 512; ++i) {
    EXPECT_EQ(out.values[i], static_cast<int>(i));
    const auto start = 1000 - static_cast<std::int64_t>(i);
    EXPECT_EQ(out.contexts[i].windows.front(), win(start, start + 10));
  }
}

TEST(window_into, gives_an_element_all_of_its_sliding_windows) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = sliding(10ms, 5ms)}));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1, 2}, times_of({7, -1}), {}, {}});
  const window at_7[] = {win(5, 15), win(0, 10)};
  const window before_0[] = {win(-5, 5), win(-10, 0)};
  EXPECT_EQ(out.contexts[0].windows, window_set{at_7});
  EXPECT_EQ(out.contexts[1].windows, window_set{before_0});
}

TEST(window_into, lets_elements_without_a_window_end) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = sliding(5ms, 10ms)}));
  auto& out = step.output<int>();
  step.feed(rows<int>{{1, 2, 3}, times_of({3, 7, 14}), {}, {}});
  EXPECT_THAT(out.values, ElementsAre(1, 3));
  step.feed(rows<int>{{4}, times_of({8}), {}, {}});
  EXPECT_THAT(out.values, ElementsAre(1, 3));
  EXPECT_EQ(out.contexts[1].windows, window_set{win(10, 15)});
  EXPECT_EQ(step.metrics.elements_out, 2U);
}

TEST(window_into, keeps_to_the_selection) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | window_into("w", {.into = fixed(10ms)}));
  auto& out = step.output<int>();
  rows<int> in{{1, 2, 3, 4}, times_of({1, 11, 21, 31}), {}, {}};
  batch<int> b = in.as_batch();
  const std::uint16_t chosen[] = {1, 3};
  b.selected = chosen;
  b.count = 2;
  step.feed(b);
  EXPECT_THAT(out.values, ElementsAre(2, 4));
  EXPECT_EQ(out.contexts[1].windows, window_set{win(30, 40)});
}

TEST(window_into, composes_the_windowing_of_its_output) {
  pipeline p{"p"};
  const auto a =
      input_of<int>(p) | window_into("a", {.into = fixed(10ms), .keep = panes::discarding, .allowed_lateness = 60s});
  const auto b = a | window_into("b", {.into = fixed(20ms), .keep = panes::accumulating, .allowed_lateness = 10s});
  EXPECT_EQ(b.windowing().into, fixed(20ms));
  EXPECT_EQ(b.windowing().allowed_lateness, 60s);
  EXPECT_EQ(b.windowing().keep, panes::accumulating);
}

TEST(window_into, leaves_elements_alone_when_it_only_configures) {
  pipeline p{"p"};
  const auto windowed = input_of<int>(p) | window_into("a", {.into = fixed(10ms)});
  one_step step(windowed | window_into("b", {.keep = panes::accumulating, .allowed_lateness = 10s}));
  auto& out = step.output<int>();
  const context c{win(0, 10), {1, 1, pane_timing::late, false, false}};
  step.feed(rows<int>{{1}, times_of({55}), c, {}});
  EXPECT_EQ(out.contexts[0], c);
}

TEST(window_into, refuses_unsound_strategies_by_the_path_of_the_step) {
  pipeline p{"p"};
  const auto in = input_of<int>(p);
  try {
    in | composite("outer", [](const auto& c) {
      return c | window_into("w", {.into = fixed(10ms), .fire = repeatedly(after_count(2)), .keep = panes::discarding});
    });
    FAIL();
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("transform \"outer/w\": "));
  }
}

}  // namespace
}  // namespace millrace::testing::window_into_test
