#include <millrace/io/named_zone.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <stdexcept>

namespace millrace::named_zone_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;

timestamp on(std::chrono::year_month_day date, std::chrono::minutes past = 0min) {
  return timestamp{sys_days{date} + past};
}
window day_of(const char* zone, timestamp t) {
  return calendar_days(1, {.zone = named_zone(zone)}).assign_one(t);
}

TEST(named_zone, knows_summer_time) {
  const time_zone berlin = named_zone("Europe/Berlin");
  EXPECT_EQ(berlin.offset_at(on(2026y / 3 / 29, 59min)), 1h);
  EXPECT_EQ(berlin.offset_at(on(2026y / 3 / 29, 1h)), 2h);
  EXPECT_EQ(berlin.offset_at(on(2026y / 10 / 25, 1h)), 1h);
  EXPECT_EQ(berlin.offset_at(on(1880y / 1 / 1)), 53min + 28s) << "the sun's time, before there was another";
}

TEST(named_zone, gives_days_of_23_and_25_hours) {
  EXPECT_EQ(day_of("Europe/Berlin", on(2026y / 3 / 29, 12h)),
            (window{on(2026y / 3 / 28, 23h), on(2026y / 3 / 29, 22h)}));
  EXPECT_EQ(day_of("Europe/Berlin", on(2026y / 10 / 25, 12h)),
            (window{on(2026y / 10 / 24, 22h), on(2026y / 10 / 25, 23h)}));
}

// In Sao Paulo clocks went forward at midnight on 2018-11-04, and back from midnight to 23:00 on 2018-02-17.
TEST(named_zone, gives_days_whose_midnight_is_left_out_or_comes_twice) {
  EXPECT_EQ(day_of("America/Sao_Paulo", on(2018y / 11 / 4, 12h)),
            (window{on(2018y / 11 / 4, 3h), on(2018y / 11 / 5, 2h)}));
  EXPECT_EQ(day_of("America/Sao_Paulo", on(2018y / 2 / 18, 2h + 30min)),
            (window{on(2018y / 2 / 17, 2h), on(2018y / 2 / 18, 3h)}));
}

TEST(named_zone, describes_windows_by_its_name) {
  EXPECT_EQ(calendar_months(1, {.zone = named_zone("Asia/Kolkata")}).describe(),
            "months from 1970-01-01, Asia/Kolkata");
}

TEST(named_zone, that_nobody_knows_is_refused_by_name) {
  EXPECT_THAT(
      [] { static_cast<void>(named_zone("Europe/Atlantis")); },
      ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("\"Europe/Atlantis\" is not in the")));
}

}  // namespace
}  // namespace millrace::named_zone_test
