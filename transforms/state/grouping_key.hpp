#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/state/group_buffers.hpp>
#include <millrace/transforms/triggers/pane_tracker.hpp>
#include <millrace/transforms/triggers/trigger_state.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace {

// What a grouping keeps for one key and window. A closed window is only a mark that its trigger has finished; it stays
// until the window expires, so that no element opens the window again.
struct group_window {
  window in;
  trigger_state trigger;
  pane_tracker panes;
  buffer_id buffer = 0;
  bool has_buffer = false;
  bool fresh = false;     // elements came since the last pane
  bool closed = false;    // the trigger has finished
  bool past_end = false;  // the watermark has passed the end, and the trigger has been looked at since
  bool touched = false;   // by the bundle that is open
  std::optional<timestamp> element_hold;
  std::optional<timestamp> expiry_hold;
  std::optional<timestamp> clock_timer;
};

// An element that waits for the end of its bundle, since its window may merge with others of the bundle.
struct pending_element {
  window in;
  timestamp at;
  std::uint32_t row;
};

// One key of a grouping with its windows in order.
struct group_key {
  std::string key;
  std::vector<group_window> windows;
  std::vector<pending_element> pending;
  std::uint64_t event = 0;                        // the last event that touched it
  timestamp output_watermark = timestamp::min();  // of the key before that event

  // The window, or null.
  [[nodiscard]] group_window* find(const window& in) {
    const auto at = std::ranges::lower_bound(windows, in, {}, &group_window::in);
    return at != windows.end() && at->in == in ? &*at : nullptr;
  }
  // Puts a window that is not there into its place.
  group_window& insert(group_window made) {
    const auto at = std::ranges::lower_bound(windows, made.in, {}, &group_window::in);
    return *windows.insert(at, std::move(made));
  }
  // The least hold, or max().
  [[nodiscard]] timestamp hold() const {
    timestamp least = timestamp::max();
    for (const group_window& w : windows)
      least = std::min({least, w.element_hold.value_or(timestamp::max()), w.expiry_hold.value_or(timestamp::max())});
    return least;
  }
};

}  // namespace millrace
