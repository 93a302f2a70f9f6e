#include <millrace/transforms/approximate_deduplicate.hpp>
#include <millrace/transforms/bloom_filter.hpp>
#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/deduplicate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace millrace::testing::deduplicate_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using text = std::string;

// How many of two equal elements pass when the second comes after pauses of the processing clock.
std::size_t passed_after(std::initializer_list<duration> pauses) {
  pipeline p{"p"};
  test_stream<text> in("in");
  in.add({"x"});
  for (const duration pause : pauses) in.advance_processing_time(pause);
  recording<text> found;
  p | in.add({"x"}).advance_watermark_to_infinity() | deduplicate("first") | collect("found", found);
  run_direct(p);
  return found.values().size();
}

TEST(deduplicate, forgets_after_ten_minutes_of_the_processing_clock_14_3) {
  EXPECT_EQ(passed_after({9min}), 1U);
  EXPECT_EQ(passed_after({9min, 1min}), 1U);
  EXPECT_EQ(passed_after({10min + 1ms}), 2U);
  EXPECT_EQ(passed_after({9min, 1min, 1ms}), 2U);
}

TEST(deduplicate, keeps_windows_apart_14_3) {
  pipeline p{"p"};
  expectations e;
  e.that("both", p
                     | test_stream<text>("in")
                           .add_at(timestamp{1}, {"x", "x"})
                           .add_at(timestamp{11}, {"x"})
                           .advance_watermark_to_infinity()
                     | window_into("ten", {.into = fixed(10ms)}) | deduplicate("first"))
      .contains_in_any_order({"x", "x"});
  run_direct(p);
  e.verify();
}

TEST(deduplicate, forgets_by_event_time_when_the_watermark_passes) {
  pipeline p{"p"};
  expectations e;
  const auto in = p
                  | test_stream<text>("in")
                        .add_at(timestamp{100}, {"x"})
                        .advance_watermark_to(timestamp{150})
                        .add_at(timestamp{150}, {"x"})
                        .advance_processing_time(1h)
                        .advance_watermark_to(timestamp{151})
                        .add_at(timestamp{151}, {"x"})
                        .advance_watermark_to_infinity();
  recording<text> found;
  in | deduplicate("first", {.remember = 50ms, .clock = forgetting::by_event_time}) | collect("found", found);
  run_direct(p);
  ASSERT_EQ(found.rows().size(), 2U);
  EXPECT_EQ(found.rows()[0].at.time, timestamp{100});
  EXPECT_EQ(found.rows()[1].at.time, timestamp{151});
}

TEST(deduplicate, compares_times_of_input_without_a_watermark) {
  using timed = timestamped_value<text>;
  const auto hours = [](std::int64_t h) { return timestamp{h * 3600 * 1000}; };
  pipeline p{"p"};
  recording<text> found;
  p
      | create_timestamped<text>("in", {timed{"x", hours(100)}, timed{"x", hours(124)}, timed{"x", hours(125)},
                                        timed{"x", hours(76)}, timed{"x", hours(70)}, timed{"y", hours(100)}})
      | deduplicate("first", {.remember = 24h, .clock = forgetting::by_event_time}) | collect("found", found);
  run_direct(p);
  std::vector<std::pair<text, timestamp>> passed;
  for (const auto& r : found.rows()) passed.emplace_back(r.value, r.at.time);
  using at = std::pair<text, timestamp>;
  EXPECT_THAT(passed, ::testing::UnorderedElementsAre(at{"x", hours(100)}, at{"x", hours(125)}, at{"x", hours(70)},
                                                      at{"y", hours(100)}));
}

TEST(deduplicate, goes_by_a_representative) {
  pipeline p{"p"};
  using row = kv<text, int>;
  recording<row> found;
  p | test_stream<row>("in").add({row{"a", 1}}).add({row{"a", 2}, row{"b", 1}}).advance_watermark_to_infinity()
      | deduplicate("first", by(&row::key)) | collect("found", found);
  run_direct(p);
  EXPECT_THAT(found.values(), ::testing::UnorderedElementsAre(row{"a", 1}, row{"b", 1}));
}

TEST(deduplicate, refuses_to_remember_nothing) {
  pipeline p{"p"};
  const auto in = p | create("in", {1});
  EXPECT_THROW(static_cast<void>(in | deduplicate("first", {.remember = 0ms})), pipeline_error);
}

TEST(distinct, takes_one_element_for_each_representative) {
  pipeline p{"p"};
  using row = kv<text, int>;
  expectations e;
  e.that("one each", p | create("in", {row{"a", 2}, row{"b", 3}, row{"a", 1}}) | distinct("of key", by(&row::key)))
      .contains_in_any_order({row{"a", 1}, row{"b", 3}});
  run_direct(p);
  e.verify();
}

TEST(distinct, repeats_nothing_in_accumulating_panes_U14) {
  pipeline p{"p"};
  expectations e;
  e.that("once", p
                     | test_stream<text>("in")
                           .add_at(timestamp{1}, {"x"})
                           .add_at(timestamp{2}, {"x"})
                           .advance_watermark_to(timestamp{10})
                           .add_at(timestamp{3}, {"x"})
                           .advance_watermark_to_infinity()
                     | window_into("ten", {.into = fixed(10ms), .keep = panes::accumulating, .allowed_lateness = 10ms})
                     | distinct("distinct"))
      .contains_in_any_order({"x"});
  run_direct(p);
  e.verify();
}

TEST(distinct, refuses_windows_that_merge_and_give_several_panes) {
  pipeline p{"p"};
  const auto in = p | create("in", {1});
  const auto late =
      in | window_into("late", {.into = sessions(5ms), .keep = panes::discarding, .allowed_lateness = 5ms});
  EXPECT_THROW(static_cast<void>(late | distinct("once")), pipeline_error);
  EXPECT_NO_THROW(static_cast<void>(in | window_into("plain", {.into = sessions(5ms)}) | distinct("once")));
}

// The part of new values that a filter takes for known when it holds as many as it was made for.
double false_positives(std::uint64_t values, double allowed) {
  const auto shape = bloom_shape::for_values(values, allowed);
  std::vector<bloom_block> blocks(shape.blocks);
  const auto hash = [](std::uint64_t v) { return key_hash(v); };
  const auto block = [&](std::uint64_t v) -> bloom_block& {
    return blocks[bloom_shape::block_of(key_hash(v), shape.blocks)];
  };
  for (std::uint64_t v = 0; v < values; ++v) block(v).add(hash(v), shape.bits_of_value);
  for (std::uint64_t v = 0; v < values; ++v) EXPECT_TRUE(block(v).may_hold(hash(v), shape.bits_of_value));
  constexpr std::uint64_t asked = 1000000;
  std::uint64_t wrong = 0;
  for (std::uint64_t v = values; v < values + asked; ++v)
    wrong += block(v).may_hold(hash(v), shape.bits_of_value) ? 1 : 0;
  return static_cast<double>(wrong) / asked;
}

TEST(bloom_filter, keeps_its_rate_of_false_positives) {
  for (const double allowed : {0.1, 0.01, 0.001, 0.0001}) {
    for (const std::uint64_t values : {200U, 5000U, 200000U}) {
      const double found = false_positives(values, allowed);
      EXPECT_LE(found, allowed) << values;
    }
    EXPECT_GE(false_positives(200000, allowed), allowed / 3) << "the filter is much larger than it need be";
  }
}

TEST(approximate_deduplicate, passes_new_elements_and_never_a_repeated_one) {
  std::vector<int> twice(5000);
  std::iota(twice.begin(), twice.end(), 0);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 5000);
  pipeline p{"p"};
  recording<int> found;
  p | create("in", twice) | approximate_deduplicate("new", {.elements = 5000, .false_positives = 0.01})
      | collect("found", found);
  run_direct(p);
  auto values = found.values();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::unique(values.begin(), values.end()), values.end());
  EXPECT_GE(values.size(), 4950U);
}

TEST(approximate_deduplicate, remembers_for_the_time_at_least_and_twice_that_at_most) {
  const auto passed = [](duration pause) {
    pipeline p{"p"};
    recording<text> found;
    p | test_stream<text>("in").add({"x"}).advance_processing_time(pause).add({"x"}).advance_watermark_to_infinity()
        | approximate_deduplicate("new", {.elements = 10, .remember = 10min}) | collect("found", found);
    run_direct(p);
    return found.values().size();
  };
  EXPECT_EQ(passed(10min), 1U);
  EXPECT_EQ(passed(20min + 1min), 2U);
}

TEST(approximate_deduplicate, refuses_a_filter_without_room_or_with_a_senseless_rate) {
  pipeline p{"p"};
  const auto in = p | create("in", {1});
  EXPECT_THROW(static_cast<void>(in | approximate_deduplicate("new", {})), pipeline_error);
  EXPECT_THROW(static_cast<void>(in | approximate_deduplicate("new", {.elements = 1, .false_positives = 0})),
               pipeline_error);
}

}  // namespace
}  // namespace millrace::testing::deduplicate_test
