#include "pane_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace millrace::transcripts {

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

case_output output_of(const flowing_element& element) {
  return {element.key, element.value, {element.at, element.windows.front(), element.pane}};
}

}  // namespace millrace::transcripts
