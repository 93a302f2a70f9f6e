#pragma once

#include "program.hpp"

namespace reference {

// How the elements at one place of a pipeline are windowed, and what a grouping there must do about it.
struct strategy {
  window_function windows;
  trigger firing_trigger;
  instant lateness = 0;
  accumulation panes = accumulation::discarding;
  timestamp_combiner timestamps = timestamp_combiner::end_of_window;
  firing on_time = firing::always;
  firing closing = firing::if_non_empty;
  bool lateness_given = false;
  bool panes_given = false;
  bool already_merged = false;  // a grouping has merged the windows: they merge no more

  // Whether windows of one key merge.
  [[nodiscard]] bool merges() const { return windows.kind == window_kind::sessions && !already_merged; }
};

// The strategy behind the window_into and the remerge of a step. Throws refusal.
[[nodiscard]] strategy after_settings(strategy input, const step& of);

// The strategy behind the transform of a step.
[[nodiscard]] strategy after_transform(strategy input, const transform& what);

// Whether the transform groups elements by key and window.
[[nodiscard]] bool is_grouping(transform_kind kind);

// Whether the transform reads a side input.
[[nodiscard]] bool reads_side_input(transform_kind kind);

// Throws refusal where the transform may not be applied to elements that are windowed so.
void check_transform(const strategy& input, const transform& what, const program& in);

}  // namespace reference
