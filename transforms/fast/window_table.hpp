#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/fast/block_pool.hpp>
#include <millrace/transforms/fast/row_queue.hpp>
#include <millrace/transforms/fast/slot_key.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

// How many panes a row has given out. Allocated beside the slots, at the first firing that is not the last one.
struct pane_count {
  std::uint32_t all = 0;
  std::uint32_t early = 0;
};

// The keys and accumulators of one window: open addressing with linear probing, at most half full, and in a slot
// nothing but the two. Rows are never removed singly; a window goes as a whole. What only some windowings need lies in
// columns beside the slots: which rows are fresh (changed since they were last fired) and how many panes each has
// given. The order of a sweep is that of memory, so it depends on the keys and the order in which they came and on
// nothing else.
template <class SlotKey, class Acc>
class window_table {
  static_assert(std::is_trivially_copyable_v<Acc>);

 public:
  using view = std::conditional_t<std::is_same_v<SlotKey, bytes_key>, std::string_view, SlotKey>;

  window_table(block_pool& pool, std::uint32_t expected_rows) : pool_(pool), arena_(pool), fresh_(pool) {
    allocate(capacity_for(std::max(expected_rows, rows_least)));
  }
  window_table(const window_table&) = delete;
  window_table& operator=(const window_table&) = delete;
  ~window_table() {
    if (rows_ > 0) std::memset(static_cast<void*>(slots_), 0, slots_bytes(capacity_));
    give_back(columns());
  }

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  // Row numbers are below this.
  [[nodiscard]] std::uint32_t row_numbers() const { return capacity_ + 1; }
  [[nodiscard]] bool tracked() const { return touched_ != nullptr; }
  // From now on, rows that change become fresh.
  void track() {
    if (tracked()) return;
    touched_ = reinterpret_cast<std::uint8_t*>(pool_.take_zeroed(capacity_ + 1));
    fresh_.reserve(capacity_ / 2 + overshoot);
  }

  // Calls add(accumulator, i) for each of n keys in order; create() makes the accumulator of a new row. Tables beyond
  // the second-level cache fetch a group of slots ahead.
  template <class KeyAt, class Create, class Add>
  void update_many(std::uint32_t n, KeyAt&& key_at, Create&& create, Add&& add) {
    for (std::uint32_t from = 0; from < n;) {
      if (rows_ > rows_limit_) grow();
      const std::uint32_t end = from + std::min(n - from, rows_limit_ - rows_ + overshoot);
      const bool far = slots_bytes(capacity_) > prefetch_from_bytes;
      if (tracked()) {
        if (far) update<true, true>(from, end, key_at, create, add);
        else update<false, true>(from, end, key_at, create, add);
      } else if (far) update<true, false>(from, end, key_at, create, add);
      else update<false, false>(from, end, key_at, create, add);
      from = end;
    }
  }

  // Calls f(key, accumulator, row) for every row. The view of a short key points into its slot.
  template <class F>
  void sweep(F&& f) {
    for (std::uint32_t row = 0; row <= capacity_; ++row)
      if (occupied(row)) f(slots_[row].key.view(arena_), slots_[row].acc, row);
  }
  template <class F>
  void sweep(F&& f) const {
    for (std::uint32_t row = 0; row <= capacity_; ++row)
      if (occupied(row)) f(slots_[row].key.view(arena_), std::as_const(slots_[row].acc), row);
  }
  // The same, leaving nothing behind. Only without columns.
  template <class F>
  void sweep_out(F&& f) {
    for (std::uint32_t row = 0; row <= capacity_; ++row)
      if (occupied(row)) {
        f(slots_[row].key.view(arena_), slots_[row].acc, row);
        std::memset(static_cast<void*>(slots_ + row), 0, sizeof(slot));
      }
    rows_ = 0;
    own_slot_used_ = false;
    arena_.clear();
  }
  // The same for the fresh rows, which are fresh no longer: in the order in which they became so, or in that of memory
  // if they are many.
  template <class F>
  void sweep_fresh(F&& f) {
    if (fresh_.size() <= capacity_ / 16) return sweep_fresh_until(fresh_.end(), f);
    for (std::uint32_t row = 0; row <= capacity_; ++row)
      if (touched_[row] != 0) {
        f(slots_[row].key.view(arena_), slots_[row].acc, row);
        touched_[row] = 0;
      }
    fresh_.drop_all();
  }
  // The same for the rows that were fresh when fresh_end() was `end`.
  template <class F>
  void sweep_fresh_until(std::uint64_t end, F&& f) {
    while (fresh_.begin() < end) {
      if (fresh_.begin() + ahead < end) __builtin_prefetch(&slots_[fresh_.peek(ahead)], 1);
      const std::uint32_t row = fresh_.pop();
      touched_[row] = 0;
      f(slots_[row].key.view(arena_), slots_[row].acc, row);
    }
  }
  // Counts the rows that ever became fresh.
  [[nodiscard]] std::uint64_t fresh_end() const { return fresh_.end(); }
  [[nodiscard]] std::uint32_t fresh_rows() const { return fresh_.size(); }
  // Forgets which rows are fresh.
  void settle() {
    if (fresh_.size() == 0) return;
    std::memset(touched_, 0, capacity_ + 1);
    fresh_.drop_all();
  }
  // Calls f(row) for the fresh rows in the order in which they became so.
  template <class F>
  void each_fresh(F&& f) const {
    for (std::uint32_t i = 0; i < fresh_.size(); ++i) f(fresh_.peek(i));
  }
  void make_fresh(std::uint32_t row) {
    if (touched_[row] == 0) note(row);
  }

  // The panes a row has given out.
  [[nodiscard]] pane_count& panes(std::uint32_t row) {
    if (!panes_) [[unlikely]]
      panes_ = reinterpret_cast<pane_count*>(pool_.take_zeroed(panes_bytes(capacity_)));
    return panes_[row];
  }
  [[nodiscard]] pane_count panes_so_far(std::uint32_t row) const { return panes_ ? panes_[row] : pane_count{}; }

  // The row of a key, which is added with the accumulator that make() gives if it is not there.
  template <class Make>
  std::uint32_t find_or_add(const view& key, Make&& make) {
    if (rows_ > rows_limit_) grow();
    const std::uint32_t row = find(key, SlotKey::hash(key));
    if (!occupied(row)) add_row(row, key, make);
    return row;
  }

 private:
  struct slot {
    SlotKey key;
    Acc acc;
  };
  static_assert(alignof(slot) <= 64 && sizeof(slot) <= block_pool::slack_bytes);
  struct column_set {
    slot* slots;
    std::uint8_t* touched;
    pane_count* panes;
    std::uint32_t capacity;
  };

  static constexpr std::uint32_t rows_least = 16;
  static constexpr std::uint32_t group = 32;
  static constexpr std::uint32_t overshoot = 32;  // rows that may come before the limit is looked at again
  static constexpr std::uint32_t ahead = 16;
  static constexpr std::size_t prefetch_from_bytes = std::size_t{512} << 10U;
  static constexpr std::size_t sparse_up_to_bytes = std::size_t{128} << 10U;

  static std::size_t slots_bytes(std::uint32_t capacity) { return sizeof(slot) * (std::size_t{capacity} + 1); }
  static std::size_t panes_bytes(std::uint32_t capacity) { return sizeof(pane_count) * (std::size_t{capacity} + 1); }
  // Small tables are in the cache anyway, so they are kept sparser, which saves probes.
  static std::uint32_t limit_of(std::uint32_t capacity) {
    return sizeof(slot) * capacity <= sparse_up_to_bytes ? capacity / 4 : capacity / 2;
  }
  static std::uint32_t capacity_for(std::uint32_t rows) {
    check(rows <= (UINT32_MAX >> 3U), "a window of one shard has at most half a billion keys");
    std::uint32_t capacity = std::bit_ceil(rows * 2);
    while (limit_of(capacity) < rows || capacity < 4 * overshoot) capacity *= 2;
    return capacity;
  }

  [[nodiscard]] bool occupied(std::uint32_t row) const {
    return row == capacity_ ? own_slot_used_ : !slots_[row].key.empty();
  }
  [[nodiscard]] column_set columns() const { return {slots_, touched_, panes_, capacity_}; }

  [[nodiscard]] std::uint32_t find(const view& key, std::uint64_t hash) const {
    if (SlotKey::needs_own_slot(key)) return capacity_;
    const std::uint64_t mask = capacity_ - 1;
    std::uint64_t row = hash & mask;
    while (!slots_[row].key.empty() && !slots_[row].key.equal(key, arena_)) row = (row + 1) & mask;
    return static_cast<std::uint32_t>(row);
  }
  template <class Make>
  void add_row(std::uint32_t row, const view& key, Make&& make) {
    ::new (static_cast<void*>(&slots_[row].acc)) Acc(make());
    if (row == capacity_) own_slot_used_ = true;
    else slots_[row].key = SlotKey::stored(key, arena_);
    ++rows_;
  }

  template <bool Prefetch, bool Tracked, class KeyAt, class Create, class Add>
  void update(std::uint32_t from, std::uint32_t end, KeyAt& key_at, Create& create, Add& add) {
    std::array<std::uint64_t, group> hashes;
    slot* const slots = slots_;  // the compiler cannot know that accumulators do not overlap these members
    const std::uint64_t mask = capacity_ - 1;
    std::uint8_t* const touched = touched_;
    for (; from < end; from += group) {
      const std::uint32_t m = std::min(group, end - from);
      if constexpr (Prefetch)
        for (std::uint32_t j = 0; j < m; ++j) {
          hashes[j] = SlotKey::hash(key_at(from + j)) & mask;
          __builtin_prefetch(&slots[hashes[j]], 1);
          if constexpr (Tracked) __builtin_prefetch(&touched[hashes[j]], 1);
        }
      for (std::uint32_t j = 0; j < m; ++j) {
        const view key = key_at(from + j);
        std::uint64_t row = Prefetch ? hashes[j] : SlotKey::hash(key) & mask;
        if (SlotKey::needs_own_slot(key)) [[unlikely]] {
          row = capacity_;
          if (!own_slot_used_) add_row(capacity_, key, create);
        } else {
          while (!slots[row].key.equal(key, arena_)) {
            if (slots[row].key.empty()) {
              add_row(static_cast<std::uint32_t>(row), key, create);
              break;
            }
            row = (row + 1) & mask;
          }
        }
        add(slots[row].acc, from + j);
        if constexpr (Tracked)
          if (touched[row] == 0) note(static_cast<std::uint32_t>(row));
      }
    }
  }

  void note(std::uint32_t row) {
    touched_[row] = 1;
    fresh_.push(row);
  }
  void allocate(std::uint32_t capacity) {
    capacity_ = capacity;
    rows_limit_ = limit_of(capacity);
    slots_ = reinterpret_cast<slot*>(pool_.take_zeroed(slots_bytes(capacity)));
  }
  // Slots must be zero by now.
  void give_back(const column_set& c) {
    pool_.give_zeroed(reinterpret_cast<std::byte*>(c.slots), slots_bytes(c.capacity));
    if (c.touched) {
      std::memset(c.touched, 0, c.capacity + 1);
      pool_.give_zeroed(reinterpret_cast<std::byte*>(c.touched), c.capacity + 1);
    }
    if (c.panes) {
      std::memset(static_cast<void*>(c.panes), 0, panes_bytes(c.capacity));
      pool_.give_zeroed(reinterpret_cast<std::byte*>(c.panes), panes_bytes(c.capacity));
    }
  }

  // Moves every row to a table twice as large, with its place in the order of fresh rows.
  void grow() {
    const column_set old = columns();
    allocate(capacity_for(rows_ * 2));
    if (old.touched) touched_ = reinterpret_cast<std::uint8_t*>(pool_.take_zeroed(capacity_ + 1));
    if (old.panes) panes_ = reinterpret_cast<pane_count*>(pool_.take_zeroed(panes_bytes(capacity_)));
    const std::size_t moved_bytes = sizeof(std::uint32_t) * (std::size_t{old.capacity} + 1);
    auto* moved_to = fresh_.size() > 0 ? reinterpret_cast<std::uint32_t*>(pool_.take(moved_bytes)) : nullptr;
    const auto move = [&](std::uint32_t from, std::uint32_t to) {
      slots_[to] = old.slots[from];
      if (old.touched) touched_[to] = old.touched[from];
      if (old.panes) panes_[to] = old.panes[from];
      if (moved_to) moved_to[from] = to;
    };
    for (std::uint32_t row = 0; row < old.capacity; ++row)
      if (!old.slots[row].key.empty()) {
        const view key = old.slots[row].key.view(arena_);
        move(row, find(key, SlotKey::hash(key)));
      }
    if (own_slot_used_) move(old.capacity, capacity_);
    if (old.touched) fresh_.reserve(capacity_ / 2 + overshoot);
    if (moved_to) {
      fresh_.renumber(moved_to);
      pool_.give(reinterpret_cast<std::byte*>(moved_to), moved_bytes);
    }
    std::memset(static_cast<void*>(old.slots), 0, slots_bytes(old.capacity));
    give_back(old);
  }

  block_pool& pool_;
  key_arena arena_;
  slot* slots_ = nullptr;
  std::uint8_t* touched_ = nullptr;
  pane_count* panes_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t rows_limit_ = 0;
  bool own_slot_used_ = false;
  row_queue fresh_;
};

}  // namespace millrace
