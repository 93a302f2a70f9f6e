#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace millrace {

// The unit of calendar windows. Weeks are seven days.
enum class calendar_unit : std::uint8_t { days, months, years };

// Where calendar windows begin to count, and the clock whose midnight they begin at: that of a fixed offset from UTC,
// such as 5h + 30min. Zones whose offset changes are not known here; a window function of one's own may know them.
struct calendar_options {
  std::chrono::year_month_day start{std::chrono::year{1970}, std::chrono::month{1}, std::chrono::day{1}};
  duration utc_offset{0};
};

// Windows of `count` days, months or years, counted from a day at midnight; every timestamp is in exactly one. Months
// and years begin on the day of the month (and in the month) of the first day, so they are as long as the calendar
// says. Days are those of the Gregorian calendar at all times.
struct calendar_windows {
  calendar_unit unit = calendar_unit::days;
  std::int32_t count = 1;
  std::chrono::year_month_day start;
  duration utc_offset{0};

  [[nodiscard]] window assign_one(timestamp t) const;
  // The dates of the window with the day `days` after 1970-01-01: its first day and the first day after it.
  struct days_of {
    std::int64_t first;
    std::int64_t after;
  };
  [[nodiscard]] days_of window_of_day(std::int64_t days) const;
  // "days", "3 months from 1970-01-15, utc+01:00".
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const calendar_windows&, const calendar_windows&) = default;
};

// Checks count, start and offset; throws std::invalid_argument with the remedy.
[[nodiscard]] calendar_windows checked_calendar(calendar_windows made);

}  // namespace millrace
