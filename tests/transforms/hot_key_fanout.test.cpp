#include <millrace/transforms/approximate_quantiles.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/hot_key_fanout.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace millrace::testing::hot_key_fanout_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using row = kv<std::string, std::int64_t>;

std::vector<row> values_of_two_keys() {
  std::vector<row> all;
  for (std::int64_t i = 1; i <= 500; ++i) all.push_back({i % 50 == 0 ? "rare" : "hot", i * 37 % 501});
  return all;
}

// Expects the same of a combine function with and without fan-out.
template <class Fn>
void expect_same(const Fn& fn) {
  const auto result = [&](bool spread) {
    pipeline p{"p"};
    const auto in = p | create("in", values_of_two_keys());
    const auto combined =
        spread ? in | combine_per_key("combine", fn, with_hot_key_fanout(7)) : in | combine_per_key("combine", fn);
    recording<typename decltype(combined)::element> found;
    combined | collect("found", found);
    run_direct(p);
    auto values = found.values();
    std::sort(values.begin(), values.end());
    return values;
  };
  EXPECT_EQ(result(true), result(false));
  EXPECT_EQ(result(true).size(), 2U);
}

TEST(hot_key_fanout, gives_the_same_for_every_combine_function) {
  expect_same(sum());
  expect_same(count());
  expect_same(mean());
  expect_same(millrace::min());
  expect_same(top(3));
  expect_same(approximate_quantiles(5));
}

TEST(hot_key_fanout, takes_a_function_of_the_key) {
  pipeline p{"p"};
  std::vector<std::string> asked;
  const auto parts = [](const std::string& key) { return key == "hot" ? 16 : 1; };
  expectations e;
  e.that("counts", p | create("in", values_of_two_keys())
                       | combine_per_key("count", by(&row::key), of(&row::value), count, with_hot_key_fanout(parts)))
      .contains_in_any_order({kv<std::string, std::uint64_t>{"hot", 490}, kv<std::string, std::uint64_t>{"rare", 10}});
  run_direct(p);
  e.verify();
}

TEST(hot_key_fanout, combines_globally_with_and_without_defaults) {
  pipeline p{"p"};
  expectations e;
  e.that("sum", p | create("in", {1, 2, 3}) | combine_globally("sum of all", sum, with_hot_key_fanout(2)))
      .contains_in_any_order({6});
  const auto none = p | create<int>("none", {});
  e.that("default", none | combine_globally("sum of none", sum, with_hot_key_fanout(2))).contains_in_any_order({0});
  e.that("nothing", none | combine_globally("sum of nothing", sum, without_defaults, with_hot_key_fanout(2)))
      .is_empty();
  run_direct(p);
  e.verify();
}

auto singles(pipeline& p) {
  test_stream<row> in("in");
  for (std::int64_t i = 1; i <= 5; ++i) in.add_at(timestamp{i}, {row{"k", i}});
  return p | in.advance_watermark_to_infinity();
}

TEST(hot_key_fanout, counts_nothing_twice_in_accumulating_panes_8_3) {
  pipeline p{"p"};
  expectations e;
  const auto sums =
      singles(p)
      | window_into("windows", {.fire = each_element{}, .keep = panes::accumulating, .closing = fires::always})
      | combine_per_key("sum", sum, with_hot_key_fanout(2));
  e.that("sums", sums).satisfies([](const std::vector<row>& found) -> std::string {
    const auto greatest = std::max_element(found.begin(), found.end());
    return greatest != found.end() && greatest->value == 15 ? "" : "the greatest pane is not 15";
  });
  run_direct(p);
  e.verify();
}

TEST(hot_key_fanout, gives_all_parts_of_a_sum_in_discarding_panes) {
  pipeline p{"p"};
  expectations e;
  const auto sums = singles(p) | window_into("windows", {.fire = each_element{}, .keep = panes::discarding})
                    | combine_per_key("sum", sum, with_hot_key_fanout(2));
  e.that("sums", sums).satisfies([](const std::vector<row>& found) -> std::string {
    std::int64_t total = 0;
    for (const row& r : found) total += r.value;
    return total == 15 ? "" : "the panes sum up to " + std::to_string(total);
  });
  run_direct(p);
  e.verify();
}

TEST(hot_key_fanout, fires_on_time_and_late_as_the_whole_would) {
  pipeline p{"p"};
  expectations e;
  const auto sums = p
                    | test_stream<row>("in")
                          .add({timestamped_value{row{"k", 1}, timestamp{1}}, {row{"k", 2}, timestamp{5}}})
                          .advance_watermark_to(timestamp{10})
                          .add_at(timestamp{3}, {row{"k", 4}})
                          .advance_watermark_to(timestamp{30})
                          .add_at(timestamp{4}, {row{"k", 8}})
                          .advance_watermark_to_infinity()
                    | window_into("ten", {.into = fixed(10ms),
                                          .fire = at_watermark().late(each_element{}),
                                          .keep = panes::accumulating,
                                          .allowed_lateness = 20ms})
                    | combine_per_key("sum", sum, with_hot_key_fanout(4));
  e.that("on time", sums).on_time().contains_in_any_order({row{"k", 3}});
  e.that("late", sums).late().contains_in_any_order({row{"k", 7}});
  run_direct(p);
  e.verify();
}

template <class Build>
std::string refusal_of(Build&& build) {
  try {
    build();
  } catch (const pipeline_error& fault) {
    return fault.what();
  }
  return {};
}

TEST(hot_key_fanout, refuses_what_parts_cannot_do) {
  pipeline p{"p"};
  const auto in = p | create("in", values_of_two_keys());
  const auto sessions_of = in | window_into("sessions", {.into = sessions(5ms)});
  EXPECT_THAT(refusal_of([&] { static_cast<void>(sessions_of | combine_per_key("sum", sum, with_hot_key_fanout(2))); }),
              HasSubstr("\"sum\": a hot key cannot be spread in windows that merge"));
  p.allow_unsafe_triggers();
  const auto finishing = in | window_into("finishing", {.fire = after_count(2), .keep = panes::discarding});
  EXPECT_THAT(refusal_of([&] { static_cast<void>(finishing | combine_per_key("sum", sum, with_hot_key_fanout(2))); }),
              HasSubstr("which finishes: each part would finish by itself"));
  EXPECT_THAT(refusal_of([&] { static_cast<void>(with_hot_key_fanout(0)); }), HasSubstr("it must be at least 1"));
}

}  // namespace
}  // namespace millrace::testing::hot_key_fanout_test
