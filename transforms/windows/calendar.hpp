#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/time_zone.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace millrace {

// The unit of calendar windows. Weeks are seven days.
enum class calendar_unit : std::uint8_t { days, months, years };

// Where calendar windows begin to count, and the zone whose midnight they begin at.
struct calendar_options {
  std::chrono::year_month_day start{std::chrono::year{1970}, std::chrono::month{1}, std::chrono::day{1}};
  time_zone zone{};
};

// Windows of `count` days, months or years, counted from a day at midnight; every timestamp is in exactly one. Months
// and years begin on the day of the month (and in the month) of the first day, so they are as long as the calendar
// says, and days as the clocks of the zone say: 23 hours where an hour is left out. Days are those of the Gregorian
// calendar at all times.
struct calendar_windows {
  calendar_unit unit = calendar_unit::days;
  std::int32_t count = 1;
  std::chrono::year_month_day start;
  time_zone zone{};

  [[nodiscard]] window assign_one(timestamp t) const;
  // The dates of the window with the day `days` after 1970-01-01: its first day and the first day after it.
  struct days_of {
    std::int64_t first;
    std::int64_t after;
  };
  [[nodiscard]] days_of window_of_day(std::int64_t days) const;
  // "days", "3 months from 1970-01-15, Europe/Berlin".
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const calendar_windows&, const calendar_windows&) = default;
};

// Checks count and start; throws std::invalid_argument with the remedy.
[[nodiscard]] calendar_windows checked_calendar(calendar_windows made);

}  // namespace millrace
