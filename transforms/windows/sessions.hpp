#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/fixed.hpp>

namespace millrace {

// Sessions: each element opens [t, t + gap), and at a grouping windows of one key that intersect merge into their span.
struct session_windows {
  duration gap;

  [[nodiscard]] window assign_one(timestamp t) const { return detail::clipped_window(t.millis(), gap); }

  friend bool operator==(const session_windows&, const session_windows&) = default;
};

}  // namespace millrace
