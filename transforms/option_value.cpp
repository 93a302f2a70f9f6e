#include <millrace/transforms/option_value.hpp>
#include <millrace/transforms/windows/duration_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace millrace {

namespace {

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// How many letters must be changed, added or left out to make one text of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool read_flag(std::string_view text) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  throw std::invalid_argument("true or false");
}

double read_number(std::string_view text) {
  double value = 0;
  if (!read_whole(text, value) || !std::isfinite(value)) throw std::invalid_argument("a number");
  return value;
}

std::int64_t read_integer(std::string_view text, std::int64_t least, std::int64_t greatest) {
  std::int64_t value = 0;
  if (read_whole(text, value) && least <= value && value <= greatest) return value;
  throw std::invalid_argument("a whole number from " + std::to_string(least) + " to " + std::to_string(greatest));
}

std::uint64_t read_natural(std::string_view text, std::uint64_t greatest) {
  std::uint64_t value = 0;
  if (!text.starts_with('-') && read_whole(text, value) && value <= greatest) return value;
  throw std::invalid_argument("a whole number from 0 to " + std::to_string(greatest));
}

duration read_duration(std::string_view text) {
  struct unit {
    std::string_view name;
    double millis;
  };
  constexpr std::array units{unit{"ms", 1},    unit{"s", 1e3},    unit{"min", 6e4},
                             unit{"h", 3.6e6}, unit{"d", 8.64e7}, unit{"", 1e3}};
  const std::size_t letters = std::min(text.find_last_not_of("abcdefghijklmnopqrstuvwxyz") + 1, text.size());
  const std::string_view name = text.substr(letters);
  const auto* found = std::ranges::find(units, name, &unit::name);
  double number = 0;
  if (found == units.end() || !read_whole(text.substr(0, letters), number) || !(number >= 0)
      || number * found->millis > 9e15)
    throw std::invalid_argument("a duration such as 90, 90s, 500ms, 1.5min, 2h or 1d");
  return duration{static_cast<std::int64_t>(std::llround(number * found->millis))};
}

std::size_t read_choice(std::string_view text, std::span<const std::string_view> names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (canonical_option(text) == names[i]) return i;
    if (i > 0) all += i + 1 < names.size() ? ", " : " or ";
    all += names[i];
  }
  throw std::invalid_argument(all);
}

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

std::string default_text(duration value) {
  return duration_text(value);
}

std::string canonical_option(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      if (!text.empty() && text.back() != '_') text += '_';
      text += static_cast<char>(c - 'A' + 'a');
    } else {
      text += c == '-' ? '_' : c;
    }
  }
  return text;
}

const option_entry* nearest_option(std::string_view name, std::span<const option_entry> entries) {
  const std::string wanted = canonical_option(name);
  const option_entry* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  const auto consider = [&](const option_entry& e, std::string_view spelling) {
    const std::size_t distance = edit_distance(wanted, canonical_option(spelling));
    if (distance >= least) return;
    least = distance;
    nearest = &e;
  };
  for (const option_entry& e : entries) {
    consider(e, e.name);
    for (const auto& a : e.aliases) consider(e, a);
  }
  return nearest;
}

}  // namespace millrace
