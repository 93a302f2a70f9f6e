#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/triggers/trigger.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace millrace {

// What a pane shows: only what came since the last one, or everything so far.
enum class panes : std::uint8_t { discarding, accumulating };

// The timestamp of a pane: the last instant of its window, or the least or greatest time of its on-time elements.
enum class timestamp_combiner : std::uint8_t { end_of_window, earliest, latest };

// Whether a pane without new elements is given out: always, or not.
enum class fires : std::uint8_t { always, if_non_empty };

// What a user writes to window a collection. Each field counts only if it is written; what is not written continues as
// it was, except that the allowed lateness never becomes less.
//   window_into("per minute", {.into = fixed(1min), .fire = at_watermark().late(each_element{}),
//                              .keep = panes::accumulating, .allowed_lateness = 1h})
struct windowing {
  std::optional<window_fn> into = {};
  std::optional<trigger> fire = {};
  std::optional<panes> keep = {};
  std::optional<duration> allowed_lateness = {};
  std::optional<timestamp_combiner> timestamps = {};
  std::optional<fires> closing = {};  // the pane of a window that expires, if it has no new elements
  std::optional<fires> on_time = {};  // the on-time pane, if it has no new elements

  friend bool operator==(const windowing&, const windowing&) = default;
};

// How a collection is windowed: all decisions made. A value that the graph keeps for every collection and that each
// grouping obeys.
struct windowing_strategy {
  window_fn into = {};
  trigger fire = {};
  panes keep = panes::discarding;
  duration allowed_lateness{0};
  timestamp_combiner timestamps = timestamp_combiner::end_of_window;
  fires closing = fires::if_non_empty;
  fires on_time = fires::always;
  bool already_merged = false;    // a grouping has merged the windows: the next one takes them as they are
  bool lateness_written = false;  // the user has said so, now or in an earlier window_into
  bool panes_written = false;

  // Windows of one key merge at a grouping.
  [[nodiscard]] bool merges() const { return into.merging() && !already_merged; }
  // The last instant at which a window still takes elements. It expires when the watermark is above it.
  [[nodiscard]] timestamp expiry(const window& w) const {
    return std::min(w.max_timestamp() + allowed_lateness, timestamp::end_of_global_window());
  }
  // Readable and exact: equal text, equal strategy. Part of a graph's fingerprint.
  [[nodiscard]] std::string describe() const;
  // What of it windows that a grouping has begun cannot change: the function, what panes show, and their timestamps.
  // Trigger and lateness may.
  [[nodiscard]] std::string describe_kept() const;

  friend bool operator==(const windowing_strategy&, const windowing_strategy&) = default;
};

// The strategy after a window_into with `options`. A negative lateness is kept for window_refusal to tell.
[[nodiscard]] windowing_strategy compose(const windowing_strategy& old, const windowing& options);

// The strategy of what a grouping gives out: windows are merged for good, the trigger is its continuation.
[[nodiscard]] windowing_strategy after_grouping(const windowing_strategy& grouped);

// The strategy with windows that may merge again.
[[nodiscard]] windowing_strategy remerged(const windowing_strategy& merged);

// Both may be flattened into one collection: compatible windows and equal triggers.
[[nodiscard]] bool compatible(const windowing_strategy& a, const windowing_strategy& b);

// Why a window_into that gives `composed` must be refused, with the remedy; nothing if it is sound. Asked once per
// window_into, of the result of compose.
[[nodiscard]] std::optional<std::string> window_refusal(const windowing_strategy& composed);

// What a grouping knows of its input besides the strategy.
struct grouping_input {
  bool bounded = false;
  bool unsafe_triggers_allowed = false;
};

// Why a grouping of a collection with `strategy` must be refused, with the remedy; nothing if it is sound.
[[nodiscard]] std::optional<std::string> grouping_refusal(const windowing_strategy& strategy, grouping_input input);

}  // namespace millrace
