#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace millrace {

namespace detail {

inline std::uint64_t mixed(std::uint64_t x) {
  const auto product = static_cast<unsigned __int128>(x ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint64_t>(product >> 64U) ^ static_cast<std::uint64_t>(product);
}

template <class Word>
std::uint64_t loaded(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

inline constexpr std::uint64_t length_factor = 0x9fb21c651e98df25ULL;

}  // namespace detail

// The hash of a key's bytes. Equal in every process, since slices are owned by it: the top byte is the slice, tables
// use the low bits.
inline std::uint64_t key_hash(std::string_view key) {
  const char* p = key.data();
  const std::size_t n = key.size();
  const std::uint64_t seed = n * detail::length_factor;
  if (n <= 8) {
    std::uint64_t x = 0;
    if (n >= 4) x = detail::loaded<std::uint32_t>(p) | detail::loaded<std::uint32_t>(p + n - 4) << 32U;
    else if (n > 0)
      x = detail::loaded<std::uint8_t>(p) | detail::loaded<std::uint8_t>(p + n / 2) << 8U
          | detail::loaded<std::uint8_t>(p + n - 1) << 16U;
    if (n == 8) x = detail::loaded<std::uint64_t>(p);
    return detail::mixed(x ^ seed);
  }
  std::uint64_t h = seed;
  for (std::size_t i = 0; i + 8 < n; i += 8) h = detail::mixed(h ^ detail::loaded<std::uint64_t>(p + i));
  return detail::mixed(h ^ detail::loaded<std::uint64_t>(p + n - 8));
}

// The same value for a key whose bytes are 8 bytes of memory.
inline std::uint64_t key_hash(std::uint64_t key) {
  return detail::mixed(key ^ 8 * detail::length_factor);
}

inline std::uint32_t slice_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 56U);
}

}  // namespace millrace
