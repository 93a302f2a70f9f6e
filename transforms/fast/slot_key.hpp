#pragma once

#include <millrace/transforms/bundles/column.hpp>
#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/fast/block_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace millrace {

// The bytes of a table's long keys. They live as long as the rows of the table and go back to the pool as a whole.
class key_arena {
 public:
  explicit key_arena(block_pool& pool) : pool_(&pool) {}
  key_arena(const key_arena&) = delete;
  key_arena& operator=(const key_arena&) = delete;
  ~key_arena() { clear(); }

  // Copies a key; at() finds it again by the number.
  std::uint32_t keep(std::string_view key);
  [[nodiscard]] const char* at(std::uint32_t where) const {
    return reinterpret_cast<const char*>(blocks_[where >> offset_bits].bytes) + (where & offset_mask);
  }
  void clear();

 private:
  static constexpr unsigned offset_bits = 16;
  static constexpr std::uint32_t offset_mask = (1U << offset_bits) - 1;
  static constexpr std::size_t block_bytes = std::size_t{1} << offset_bits;
  struct block {
    std::byte* bytes;
    std::size_t size_bytes;
  };

  block_pool* pool_;
  std::vector<block> blocks_;
  std::size_t used_ = block_bytes;  // of the last block
};

// How a key of at most 8 bytes lies in a slot: as a number. Zero marks an empty slot.
struct word_key {
  std::uint64_t word;

  [[nodiscard]] static std::uint64_t hash(word_key key) { return key_hash(key.word); }
  [[nodiscard]] bool empty() const { return word == 0; }
  [[nodiscard]] bool equal(word_key other, const key_arena& /*arena*/) const { return word == other.word; }
  [[nodiscard]] static bool needs_own_slot(word_key key) { return key.word == 0; }
  [[nodiscard]] static word_key stored(word_key key, key_arena& /*arena*/) { return key; }
  [[nodiscard]] word_key view(const key_arena& /*arena*/) const { return *this; }
};

// How a key of 9 to 16 bytes lies in a slot.
struct wide_key {
  std::uint64_t low;
  std::uint64_t high;

  [[nodiscard]] static std::uint64_t hash(wide_key key) { return key_hash(key.low ^ key_hash(key.high)); }
  [[nodiscard]] bool empty() const { return (low | high) == 0; }
  [[nodiscard]] bool equal(wide_key other, const key_arena& /*arena*/) const {
    return ((low ^ other.low) | (high ^ other.high)) == 0;
  }
  [[nodiscard]] static bool needs_own_slot(wide_key key) { return key.empty(); }
  [[nodiscard]] static wide_key stored(wide_key key, key_arena& /*arena*/) { return key; }
  [[nodiscard]] wide_key view(const key_arena& /*arena*/) const { return *this; }
};

// How any other key lies in a slot: its first 16 bytes, and where all of them are if there are more. A view of such a
// key must have 16 readable bytes from its start on, which columns and slots see to.
struct bytes_key {
  static constexpr std::size_t head_bytes = 16;
  std::uint64_t low;
  std::uint64_t high;
  std::uint32_t where;
  std::uint32_t size_and_one;  // zero marks an empty slot

  [[nodiscard]] static std::uint64_t hash(std::string_view key) {
    const wide_key head = head_of(key);
    std::uint64_t h = key_hash(head.low ^ (head.high * detail::length_factor) ^ key.size());
    for (std::size_t i = head_bytes; i < key.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, key.data() + i, std::min(sizeof word, key.size() - i));
      h = key_hash(h ^ word);
    }
    return h;
  }
  [[nodiscard]] bool empty() const { return size_and_one == 0; }
  [[nodiscard]] bool equal(std::string_view key, const key_arena& arena) const {
    const wide_key head = head_of(key);
    if (((low ^ head.low) | (high ^ head.high) | (size_and_one ^ (key.size() + 1))) != 0) return false;
    return key.size() <= head_bytes
           || std::memcmp(arena.at(where) + head_bytes, key.data() + head_bytes, key.size() - head_bytes) == 0;
  }
  [[nodiscard]] static bool needs_own_slot(std::string_view /*key*/) { return false; }
  [[nodiscard]] static bytes_key stored(std::string_view key, key_arena& arena) {
    const wide_key head = head_of(key);
    return {head.low, head.high, key.size() > head_bytes ? arena.keep(key) : 0,
            static_cast<std::uint32_t>(key.size()) + 1};
  }
  // Of the slot itself where the key is short: valid until the slot changes.
  [[nodiscard]] std::string_view view(const key_arena& arena) const {
    const std::size_t size = size_and_one - 1;
    return {size > head_bytes ? arena.at(where) : reinterpret_cast<const char*>(this), size};
  }

 private:
  static wide_key head_of(std::string_view key) {
    // A load that begins n bytes before the middle keeps n bytes.
    static constexpr std::uint64_t ones = ~std::uint64_t{0};
    static constexpr std::uint64_t keep[4] = {ones, ones, 0, 0};
    const char* mask = reinterpret_cast<const char*>(keep) + head_bytes - std::min(key.size(), head_bytes);
    return {detail::loaded<std::uint64_t>(key.data()) & detail::loaded<std::uint64_t>(mask),
            detail::loaded<std::uint64_t>(key.data() + 8) & detail::loaded<std::uint64_t>(mask + 8)};
  }
};

// The kind of slot key that serves Key, and what a column of keys and a table hand to each other.
template <class Key>
using slot_key_of = std::conditional_t<!fixed_width_key<Key>, bytes_key,
                                       std::conditional_t<(sizeof(Key) <= sizeof(std::uint64_t)), word_key, wide_key>>;
template <class Key>
using key_view = std::conditional_t<fixed_width_key<Key>, slot_key_of<Key>, std::string_view>;

// The view of a fixed key that lies at `from`, which need not be aligned.
template <class Key>
[[nodiscard]] key_view<Key> load_key_view(const void* from) {
  static_assert(fixed_width_key<Key>);
  key_view<Key> view{};
  std::memcpy(&view, from, sizeof(Key));
  return view;
}

// The key itself again.
template <class Key>
[[nodiscard]] Key key_from_view(const key_view<Key>& view) {
  if constexpr (fixed_width_key<Key>) return load_fixed<Key>(reinterpret_cast<const char*>(&view));
  else return decode_key<Key>(view);
}

// The canonical bytes of the key.
template <class Key>
[[nodiscard]] std::string_view bytes_of_view(const key_view<Key>& view) {
  if constexpr (fixed_width_key<Key>) return {reinterpret_cast<const char*>(&view), sizeof(Key)};
  else return view;
}

}  // namespace millrace
