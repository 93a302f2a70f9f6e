#include <millrace/transforms/windows/time_zone.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace millrace::time_zone_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t hour = 3'600'000;
constexpr std::int64_t day = 24 * hour;

timestamp at_hour(std::int64_t hours) {
  return timestamp{hours * hour};
}

TEST(time_zone, is_utc_unless_it_is_told) {
  EXPECT_EQ(time_zone{}.name(), "");
  EXPECT_EQ(time_zone{}.offset_at(at_hour(5)), 0ms);
  EXPECT_EQ(time_zone{}.start_of_day(-3), -3 * day);
  EXPECT_EQ(utc_offset(0h), time_zone{});
}

TEST(time_zone, may_be_a_fixed_offset) {
  const time_zone india = utc_offset(5h + 30min);
  EXPECT_EQ(india.name(), "utc+05:30");
  EXPECT_EQ(india.offset_at(timestamp::min()), 5h + 30min);
  EXPECT_EQ(india.start_of_day(1), day - 5 * hour - hour / 2);
  EXPECT_EQ(utc_offset(-9h - 30min).name(), "utc-09:30");
}

TEST(time_zone, changes_its_offset_at_an_instant) {
  const time_zone zone("z", 1h, {{at_hour(49), 2h}, {at_hour(97), 1h}});
  EXPECT_EQ(zone.offset_at(timestamp{49 * hour - 1}), 1h);
  EXPECT_EQ(zone.offset_at(at_hour(49)), 2h);
  EXPECT_EQ(zone.offset_at(at_hour(97)), 1h);
  EXPECT_EQ(zone.start_of_day(2), 47 * hour);
  EXPECT_EQ(zone.start_of_day(3), 70 * hour) << "23 hours later";
  EXPECT_EQ(zone.start_of_day(4), 94 * hour);
  EXPECT_EQ(zone.start_of_day(5), 119 * hour) << "25 hours later";
}

TEST(time_zone, begins_a_day_without_midnight_when_clocks_go_forward) {
  const time_zone zone("z", 0h, {{at_hour(24), 1h}});  // from 24:00 to 1:00
  EXPECT_EQ(zone.start_of_day(1), 24 * hour);
  EXPECT_EQ(zone.start_of_day(2), 47 * hour);
}

TEST(time_zone, begins_a_day_with_two_midnights_at_the_first) {
  const time_zone zone("z", 1h, {{at_hour(24), 0h}});  // from 1:00 to 0:00
  EXPECT_EQ(zone.start_of_day(1), 23 * hour);
  EXPECT_EQ(zone.start_of_day(2), 48 * hour);
}

// Clocks go from 0:30 back to 23:30: by them it is the day before once more.
TEST(time_zone, keeps_a_day_that_has_begun_when_clocks_go_back_over_midnight) {
  const time_zone zone("z", 1h, {{timestamp{23 * hour + hour / 2}, 0h}});
  EXPECT_EQ(zone.start_of_day(1), 23 * hour);
  const window_fn days = calendar_days(1, {.zone = zone});
  EXPECT_EQ(days.assign_one(timestamp{23 * hour - 1}), (window{timestamp{-hour}, at_hour(23)}));
  for (const std::int64_t t : {23 * hour, 23 * hour + hour / 2, 24 * hour - 1, 24 * hour, 48 * hour - 1})
    EXPECT_EQ(days.assign_one(timestamp{t}), (window{at_hour(23), at_hour(48)})) << t;
}

TEST(time_zone, names_what_is_wrong_with_it) {
  EXPECT_THAT([] { static_cast<void>(utc_offset(25h)); }, ThrowsMessage<std::invalid_argument>(HasSubstr("a day")));
  EXPECT_THAT([] { time_zone("", 0h, {}); }, ThrowsMessage<std::invalid_argument>(HasSubstr("without a name")));
  EXPECT_THAT([] { time_zone("z", 0h, {{at_hour(2), 1h}, {at_hour(1), 0h}}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("\"z\" are not in the order of time")));
  EXPECT_THAT([] { time_zone("z", 0h, {{at_hour(2), 25h}}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("\"z\" is more than a day from UTC")));
}

}  // namespace
}  // namespace millrace::time_zone_test
