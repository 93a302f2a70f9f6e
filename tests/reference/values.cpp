#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>

namespace reference {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t integer(const std::string& text) {
  const auto value = whole_number(text);
  if (!value) throw failure("not an integer: " + text);
  return *value;
}

std::string mean_of(std::int64_t sum, std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  if (sum % size == 0) return std::to_string(sum / size);
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", static_cast<double>(sum) / static_cast<double>(count));
  return text;
}

}  // namespace

std::string bag_of(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  std::string text = "{";
  for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
  return text + "}";
}

std::optional<std::vector<std::string>> values_of_bag(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> values;
  if (text.empty()) return values;
  int depth = 0;
  values.emplace_back();
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

std::string sorted_bags(std::string_view value) {
  auto values = values_of_bag(value);
  if (!values) return std::string(value);
  for (std::string& inner : *values) inner = sorted_bags(inner);
  return bag_of(*std::move(values));
}

std::optional<instant> instant_of(std::string_view text) {
  if (text == "min") return min_time;
  if (text == "max") return max_time;
  if (text == "gwmax") return global_max_time;
  return whole_number(text);
}

std::optional<std::string> combined(transform_kind kind, const std::vector<std::string>& values) {
  if (kind == transform_kind::group) return bag_of(values);
  if (kind == transform_kind::count) return std::to_string(values.size());
  if (kind == transform_kind::distinct) return std::string();
  std::vector<std::int64_t> numbers;
  for (const std::string& value : values) numbers.push_back(integer(value));
  const std::int64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  if (kind == transform_kind::sum) return std::to_string(sum);
  if (numbers.empty()) return std::nullopt;
  if (kind == transform_kind::mean) return mean_of(sum, numbers.size());
  return std::to_string(*std::max_element(numbers.begin(), numbers.end()));
}

}  // namespace reference
