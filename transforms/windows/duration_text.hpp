#pragma once

#include <millrace/transforms/element/time.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace millrace {

// A duration in its largest unit that needs no fraction: "1min", "90s", "0ms". Different durations give different text.
inline std::string duration_text(duration d) {
  struct unit {
    std::int64_t millis;
    const char* name;
  };
  constexpr std::array units{unit{86'400'000, "d"}, unit{3'600'000, "h"}, unit{60'000, "min"}, unit{1'000, "s"}};
  for (const unit& u : units) {
    if (d.count() != 0 && d.count() % u.millis == 0) return std::to_string(d.count() / u.millis) + u.name;
  }
  return std::to_string(d.count()) + "ms";
}

}  // namespace millrace
