#include <millrace/transforms/windows/calendar.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <stdexcept>

namespace millrace {

namespace {

constexpr std::int64_t day_millis = 86'400'000;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t divisor) {
  return (a - detail::floor_mod(a, divisor)) / divisor;
}

// The proleptic Gregorian calendar in 64 bits, since model time goes far beyond the years of std::chrono. Years are
// counted from March, so that the leap day is the last of its year.
constexpr std::int64_t days_of_era = 146'097;

constexpr std::int64_t day_number(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t from_march = month > 2 ? year : year - 1;
  const std::int64_t era = floor_div(from_march, 400);
  const std::int64_t year_of_era = from_march - era * 400;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * days_of_era + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

struct date {
  std::int64_t year;
  std::int64_t month;
  std::int64_t day;
};

constexpr date date_of(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = floor_div(shifted, days_of_era);
  const std::int64_t day_of_era = shifted - era * days_of_era;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t month = from_march < 10 ? from_march + 3 : from_march - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day_of_year - (153 * from_march + 2) / 5 + 1};
}

static_assert(day_number(1970, 1, 1) == 0 && day_number(2000, 2, 29) == 11'016 && date_of(11'016).day == 29);

date parts_of(const std::chrono::year_month_day& d) {
  return {static_cast<int>(d.year()), static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day())};
}

std::string two_digits(std::int64_t n) {
  return (n < 10 ? "0" : "") + std::to_string(n);
}

std::string date_text(const date& d) {
  return std::to_string(d.year) + "-" + two_digits(d.month) + "-" + two_digits(d.day);
}

const char* text_of(calendar_unit unit) {
  switch (unit) {
  case calendar_unit::days:
    return "days";
  case calendar_unit::months:
    return "months";
  case calendar_unit::years:
    break;
  }
  return "years";
}

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

}  // namespace

calendar_windows::days_of calendar_windows::window_of_day(std::int64_t days) const {
  const date from = parts_of(start);
  if (unit == calendar_unit::days) {
    const std::int64_t first = day_number(from.year, from.month, from.day);
    const std::int64_t begin = first + floor_div(days - first, count) * count;
    return {begin, begin + count};
  }
  const std::int64_t months = unit == calendar_unit::months ? count : std::int64_t{12} * count;
  const date today = date_of(days);
  const std::int64_t passed = (today.year - from.year) * 12 + today.month - from.month - (today.day < from.day ? 1 : 0);
  const auto begin_of = [&](std::int64_t after) {
    const std::int64_t month = from.year * 12 + from.month - 1 + after;
    return day_number(floor_div(month, 12), detail::floor_mod(month, 12) + 1, from.day);
  };
  const std::int64_t begin = floor_div(passed, months) * months;
  return {begin_of(begin), begin_of(begin + months)};
}

window calendar_windows::assign_one(timestamp t) const {
  days_of days = window_of_day(floor_div(t.millis() + zone.offset_at(t).count(), day_millis));
  std::int64_t begin = zone.start_of_day(days.first);
  std::int64_t end = zone.start_of_day(days.after);
  // Where clocks go back over midnight, the date goes back too; the day has begun nevertheless.
  while (t.millis() >= end) {
    days = window_of_day(days.after);
    begin = end;
    end = zone.start_of_day(days.after);
  }
  return detail::clipped_window(begin, duration{end - begin});
}

std::string calendar_windows::describe() const {
  std::string text =
      (count == 1 ? "" : std::to_string(count) + " ") + text_of(unit) + " from " + date_text(parts_of(start));
  return zone == time_zone{} ? text : text + ", " + zone.name();
}

calendar_windows checked_calendar(calendar_windows made) {
  constexpr std::int32_t count_max = 100'000;
  require(made.count >= 1 && made.count <= count_max,
          "calendar windows count from 1 to 100000 units, not " + std::to_string(made.count));
  require(made.start.ok(), "the first day of calendar windows is no day of the calendar");
  require(made.unit == calendar_unit::days || static_cast<unsigned>(made.start.day()) <= 28,
          "months and years begin on a day that every month has, from 1 to 28, not "
              + std::to_string(static_cast<unsigned>(made.start.day())));
  return made;
}

}  // namespace millrace
