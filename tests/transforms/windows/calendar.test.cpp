#include <millrace/transforms/windows/window_fn.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace millrace::calendar_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year_month_day;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

window days_between(year_month_day first, year_month_day after, duration offset = 0ms) {
  return {timestamp{sys_days{first}} - offset, timestamp{sys_days{after}} - offset};
}
timestamp noon(year_month_day day) {
  return timestamp{sys_days{day}} + 12h;
}

TEST(calendar_windows, are_days_of_utc_unless_an_offset_is_given) {
  EXPECT_EQ(calendar_days().assign_one(timestamp{951'825'600'000}),
            (window{timestamp{951'782'400'000}, timestamp{951'868'800'000}}));
  const timestamp late_evening = timestamp{sys_days{2000y / 2 / 28}} + 23h + 30min;
  EXPECT_EQ(calendar_days().assign_one(late_evening), days_between(2000y / 2 / 28, 2000y / 2 / 29));
  EXPECT_EQ(calendar_days(1, {.zone = utc_offset(1h)}).assign_one(late_evening),
            days_between(2000y / 2 / 29, 2000y / 3 / 1, 1h));
  EXPECT_EQ(calendar_days(1, {.zone = utc_offset(-9h - 30min)}).assign_one(noon(2026y / 1 / 1)),
            days_between(2026y / 1 / 1, 2026y / 1 / 2, -9h - 30min));
}

TEST(calendar_windows, count_days_from_the_first_one_in_both_directions) {
  const window_fn ten = calendar_days(10, {.start = 2026y / 1 / 1});
  EXPECT_EQ(ten.assign_one(noon(2026y / 1 / 10)), days_between(2026y / 1 / 1, 2026y / 1 / 11));
  EXPECT_EQ(ten.assign_one(noon(2026y / 1 / 11)), days_between(2026y / 1 / 11, 2026y / 1 / 21));
  EXPECT_EQ(ten.assign_one(noon(2025y / 12 / 31)), days_between(2025y / 12 / 22, 2026y / 1 / 1));
}

TEST(calendar_windows, begin_weeks_on_monday_or_another_day) {
  EXPECT_EQ(calendar_weeks().assign_one(noon(2026y / 11 / 30)), days_between(2026y / 11 / 30, 2026y / 12 / 7));
  EXPECT_EQ(calendar_weeks().assign_one(noon(2026y / 11 / 29)), days_between(2026y / 11 / 23, 2026y / 11 / 30));
  EXPECT_EQ(calendar_weeks(1, std::chrono::Sunday).assign_one(noon(2026y / 11 / 29)),
            days_between(2026y / 11 / 29, 2026y / 12 / 6));
  // 2026-11-30 is day 20787, and 20787 + 3 days since Monday 1969-12-29 are 1485 fortnights.
  EXPECT_EQ(calendar_weeks(2).assign_one(noon(2026y / 12 / 8)), days_between(2026y / 11 / 30, 2026y / 12 / 14));
}

TEST(calendar_windows, are_as_long_as_their_months) {
  EXPECT_EQ(calendar_months().assign_one(noon(2000y / 2 / 29)), days_between(2000y / 2 / 1, 2000y / 3 / 1));
  EXPECT_EQ(calendar_months().assign_one(noon(1900y / 2 / 28)), days_between(1900y / 2 / 1, 1900y / 3 / 1));
  EXPECT_EQ(calendar_months().assign_one(timestamp{-1}), days_between(1969y / 12 / 1, 1970y / 1 / 1));
  const window_fn quarters = calendar_months(3, {.start = 2000y / 1 / 15});
  EXPECT_EQ(quarters.assign_one(noon(2000y / 2 / 29)), days_between(2000y / 1 / 15, 2000y / 4 / 15));
  EXPECT_EQ(quarters.assign_one(noon(2000y / 1 / 14)), days_between(1999y / 10 / 15, 2000y / 1 / 15));
}

TEST(calendar_windows, begin_years_in_the_month_of_the_first_day) {
  EXPECT_EQ(calendar_years().assign_one(noon(2000y / 12 / 31)), days_between(2000y / 1 / 1, 2001y / 1 / 1));
  const window_fn fiscal = calendar_years(1, {.start = 1970y / 7 / 1});
  EXPECT_EQ(fiscal.assign_one(noon(1970y / 6 / 30)), days_between(1969y / 7 / 1, 1970y / 7 / 1));
  EXPECT_EQ(calendar_years(10).assign_one(noon(1969y / 12 / 31)), days_between(1960y / 1 / 1, 1970y / 1 / 1));
}

TEST(calendar_windows, agree_with_the_calendar_of_the_standard_library) {
  const auto months = std::get<calendar_windows>(calendar_months().kind());
  for (std::int64_t day = -800'000; day < 800'000; day += 37) {
    const year_month_day date{sys_days{std::chrono::days{day}}};
    const auto first = date.year() / date.month() / 1;
    const auto [begin, after] = months.window_of_day(day);
    EXPECT_EQ(begin, sys_days{first}.time_since_epoch().count()) << day;
    EXPECT_EQ(after, sys_days{first + std::chrono::months{1}}.time_since_epoch().count()) << day;
  }
}

TEST(calendar_windows, stay_inside_the_bounds_of_time) {
  for (const window_fn& fn : {calendar_days(), calendar_weeks(3), calendar_months(5), calendar_years(7)}) {
    const window first = fn.assign_one(timestamp::min());
    EXPECT_EQ(first.start, timestamp::min()) << fn.describe();
    EXPECT_TRUE(first.contains(timestamp::min())) << fn.describe();
    const window last = fn.assign_one(timestamp::end_of_global_window());
    EXPECT_EQ(last.max_timestamp(), timestamp::end_of_global_window()) << fn.describe();
    EXPECT_LT(last.start, last.end) << fn.describe();
  }
}

TEST(calendar_windows, are_single_and_map_side_inputs_by_the_end_of_the_main_window) {
  EXPECT_TRUE(calendar_months().single());
  EXPECT_FALSE(calendar_months().merging());
  EXPECT_EQ(calendar_months().side_window(days_between(2000y / 1 / 31, 2000y / 2 / 2)),
            days_between(2000y / 2 / 1, 2000y / 3 / 1));
}

TEST(calendar_windows, describe_themselves_exactly) {
  EXPECT_EQ(calendar_days().describe(), "days from 1970-01-01");
  EXPECT_EQ(calendar_weeks(2).describe(), "14 days from 1969-12-29");
  EXPECT_EQ(calendar_months(3, {.start = 2000y / 1 / 15, .zone = utc_offset(-9h - 30min)}).describe(),
            "3 months from 2000-01-15, utc-09:30");
  EXPECT_NE(calendar_years(), calendar_months());
  EXPECT_EQ(calendar_years(), calendar_years());
}

TEST(calendar_windows, refuse_what_the_calendar_does_not_have) {
  const auto refused = [](const char* why) { return ThrowsMessage<std::invalid_argument>(HasSubstr(why)); };
  EXPECT_THAT([] { static_cast<void>(calendar_days(0)); }, refused("from 1 to 100000 units, not 0"));
  EXPECT_THAT([] { static_cast<void>(calendar_months(1, {.start = 2000y / 1 / 31})); },
              refused("from 1 to 28, not 31"));
  EXPECT_THAT([] { static_cast<void>(calendar_days(1, {.start = 2001y / 2 / 29})); },
              refused("no day of the calendar"));
  EXPECT_THAT([] { static_cast<void>(calendar_days(1, {.zone = utc_offset(1s)})); }, refused("whole minutes"));
}

}  // namespace
}  // namespace millrace::calendar_test
