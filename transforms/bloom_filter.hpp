#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace millrace {

// How a Bloom filter is cut to size: it is divided into blocks of 4096 bits, and a value sets a few bits of one block.
struct bloom_shape {
  std::uint32_t blocks = 1;
  std::uint32_t bits_of_value = 1;

  // The shape in which at most the part `false_positives` (0.000001 to 0.5) of new values seems known once `values`
  // are in the filter. Blocks do not fill evenly, which the formula for an undivided filter leaves out: every block has
  // room for some more.
  static bloom_shape for_values(std::uint64_t values, double false_positives);
  // The block that a hash belongs to.
  static std::uint32_t block_of(std::uint64_t hash, std::uint32_t blocks);
};

// One block: a set of hashes that may claim to hold one that it does not, never the other way round. Plain memory.
struct bloom_block {
  static constexpr std::uint32_t bits = 4096;

  void add(std::uint64_t hash, std::uint32_t bits_of_value);
  [[nodiscard]] bool may_hold(std::uint64_t hash, std::uint32_t bits_of_value) const;
  [[nodiscard]] bool empty() const;

  std::array<std::uint64_t, bits / 64> words{};
};

}  // namespace millrace
