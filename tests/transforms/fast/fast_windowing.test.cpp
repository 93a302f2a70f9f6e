#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/fast/fast_windowing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace millrace::fast_windowing_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using early_kind = fast_firing::early_kind;

windowing_strategy firing(trigger fire, duration lateness = 1s) {
  windowing_strategy s;
  s.into = fixed(1min);
  s.fire = std::move(fire);
  s.allowed_lateness = lateness;
  return s;
}

TEST(why_not_fast, is_empty_for_the_default_trigger_on_windows_that_do_not_merge) {
  for (const window_fn& into : {fixed(1s), sliding(1min, 1s), global_windows()}) {
    windowing_strategy s;
    s.into = into;
    s.allowed_lateness = 1h;
    EXPECT_EQ(why_not_fast(s), "");
    EXPECT_EQ(fast_firing_of(s).early, early_kind::none);
  }
}

TEST(why_not_fast, names_windows_that_belong_to_single_keys) {
  windowing_strategy s;
  s.into = sessions(1s);
  EXPECT_THAT(why_not_fast(s), HasSubstr("sessions"));
  s.already_merged = true;
  EXPECT_THAT(why_not_fast(s), HasSubstr("sessions"));
}

TEST(why_not_fast, names_times_that_depend_on_elements) {
  windowing_strategy s;
  s.timestamps = timestamp_combiner::earliest;
  EXPECT_THAT(why_not_fast(s), HasSubstr("times of its panes"));
}

TEST(why_not_fast, names_a_trigger_that_decides_key_by_key) {
  EXPECT_THAT(why_not_fast(firing(repeatedly(after_count(3)))), HasSubstr("after_count(3)"));
  EXPECT_THAT(why_not_fast(firing(at_watermark{}.early(after_count(2)).late(each_element{}))),
              HasSubstr("after_count(2)"));
  EXPECT_NE(why_not_fast(firing(at_watermark{}.late(after_count(2)))), "");
  EXPECT_NE(why_not_fast(firing(never())), "");
  EXPECT_NE(why_not_fast(firing(at_watermark{}.late(after_delay{1s}))), "");
}

TEST(why_not_fast, takes_a_trigger_that_finishes_at_the_end_only_where_the_window_expires_then) {
  EXPECT_NE(why_not_fast(firing(at_watermark{})), "");
  EXPECT_EQ(why_not_fast(firing(at_watermark{}, 0s)), "");
  EXPECT_EQ(why_not_fast(firing(at_watermark{}.late(after_count(7)), 0s)), "");
}

TEST(why_not_fast, takes_early_parts_for_each_bundle_and_by_delay) {
  EXPECT_EQ(fast_firing_of(firing(at_watermark{}.early(each_element{}).late(each_element{}))).early,
            early_kind::each_bundle);
  EXPECT_EQ(fast_firing_of(firing(at_watermark{}.early(always()).late(always()))).early, early_kind::each_bundle);
  EXPECT_EQ(fast_firing_of(firing(at_watermark{}.late(each_element{}))).early, early_kind::none);
  const fast_firing delayed =
      fast_firing_of(firing(at_watermark{}.early(repeatedly(after_delay{3s}.align(1min))).late(after_count(1))));
  EXPECT_EQ(delayed.early, early_kind::delay);
  EXPECT_EQ(delayed.steps.size(), 2U);
}

TEST(why_not_fast, names_an_accumulator_that_is_not_plain_memory) {
  EXPECT_EQ(why_not_fast_combine<sum_of<int>>(windowing_strategy{}), "");
  EXPECT_EQ(why_not_fast_combine<mean_of<double>>(windowing_strategy{}), "");
  using top = top_of<int, std::less<>>;
  EXPECT_THAT(why_not_fast_combine<top>(windowing_strategy{}), HasSubstr("plain memory"));
}

}  // namespace
}  // namespace millrace::fast_windowing_test
