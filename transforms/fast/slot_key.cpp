#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/fast/slot_key.hpp>

namespace millrace {

std::uint32_t key_arena::keep(std::string_view key) {
  const std::size_t wanted = key.size() + bytes_key::head_bytes;
  if (used_ + wanted > block_bytes) {
    check(blocks_.size() < offset_mask, "the long keys of one window take less than 4 GiB");
    const std::size_t size = std::max(wanted, block_bytes);  // a giant has a block of its own
    blocks_.push_back({pool_->take(size), size});
    used_ = 0;
  }
  const std::size_t at = used_;
  std::memcpy(blocks_.back().bytes + at, key.data(), key.size());
  used_ += key.size();
  return static_cast<std::uint32_t>((blocks_.size() - 1) << offset_bits | at);
}

void key_arena::clear() {
  for (const block& b : blocks_) pool_->give(b.bytes, b.size_bytes);
  blocks_.clear();
  used_ = block_bytes;
}

}  // namespace millrace
