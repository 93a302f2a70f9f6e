#include <millrace/transforms/windows/merging.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace millrace {

std::vector<window> merged_windows(std::span<const window> windows) {
  std::vector<window> sorted{windows.begin(), windows.end()};
  std::ranges::sort(sorted);
  std::vector<window> merged;
  for (const window& w : sorted) {
    if (!merged.empty() && merged.back().intersects(w)) merged.back() = merged.back().span(w);
    else merged.push_back(w);
  }
  return merged;
}

window_merging::window_merging(const window_fn& fn, std::span<const window> active) : by_span_(fn.custom() == nullptr) {
  if (by_span_) results_ = merged_windows(active);
  else merge_by(*fn.custom(), active);
}

const window& window_merging::target(const window& active) const {
  if (!by_span_) {
    const auto found = targets_.find(active);
    return found == targets_.end() ? active : found->second;
  }
  return *std::prev(std::ranges::upper_bound(results_, active.start, {}, &window::start));
}

void window_merging::merge_by(const custom_window_fn& fn, std::span<const window> active) {
  std::vector<window> sorted{active.begin(), active.end()};
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  const auto refuse = [&](const window& w, const std::string& why) {
    throw window_error("window function " + fn.describe() + " merges " + window_text(w) + why);
  };
  const auto asked = [&] {
    try {
      return fn.merge(sorted);
    } catch (const std::exception& e) {
      throw window_error("window function " + fn.describe() + " fails to merge: " + e.what());
    }
  };
  for (const window_merge& m : asked()) {
    if (m.into.start >= m.into.end || m.into.start < timestamp::min() || m.into.end > window::global().end)
      refuse(m.into, " out of others; a window begins before it ends, and lies inside the bounds of time");
    for (const window& w : m.from) {
      if (!std::ranges::binary_search(sorted, w)) refuse(w, ", which is no active window of the key");
      if (!targets_.try_emplace(w, m.into).second) refuse(w, " twice; the windows of its merges must not overlap");
      if (w.max_timestamp() > m.into.max_timestamp())
        refuse(w,
               " into " + window_text(m.into) + ", which ends before it; a merged window holds the ends of its parts");
    }
    if (std::ranges::binary_search(sorted, m.into) && std::ranges::find(m.from, m.into) == m.from.end())
      refuse(m.into, " with windows that it does not name; a merged window is new or one of its parts");
  }
  for (const window& w : sorted) targets_.try_emplace(w, w);
  for (const auto& [from, into] : targets_) results_.push_back(into);
  std::ranges::sort(results_);
  results_.erase(std::ranges::unique(results_).begin(), results_.end());
}

}  // namespace millrace
