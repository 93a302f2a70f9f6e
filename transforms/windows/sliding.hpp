#pragma once

#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <cstdint>
#include <vector>

namespace millrace {

// Windows of one size that begin every `period`. A timestamp is in about size / period of them; where the period is
// longer than the size some timestamps are in none, and such elements reach no grouping.
struct sliding_windows {
  duration size;
  duration period;
  duration offset{0};

  // The windows of `t`, latest first.
  [[nodiscard]] window_set assign(timestamp t) const {
    const std::int64_t last = last_start(t);
    if (last <= t.millis() - size.count()) return {};
    if (last - period.count() <= t.millis() - size.count()) return detail::clipped_window(last, size);
    std::vector<window> all;
    for (std::int64_t start = last; start > t.millis() - size.count(); start -= period.count())
      all.push_back(detail::clipped_window(start, size));
    return window_set{all};
  }

  // The start of the latest window that begins at or before `t`, which need not reach it.
  [[nodiscard]] std::int64_t last_start(timestamp t) const {
    return t.millis() - detail::floor_mod(t.millis() - offset.count(), period.count());
  }

  friend bool operator==(const sliding_windows&, const sliding_windows&) = default;
};

}  // namespace millrace
