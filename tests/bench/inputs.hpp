#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace millrace::bench {

// The numbers that inputs and checksums are made of: equal on every machine.

// A bijection of 64-bit numbers that leaves no pattern.
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// The cheap hash that tables written by hand use.
inline std::uint64_t table_hash(std::uint64_t key) {
  const auto product = static_cast<unsigned __int128>(key ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint64_t>(product >> 64U) ^ static_cast<std::uint64_t>(product);
}

// The hash by which words enter a checksum.
inline std::uint64_t word_hash(std::string_view word) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : word) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

// A stream of random numbers from a seed.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    const std::uint64_t x = scrambled(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return x;
  }
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * limit >> 64U);
  }

 private:
  std::uint64_t state_;
};

// Ranks below n, the rank r with probability proportional to 1 / (r + 1): as words occur in text.
class zipf_ranks {
 public:
  explicit zipf_ranks(std::size_t n);
  std::size_t operator()(random_numbers& from) const {
    const auto rank = static_cast<std::size_t>(from.below(share_.size()));
    return from.next() < share_[rank] ? rank : other_[rank];
  }

 private:
  std::vector<std::uint32_t> other_;  // the alias of each rank
  std::vector<std::uint64_t> share_;  // of a draw of each rank that is its own
};

}  // namespace millrace::bench
