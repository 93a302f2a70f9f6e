#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/splittable/offset_range.hpp>
#include <millrace/transforms/splittable/process_result.hpp>
#include <millrace/transforms/splittable/tracker.hpp>
#include <millrace/transforms/splittable/watermark_estimators.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace millrace::offset_range_test {
namespace {

static_assert(restriction_tracker<offset_tracker, offset_range>);
static_assert(watermark_estimator<manual_watermark>);
static_assert(watermark_estimator<wall_time_watermark>);
static_assert(watermark_estimator<observed_watermark>);

using ::testing::HasSubstr;

// A tracker of [0, 100) whose last attempt was `at`.
offset_tracker attempted(std::int64_t at) {
  offset_tracker t({0, 100});
  EXPECT_TRUE(t.try_claim(at));
  return t;
}

TEST(case_12_1, half_of_the_rest_is_split_off) {
  auto t = attempted(30);
  EXPECT_EQ(t.try_split(0.5), (offset_range{65, 100}));
  EXPECT_EQ(t.restriction(), (offset_range{0, 65}));
}

TEST(case_12_1, fraction_zero_gives_all_of_the_rest) {
  auto t = attempted(30);
  EXPECT_EQ(t.try_split(0), (offset_range{31, 100}));
  EXPECT_EQ(t.restriction(), (offset_range{0, 31}));
}

TEST(case_12_1, what_nobody_has_attempted_is_given_away_whole) {
  offset_tracker t({0, 100});
  EXPECT_EQ(t.try_split(0), (offset_range{0, 100}));
  EXPECT_EQ(t.restriction(), (offset_range{0, 0}));
  EXPECT_NO_THROW(t.check_done());
}

TEST(case_12_1, behind_the_last_offset_is_nothing_to_split) {
  auto t = attempted(99);
  EXPECT_EQ(t.try_split(0), std::nullopt);
  EXPECT_EQ(t.try_split(0.5), std::nullopt);
  EXPECT_EQ(t.restriction(), (offset_range{0, 100}));
}

TEST(case_12_2, a_refused_claim_ends_the_range) {
  offset_tracker t({0, 10});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(t.try_claim(i));
  EXPECT_FALSE(t.try_claim(10));
  EXPECT_NO_THROW(t.check_done());
}

TEST(case_12_2, offsets_that_were_left_out_are_named) {
  offset_tracker t({0, 10});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(t.try_claim(i));
  try {
    t.check_done();
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("[5,10)"));
  }
}

TEST(offset_tracker, claims_grow_strictly) {
  auto t = attempted(30);
  EXPECT_THROW(static_cast<void>(t.try_claim(30)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(t.try_claim(29)), std::invalid_argument);
  EXPECT_TRUE(t.try_claim(31));
  EXPECT_THROW(static_cast<void>(offset_tracker({5, 9}).try_claim(4)), std::invalid_argument);
}

TEST(offset_tracker, keeps_at_least_one_offset_and_never_claims_what_it_gave_away) {
  auto t = attempted(97);
  EXPECT_EQ(t.try_split(0.1), (offset_range{98, 100}));
  EXPECT_FALSE(t.try_claim(98));
  EXPECT_NO_THROW(t.check_done());
}

TEST(offset_tracker, splits_ranges_as_wide_as_the_type) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  offset_tracker all({least, offset_range::endless});
  EXPECT_EQ(all.try_split(0), (offset_range{least, offset_range::endless}));
  offset_tracker endless({0, offset_range::endless});
  EXPECT_TRUE(endless.try_claim(3));
  EXPECT_EQ(endless.try_split(0), (offset_range{4, offset_range::endless}));
  EXPECT_FALSE(offset_range({0, offset_range::endless}).bounded());
  EXPECT_TRUE(endless.restriction().bounded());
}

TEST(offset_tracker, refuses_a_range_that_ends_before_it_begins) {
  EXPECT_THROW(offset_tracker({3, 2}), std::invalid_argument);
}

TEST(offset_tracker, knows_how_much_is_done_and_left) {
  auto t = attempted(30);
  EXPECT_EQ(t.progress().done, 31);
  EXPECT_EQ(t.progress().left, 69);
  EXPECT_FALSE(t.try_claim(150));
  EXPECT_EQ(t.progress().left, 0);
}

TEST(offset_range, travels_as_bytes) {
  const offset_range of{-3, offset_range::endless};
  EXPECT_EQ(decode_whole<offset_range>(encode_whole(of)), of);
}

TEST(watermark_estimators, never_fall_back) {
  manual_watermark manual(timestamp{2});
  manual.set(timestamp{5});
  manual.set(timestamp{3});
  EXPECT_EQ(manual.current(timestamp{9}), timestamp{5});
  EXPECT_EQ(manual_watermark(manual.saved()).current(timestamp{9}), timestamp{5});
  observed_watermark observed(timestamp{2});
  observed.observe(timestamp{7});
  observed.observe(timestamp{4});
  EXPECT_EQ(observed.current(timestamp{9}), timestamp{7});
  EXPECT_EQ(wall_time_watermark(timestamp{2}).current(timestamp{9}), timestamp{9});
  EXPECT_EQ(wall_time_watermark(timestamp{20}).current(timestamp{9}), timestamp{20});
}

TEST(process_result, waits_for_the_delay_and_a_millisecond_at_least) {
  EXPECT_EQ(process_result::stop().resume_after(), std::nullopt);
  EXPECT_EQ(process_result::resume().resume_after(), duration{1});
  EXPECT_EQ(process_result::resume(duration{1000}).resume_after(), duration{1000});
}

}  // namespace
}  // namespace millrace::offset_range_test
