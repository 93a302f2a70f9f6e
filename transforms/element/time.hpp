#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>

namespace millrace {

// The unit of model time. Finer durations are floored by whoever converts them.
using duration = std::chrono::milliseconds;

// A point of event or processing time: milliseconds since 1970-01-01T00:00:00Z, bounded as in the model so that
// microseconds fit 64 bits. min() and max() stand for minus and plus infinity; arithmetic saturates at them. A finer
// std::chrono time point is floored when it becomes a timestamp.
class timestamp {
 public:
  constexpr timestamp() = default;
  constexpr explicit timestamp(std::int64_t millis) : millis_(millis) {}
  template <class Duration>
  constexpr timestamp(
      std::chrono::time_point<std::chrono::system_clock, Duration> t)  // NOLINT(google-explicit-constructor)
      : millis_(std::chrono::floor<duration>(t).time_since_epoch().count()) {}

  static constexpr timestamp min() { return timestamp{-9223372036854775}; }
  static constexpr timestamp max() { return timestamp{9223372036854775}; }
  // The last instant of the global window: one day before max(), so that timers set there fire at the end of input.
  static constexpr timestamp end_of_global_window() { return timestamp{9223371950454775}; }

  [[nodiscard]] constexpr std::int64_t millis() const { return millis_; }

  friend constexpr auto operator<=>(timestamp, timestamp) = default;
  friend constexpr timestamp operator+(timestamp t, duration d) { return saturated(t.millis_, d.count()); }
  friend constexpr timestamp operator-(timestamp t, duration d) { return saturated(t.millis_, -d.count()); }
  friend constexpr duration operator-(timestamp a, timestamp b) { return duration{a.millis_ - b.millis_}; }

 private:
  static constexpr timestamp saturated(std::int64_t t, std::int64_t d) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(t, d, &sum)) return d > 0 ? max() : min();
    return timestamp{std::clamp(sum, min().millis_, max().millis_)};
  }

  std::int64_t millis_ = 0;
};

}  // namespace millrace
