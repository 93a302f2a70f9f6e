#pragma once

#include <cstdint>

namespace millrace::detail {

// A number whose bits all depend on all bits of `x` (the finalizer of splitmix64): hashes and counters become draws
// that are as good as independent of each other.
constexpr std::uint64_t scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace millrace::detail
