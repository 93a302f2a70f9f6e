#include "reading.hpp"

#include <millrace/io/json_lines.hpp>
#include <millrace/io/timestamps.hpp>
#include <millrace/transforms/operators/failure.hpp>

#include <charconv>
#include <stdexcept>

namespace telemetry {

namespace mr = millrace;

namespace {

// What a sensor can measure.
constexpr double coldest_celsius = -90;
constexpr double hottest_celsius = 60;

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<std::uint64_t> device_number(std::string_view name) {
  if (!name.starts_with("s-")) return std::nullopt;
  name.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::optional<std::string_view> field_text(std::string_view line, std::string_view quoted_name) {
  const std::size_t at = line.find(quoted_name);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = without_spaces(line.substr(at + quoted_name.size()));
  if (!rest.starts_with(':')) return std::nullopt;
  rest = without_spaces(rest.substr(1));
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  const std::size_t end = rest.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<mr::timestamp> time_of_line(std::string_view line) {
  const auto text = field_text(line, "\"time\"");
  return text ? mr::read_timestamp(*text) : std::nullopt;
}

received parse(const std::string& line) {
  received r{line, mr::parse_json_line<reading>(line)};
  const double celsius = r.of.celsius;
  if (!(celsius >= coldest_celsius && celsius <= hottest_celsius))
    throw std::out_of_range("celsius is " + mr::describe_number(celsius) + ", expected a temperature from -90 to 60");
  return r;
}

}  // namespace telemetry
