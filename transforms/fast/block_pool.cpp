#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/fast/block_pool.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace millrace {

unsigned block_pool::order_of(std::size_t bytes) {
  constexpr unsigned least = 10;
  const std::size_t beyond = bytes > slack_bytes ? bytes - slack_bytes : 1;
  const auto order = std::max(least, static_cast<unsigned>(std::bit_width(beyond - 1)));
  check(order < orders, "a block of memory has a sensible size");
  return order;
}

std::byte* block_pool::take_from(blocks& from, unsigned order) {
  auto& free = from[order];
  if (!free.empty()) {
    std::byte* block = free.back();
    free.pop_back();
    return block;
  }
  const std::size_t size = size_of(order);
  owned_.emplace_back(static_cast<std::byte*>(::operator new(size, alignment)));
  owned_bytes_ += size;
  return owned_.back().get();
}

std::byte* block_pool::take_zeroed(std::size_t bytes) {
  const unsigned order = order_of(bytes);
  const bool fresh = zeroed_[order].empty();
  std::byte* block = take_from(zeroed_, order);
  if (fresh) std::memset(block, 0, size_of(order));
  return block;
}

}  // namespace millrace
