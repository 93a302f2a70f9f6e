#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>

#include <algorithm>
#include <cstdint>

namespace millrace {

namespace detail {

// The remainder with the sign of the divisor, which must be positive.
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t divisor) {
  const std::int64_t remainder = a % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

// [start, start + size), cut at the bounds of model time and at the end of the global window.
constexpr window clipped_window(std::int64_t start, duration size) {
  constexpr timestamp last = timestamp::end_of_global_window() + duration{1};
  const timestamp end = std::min(timestamp{start} + size, last);
  return {std::clamp(timestamp{start}, timestamp::min(), end), end};
}

}  // namespace detail

// Windows of one size, one after the other; every timestamp is in exactly one. The last one is cut so that it ends with
// the global window.
struct fixed_windows {
  duration size;
  duration offset{0};

  [[nodiscard]] constexpr window assign_one(timestamp t) const {
    const std::int64_t start = t.millis() - detail::floor_mod(t.millis() - offset.count(), size.count());
    return detail::clipped_window(start, size);
  }

  friend bool operator==(const fixed_windows&, const fixed_windows&) = default;
};

}  // namespace millrace
