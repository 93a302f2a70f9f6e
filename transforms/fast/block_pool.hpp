#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace millrace {

// Memory that is faulted in once and recycled: blocks of 2^k bytes and some slack, one list of free blocks per size,
// given back to the system only with the pool. A fresh page costs more than everything else that is done with its
// rows, and windows come and go all the time. Blocks that come back zeroed are kept apart from the others. A pool
// belongs to one operator and outlives what takes from it.
class block_pool {
 public:
  // What a block has beyond a power of two: room for one slot more, and for loads past the last byte.
  static constexpr std::size_t slack_bytes = 512;

  block_pool() = default;
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool() = default;

  // At least `bytes` of memory, aligned to a cache line; the content is arbitrary.
  [[nodiscard]] std::byte* take(std::size_t bytes) { return take_from(dirty_, order_of(bytes)); }
  // Takes a block back; `bytes` as it was taken.
  void give(std::byte* block, std::size_t bytes) { dirty_[order_of(bytes)].push_back(block); }
  // The same for blocks that are all zero, both when they are taken and when they are given back.
  [[nodiscard]] std::byte* take_zeroed(std::size_t bytes);
  void give_zeroed(std::byte* block, std::size_t bytes) { zeroed_[order_of(bytes)].push_back(block); }

  // Everything that was ever taken from the system.
  [[nodiscard]] std::size_t owned_bytes() const { return owned_bytes_; }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr unsigned orders = 48;
  using blocks = std::array<std::vector<std::byte*>, orders>;
  struct release {
    void operator()(std::byte* block) const { ::operator delete(block, alignment); }
  };

  static unsigned order_of(std::size_t bytes);
  static std::size_t size_of(unsigned order) { return (std::size_t{1} << order) + slack_bytes; }
  std::byte* take_from(blocks& from, unsigned order);

  blocks dirty_;
  blocks zeroed_;
  std::vector<std::unique_ptr<std::byte, release>> owned_;
  std::size_t owned_bytes_ = 0;
};

}  // namespace millrace
