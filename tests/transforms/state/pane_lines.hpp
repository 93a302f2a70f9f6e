#pragma once

#include "collected_panes.hpp"

#include <millrace/transforms/transcripts/case_output.hpp>

#include <optional>
#include <string>

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

// As an output of the last step.
[[nodiscard]] case_output output_of(const flowing_element& element);

}  // namespace millrace::transcripts
