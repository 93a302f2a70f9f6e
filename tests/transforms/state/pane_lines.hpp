#pragma once

#include "collected_panes.hpp"

#include <optional>
#include <string>
#include <vector>

namespace millrace::transcripts {

// An element between two steps, or an output of the last one.
struct flowing_element {
  std::string key;
  std::string value;
  timestamp at;
  window_set windows;
  pane_info pane;
};

// What a step with this transform makes of a pane; nothing where the pane has no value.
[[nodiscard]] std::optional<flowing_element> result_of(const std::string& transform, const collected_pane& pane);

// Whether an output is what the words of an expectation say.
[[nodiscard]] bool agrees(const flowing_element& output, std::vector<std::string> expected);

// Readable text of an output, in the form of expectations.
[[nodiscard]] std::string text_of(const flowing_element& output);

}  // namespace millrace::transcripts
