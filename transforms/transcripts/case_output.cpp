#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace millrace::transcripts {

namespace {

bool is_bag(std::string_view text) {
  return text.size() >= 2 && text.front() == '{' && text.back() == '}';
}

std::string canonical(std::string_view text);

// The values of a bag, in order, with every bag among them in order.
std::vector<std::string> values_of(std::string_view bag) {
  std::vector<std::string> parts;
  std::size_t from = 1;
  int depth = 0;
  for (std::size_t i = 1; i < bag.size(); ++i) {
    if (depth == 0 && (bag[i] == ',' || i + 1 == bag.size())) {
      if (i > from) parts.push_back(canonical(bag.substr(from, i - from)));
      from = i + 1;
    }
    depth += bag[i] == '{' ? 1 : bag[i] == '}' ? -1 : 0;
  }
  std::ranges::sort(parts);
  return parts;
}

std::string canonical(std::string_view text) {
  return is_bag(text) ? bag_text(values_of(text)) : std::string(text);
}

std::optional<double> fraction_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool equal_values(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (is_bag(a) && is_bag(b)) {
    const auto values = values_of(a);
    const auto others = values_of(b);
    return std::ranges::equal(values, others, [](const auto& x, const auto& y) { return equal_values(x, y); });
  }
  if (a.find('.') == std::string_view::npos && b.find('.') == std::string_view::npos) return false;
  const auto x = fraction_of(a);
  const auto y = fraction_of(b);
  return x && y && std::abs(*x - *y) < 1e-6;
}

std::string timing_word(pane_timing timing) {
  switch (timing) {
  case pane_timing::early:
    return "EARLY";
  case pane_timing::on_time:
    return "ON_TIME";
  case pane_timing::late:
    return "LATE";
  case pane_timing::unknown:
    break;
  }
  return {};
}

}  // namespace

std::string bag_text(std::vector<std::string> values) {
  std::ranges::sort(values);
  std::string text{"{"};
  for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
  return text + "}";
}

bool agrees(const case_output& output, const expected_output& expected) {
  const pane_info& pane = output.at.pane;
  if (output.key != expected.key || output.at.in != expected.in) return false;
  if (!equal_values(output.value, expected.value)) return false;
  if (expected.at && output.at.time != *expected.at) return false;
  if (expected.timing && pane.timing != *expected.timing) return false;
  if (!expected.numbered) return true;
  return pane.index == expected.index && pane.non_speculative_index == expected.non_speculative_index
         && pane.is_first == expected.is_first && pane.is_last == expected.is_last;
}

std::string text_of(const case_output& output) {
  const pane_info& pane = output.at.pane;
  std::string text = output.key == "k" ? "" : output.key + " ";
  text += window_word(output.at.in) + " " + output.value + " @" + time_text(output.at.time);
  if (pane.timing == pane_timing::unknown) return text;
  text += " " + timing_word(pane.timing) + " " + std::to_string(pane.index) + "/"
          + std::to_string(pane.non_speculative_index);
  return text + (pane.is_first ? " F" : "") + (pane.is_last ? " L" : "");
}

}  // namespace millrace::transcripts
