#include <millrace/io/parse_error.hpp>
#include <millrace/io/timestamps.hpp>
#include <millrace/io/utf8.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace millrace {

namespace {

constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";
constexpr std::int64_t second_millis = 1000;

// The number that `count` digits from `at` on make; whoever calls has seen that they are digits.
unsigned int number_at(std::string_view text, std::size_t at, std::size_t count) {
  unsigned int number = 0;
  for (const char c : text.substr(at, count)) number = number * 10 + static_cast<unsigned int>(c - '0');
  return number;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool has_shape(std::string_view text) {
  if (text.size() <= shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 'd' ? !is_digit(text[i]) : text[i] != shape[i]) return false;
  }
  return true;
}

// The milliseconds of what follows the seconds: ".123Z" or just "Z".
std::optional<unsigned int> fraction_millis(std::string_view rest) {
  constexpr std::size_t digits_max = 9;
  if (rest == "Z") return 0;
  if (rest.size() < 3 || rest.size() > digits_max + 2 || rest.front() != '.' || rest.back() != 'Z') return std::nullopt;
  const auto digits = rest.substr(1, rest.size() - 2);
  unsigned int millis = 0;
  unsigned int unit = 100;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    millis += static_cast<unsigned int>(c - '0') * unit;
    unit /= 10;
  }
  return millis;
}

void append_digits(std::string& out, unsigned int number, std::size_t count) {
  const auto at = out.size();
  out.resize(at + count);
  for (std::size_t i = count; i > 0; --i, number /= 10) out[at + i - 1] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::optional<timestamp> read_timestamp(std::string_view text) {
  namespace chrono = std::chrono;
  if (!has_shape(text)) return std::nullopt;
  const auto hour = number_at(text, 11, 2);
  const auto minute = number_at(text, 14, 2);
  const auto second = number_at(text, 17, 2);
  const auto millis = fraction_millis(text.substr(shape.size()));
  const chrono::year_month_day day{chrono::year{static_cast<int>(number_at(text, 0, 4))},
                                   chrono::month{number_at(text, 5, 2)}, chrono::day{number_at(text, 8, 2)}};
  if (!millis || !day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = chrono::sys_days{day}.time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
  return timestamp{seconds * second_millis + *millis};
}

timestamp parse_timestamp(std::string_view text) {
  if (const auto time = read_timestamp(text)) return *time;
  throw parse_error("expected a UTC time such as 2026-01-01T00:00:00.123Z, found \"" + printable(text) + '"');
}

void append_timestamp(std::string& out, timestamp time) {
  namespace chrono = std::chrono;
  const chrono::sys_time<chrono::milliseconds> point{chrono::milliseconds{time.millis()}};
  const auto day_start = chrono::floor<chrono::days>(point);
  const chrono::year_month_day day{day_start};
  const int year = static_cast<int>(day.year());
  // The library's years wrap, so the bounds are on the time itself: the years 0 to 9999.
  if (time.millis() < -62167219200000 || time.millis() > 253402300799999) {
    throw std::out_of_range("the time " + std::to_string(time.millis())
                            + " ms after 1970 cannot be written: its year does not have four digits");
  }
  const auto millis = static_cast<unsigned int>((point - day_start).count());
  append_digits(out, static_cast<unsigned int>(year), 4);
  out += '-';
  append_digits(out, static_cast<unsigned int>(day.month()), 2);
  out += '-';
  append_digits(out, static_cast<unsigned int>(day.day()), 2);
  out += 'T';
  append_digits(out, millis / 3'600'000, 2);
  out += ':';
  append_digits(out, millis / 60'000 % 60, 2);
  out += ':';
  append_digits(out, millis / 1000 % 60, 2);
  out += '.';
  append_digits(out, millis % 1000, 3);
  out += 'Z';
}

std::string format_timestamp(timestamp time) {
  std::string text;
  append_timestamp(text, time);
  return text;
}

}  // namespace millrace
