#pragma once

namespace millrace {

// What is known of an operator besides what it computes, for warnings about a graph (graph/warnings.hpp). What nobody
// says is false.
struct operator_traits {
  bool collects = false;          // a grouping that keeps every element of a pane
  bool keeps_cells = false;       // a function with state per key and window
  bool event_timers = false;      // and the timers and callbacks that it has
  bool clock_timers = false;      // on processing time
  bool tells_expiration = false;  // on_window_expiration
  bool clears_state = false;      // the function says that it clears its cells without a timer
  bool drops_timers = false;      // the function says that its processing timers may be dropped
  bool waits_for_timers = false;  // it has them fire when its input has ended
  bool picks_panes = false;       // of the panes of a key and window it lets one pass
  bool adds_only = false;         // a sink: what is written stays beside what a newer pane writes
  bool keeps_files = false;       // a sink: its output is complete when a window is
};

namespace detail {

// What a user's function says of itself by constants: `static constexpr bool clears_state = true;`.
template <class Fn>
consteval operator_traits declared_traits() {
  operator_traits traits;
  if constexpr (requires { Fn::clears_state; }) traits.clears_state = Fn::clears_state;
  if constexpr (requires { Fn::drops_timers; }) traits.drops_timers = Fn::drops_timers;
  if constexpr (requires { Fn::fires_clock_timers_at_end; }) traits.waits_for_timers = Fn::fires_clock_timers_at_end;
  if constexpr (requires { Fn::picks_panes; }) traits.picks_panes = Fn::picks_panes;
  return traits;
}

}  // namespace detail

}  // namespace millrace
