#include "pane_lines.hpp"

#include "transcript_case.hpp"

#include <millrace/transforms/windows/window_fn.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace millrace::transcripts {

namespace {

std::string bag_text(std::vector<std::string> values) {
  std::ranges::sort(values);
  std::string text{"{"};
  for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
  return text + "}";
}

// The text with every bag in it in order.
std::string canonical(const std::string& text) {
  if (text.empty() || text.front() != '{') return text;
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : std::string_view{text}.substr(1, text.size() - 2)) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(canonical(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(canonical(part));
  return bag_text(parts);
}

bool equal_values(const std::string& a, const std::string& b) {
  if (a == b || canonical(a) == canonical(b)) return true;
  const bool numbers = a.find('{') == std::string::npos && (a + b).find('.') != std::string::npos;
  return numbers && std::abs(std::stod(a) - std::stod(b)) < 1e-6;
}

std::string time_text(timestamp t) {
  if (t == timestamp::end_of_global_window()) return "gwmax";
  return std::to_string(t.millis());
}

std::string window_word(const window& w) {
  if (w.is_global()) return "global";
  return "[" + std::to_string(w.start.millis()) + "," + std::to_string(w.end.millis()) + ")";
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
  return "UNKNOWN";
}

std::vector<std::string> words_of(const flowing_element& output) {
  std::vector<std::string> words{window_word(output.windows.front()), output.value, "@" + time_text(output.at),
                                 timing_word(output.pane.timing)};
  words.push_back(std::to_string(output.pane.index) + "/" + std::to_string(output.pane.non_speculative_index));
  if (output.pane.is_first) words.emplace_back("F");
  if (output.pane.is_last) words.emplace_back("L");
  return words;
}

}  // namespace

std::optional<flowing_element> result_of(const std::string& transform, const collected_pane& pane) {
  flowing_element made{.key = pane.key, .value = {}, .at = pane.at.time, .windows = pane.at.in, .pane = pane.at.pane};
  std::vector<std::int64_t> numbers;
  if (transform == "sum" || transform == "max" || transform == "mean")
    for (const std::string& value : pane.values) numbers.push_back(std::stoll(value));
  std::int64_t sum = 0;
  for (const std::int64_t number : numbers) sum += number;
  if (transform == "group") {
    made.value = bag_text(pane.values);
  } else if (transform == "count") {
    made.value = std::to_string(pane.values.size());
  } else if (transform == "sum") {
    made.value = std::to_string(sum);
  } else if (transform == "distinct") {
    if (!pane.at.pane.is_first) return std::nullopt;
    made.value = pane.key;
    made.key = "k";
  } else {
    if (numbers.empty()) return std::nullopt;
    if (transform == "max") made.value = std::to_string(*std::ranges::max_element(numbers));
    else made.value = std::to_string(static_cast<double>(sum) / static_cast<double>(numbers.size()));
  }
  return made;
}

bool agrees(const flowing_element& output, std::vector<std::string> expected) {
  const bool keyless = expected[0].front() == '[' || expected[0] == "global";
  const std::string key = keyless ? "k" : expected[0];
  if (!keyless) expected.erase(expected.begin());
  const std::vector<std::string> words = words_of(output);
  if (output.key != key || expected.at(0) != words[0] || !equal_values(expected.at(1), words[1])) return false;
  if (expected.size() > 2 && time_of(expected[2].substr(1)) != output.at) return false;
  if (expected.size() > 3 && expected[3] != words[3]) return false;
  if (expected.size() > 4) return std::equal(expected.begin() + 4, expected.end(), words.begin() + 4, words.end());
  return true;
}

std::string text_of(const flowing_element& output) {
  std::string text = output.key;
  for (const std::string& word : words_of(output)) text += " " + word;
  return text;
}

}  // namespace millrace::transcripts
