#pragma once

#include <millrace/transforms/element/window.hpp>

#include <span>
#include <vector>

namespace millrace {

// The disjoint spans that `windows` merge into, in order: windows that intersect, directly or through others, become
// one; touching ends do not merge. `windows` may be in any order and repeat.
[[nodiscard]] std::vector<window> merged_windows(std::span<const window> windows);

}  // namespace millrace
