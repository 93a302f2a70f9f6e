#pragma once

#include <compare>
#include <cstdint>

namespace millrace {

// Where a pane stands relative to the watermark's passage of the end of its window. An element that has met no trigger
// is `unknown`.
enum class pane_timing : std::uint8_t { early, on_time, late, unknown };

// Which of the results of a (key, window) an element belongs to: Beam's PaneInfo. The default is NO_FIRING, the pane of
// elements that no grouping has produced.
struct pane_info {
  std::uint32_t index = 0;                 // panes of this (key, window) before this one
  std::int32_t non_speculative_index = 0;  // the same without early panes; -1 for an early pane
  pane_timing timing = pane_timing::unknown;
  bool is_first = true;
  bool is_last = true;

  friend constexpr auto operator<=>(const pane_info&, const pane_info&) = default;
};

}  // namespace millrace
