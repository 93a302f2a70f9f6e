#pragma once

#include <millrace/transforms/element/time.hpp>

#include <compare>

namespace millrace {

// A half-open interval of event time, [start, end), held by value. Every window of the model is one; the global window
// is the interval that holds every timestamp an element may have.
struct window {
  timestamp start = timestamp::min();
  timestamp end = timestamp::end_of_global_window() + duration{1};

  static constexpr window global() { return {}; }

  // The greatest timestamp inside: end - 1 ms.
  [[nodiscard]] constexpr timestamp max_timestamp() const { return end - duration{1}; }
  [[nodiscard]] constexpr bool is_global() const { return *this == global(); }
  [[nodiscard]] constexpr bool contains(timestamp t) const { return start <= t && t < end; }
  // Touching intervals do not intersect.
  [[nodiscard]] constexpr bool intersects(const window& other) const { return start < other.end && other.start < end; }
  [[nodiscard]] constexpr window span(const window& other) const {
    return {std::min(start, other.start), std::max(end, other.end)};
  }

  friend constexpr auto operator<=>(const window&, const window&) = default;
};

}  // namespace millrace
