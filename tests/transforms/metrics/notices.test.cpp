#include <millrace/transforms/metrics/notices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::notices_test {
namespace {

using ::testing::ElementsAre;

step_drop drop_of(const std::string& step, std::uint64_t count, const std::string& cause = "late") {
  return {step, {cause, count, {timestamp{0}, timestamp{10}}, timestamp{12}}};
}

// The counts that pass at each time, of one step and cause.
std::uint64_t passed(drop_pace& pace, std::uint64_t count, std::int64_t now, const std::string& step = "a") {
  const auto told = pace.pass(drop_of(step, count), timestamp{now});
  return told ? told->drop.count : 0;
}

TEST(drop_pace, lets_the_first_through_at_once_and_the_next_with_those_it_held_back) {
  drop_pace pace(duration{10});
  EXPECT_EQ(passed(pace, 2, 100), 2U);
  EXPECT_EQ(passed(pace, 3, 101), 0U);
  EXPECT_EQ(passed(pace, 4, 109), 0U);
  EXPECT_EQ(passed(pace, 5, 110), 12U);
  EXPECT_EQ(passed(pace, 1, 119), 0U);
  EXPECT_EQ(passed(pace, 1, 300), 2U);
}

TEST(drop_pace, looks_at_every_step_and_cause_for_itself) {
  drop_pace pace(duration{10});
  EXPECT_EQ(passed(pace, 1, 100), 1U);
  EXPECT_EQ(passed(pace, 1, 100, "b"), 1U);
  EXPECT_TRUE(pace.pass(drop_of("a", 1, "closed_window"), timestamp{100}));
  EXPECT_EQ(passed(pace, 1, 100), 0U);
}

TEST(drop_pace, gives_out_what_it_holds_back_once) {
  drop_pace pace(duration{10});
  EXPECT_TRUE(pace.rest().empty());
  EXPECT_EQ(passed(pace, 1, 100), 1U);
  EXPECT_TRUE(pace.rest().empty());
  EXPECT_EQ(passed(pace, 2, 101), 0U);
  EXPECT_EQ(passed(pace, 3, 102), 0U);
  const auto rest = pace.rest();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].step, "a");
  EXPECT_EQ(rest[0].drop.cause, "late");
  EXPECT_EQ(rest[0].drop.count, 5U);
  EXPECT_TRUE(pace.rest().empty());
}

TEST(drop_pace, is_not_stopped_by_a_clock_that_goes_back) {
  drop_pace pace(duration{10});
  EXPECT_EQ(passed(pace, 1, 100), 1U);
  EXPECT_EQ(passed(pace, 1, 50), 1U);
  EXPECT_EQ(passed(pace, 1, 55), 0U);
}

TEST(notices, name_step_cause_window_and_watermark_of_a_drop) {
  EXPECT_EQ(to_text(drop_of("all/sum", 1)),
            "warning: step \"all/sum\" has dropped 1 element (late), the last of window [0, 10) at watermark 12");
  step_drop global = drop_of("sum", 2, "closed_window");
  global.drop.in = window::global();
  global.drop.watermark = timestamp::max();
  EXPECT_EQ(to_text(global),
            "warning: step \"sum\" has dropped 2 elements (closed_window), the last of window global at watermark max");
}

TEST(notices, tell_of_a_clock_that_goes_back_by_more_than_a_second) {
  EXPECT_FALSE(clock_notice(timestamp{5000}, timestamp{9000}));
  EXPECT_FALSE(clock_notice(timestamp{5000}, timestamp{4000}));
  const auto notice = clock_notice(timestamp{5000}, timestamp{3999});
  ASSERT_TRUE(notice);
  EXPECT_THAT(*notice, ::testing::HasSubstr("gone back by 1001 ms"));
}

TEST(notices, are_told_at_once_and_the_last_hundred_kept) {
  std::vector<std::string> told;
  notice_list list([&](const std::string& notice) { told.push_back(notice); });
  for (int i = 0; i < 101; ++i) list.add(std::to_string(i));
  EXPECT_EQ(told.size(), 101U);
  EXPECT_EQ(list.all().size(), 100U);
  EXPECT_EQ(list.all().front(), "1");
  EXPECT_EQ(list.all().back(), "100");
  notice_list silent;
  silent.add("x");
  EXPECT_THAT(silent.all(), ElementsAre("x"));
}

}  // namespace
}  // namespace millrace::notices_test
