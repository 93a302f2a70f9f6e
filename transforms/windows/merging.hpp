#pragma once

#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <map>
#include <span>
#include <vector>

namespace millrace {

// The disjoint spans that `windows` merge into, in order: windows that intersect, directly or through others, become
// one; touching ends do not merge. `windows` may be in any order and repeat.
[[nodiscard]] std::vector<window> merged_windows(std::span<const window> windows);

// What the active windows of one key merge into at a grouping: by the rule of their window function, which for sessions
// is that of merged_windows.
class window_merging {
 public:
  // `active` may be in any order and repeat. Throws window_error where a function of a user merges what is not active,
  // a window twice, or into an active window of another set.
  window_merging(const window_fn& fn, std::span<const window> active);

  // The windows that there are afterwards, in order.
  [[nodiscard]] const std::vector<window>& results() const { return results_; }
  // The result that an active window is part of; the window itself if it is none.
  [[nodiscard]] const window& target(const window& active) const;

 private:
  void merge_by(const custom_window_fn& fn, std::span<const window> active);

  std::vector<window> results_;
  bool by_span_ = true;
  std::map<window, window> targets_;  // unless by span
};

}  // namespace millrace
