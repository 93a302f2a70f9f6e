#include <millrace/transforms/windows/merging.hpp>

#include <algorithm>
#include <span>
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

}  // namespace millrace
