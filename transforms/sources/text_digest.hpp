#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

// 64 bits that almost surely differ where two texts differ, as 16 hexadecimal digits, the same on every machine
// (FNV-1a). It tells programs apart; it does not resist anyone who looks for collisions.
inline std::string text_digest(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[(hash >> static_cast<unsigned>(shift)) & 15U];
  return digits;
}

}  // namespace millrace
