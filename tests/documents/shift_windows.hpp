#pragma once

#include <millrace/transforms/window_into.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace millrace {

// The early, the late or the night shift of a moment, eight hours each from 6:00 UTC, and the day that it counts to.
class shift_windows {
 public:
  [[nodiscard]] std::vector<window> assign(timestamp t) const {
    const auto whole = [t](duration length) { return fixed_windows{length, std::chrono::hours{6}}.assign_one(t); };
    return {whole(std::chrono::hours{8}), whole(std::chrono::days{1})};
  }
  [[nodiscard]] std::string describe() const { return "shifts and days from 6:00"; }
};

}  // namespace millrace
