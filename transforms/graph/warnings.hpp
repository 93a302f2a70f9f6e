#pragma once

#include <millrace/transforms/graph/graph.hpp>

#include <string>
#include <vector>

namespace millrace {

// Something that a pipeline may do and that is seldom meant.
struct graph_warning {
  std::string path;  // of the transform
  std::string text;  // what happens, and the remedy

  friend bool operator==(const graph_warning&, const graph_warning&) = default;
};

// What is doubtful about a graph, in the order of its transforms. The rules:
// - state of a function in the global window of unbounded input, which has no timer that could clear it, does not say
//   `clears_state` and so may grow for ever; likewise groups that keep all their elements there;
// - processing-time timers over bounded input, which are dropped when it ends, unless the function also has event
//   timers or on_window_expiration, or says `drops_timers`;
// - an allowed lateness of ten years or more in windows of unbounded input that a step keeps state for;
// - files without windows for unbounded input;
// - panes that repeat what earlier ones had (accumulating, and more than one for a window) written by a sink that only
//   adds, or grouped again, unless a step between them says `picks_panes`.
[[nodiscard]] std::vector<graph_warning> graph_warnings(const graph& of);

// `warning: transform "PATH": TEXT`.
[[nodiscard]] std::string to_text(const graph_warning& w);

}  // namespace millrace
