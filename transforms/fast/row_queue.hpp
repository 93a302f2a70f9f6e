#pragma once

#include <millrace/transforms/fast/block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace millrace {

// Row numbers of a table, first in, first out. Its memory is pooled, since a growing vector would fault in fresh pages
// at every window. Whoever pushes sees to it that no more rows wait than were reserved: a row waits at most once.
// Places are numbered from the first push on, so that an end can be remembered while rows come and go.
class row_queue {
 public:
  explicit row_queue(block_pool& pool) : pool_(pool) {}
  row_queue(const row_queue&) = delete;
  row_queue& operator=(const row_queue&) = delete;
  ~row_queue() {
    if (rows_) pool_.give(reinterpret_cast<std::byte*>(rows_), bytes_of(capacity_));
  }

  // Makes room for `waiting` rows at a time.
  void reserve(std::uint32_t waiting) {
    const std::uint32_t capacity = waiting * 2;  // so that rows are moved to the front rarely
    if (capacity <= capacity_) return;
    auto* rows = reinterpret_cast<std::uint32_t*>(pool_.take(bytes_of(capacity)));
    if (rows_) {
      std::memcpy(rows, rows_ + first_, bytes_of(size()));
      pool_.give(reinterpret_cast<std::byte*>(rows_), bytes_of(capacity_));
    }
    last_ = size();
    first_ = 0;
    rows_ = rows;
    capacity_ = capacity;
  }

  void push(std::uint32_t row) {
    if (last_ == capacity_) [[unlikely]]
      to_front();
    rows_[last_++] = row;
    ++end_;
  }
  // The least recent row.
  std::uint32_t pop() {
    const std::uint32_t row = rows_[first_++];
    if (first_ == last_) first_ = last_ = 0;
    return row;
  }
  [[nodiscard]] std::uint32_t peek(std::uint32_t after_first) const { return rows_[first_ + after_first]; }
  void drop_all() { first_ = last_ = 0; }

  [[nodiscard]] std::uint32_t size() const { return last_ - first_; }
  // The numbers of the first place and of the one past the last.
  [[nodiscard]] std::uint64_t begin() const { return end_ - size(); }
  [[nodiscard]] std::uint64_t end() const { return end_; }

  // Row r is called moved_to[r] from now on.
  void renumber(const std::uint32_t* moved_to) {
    for (std::uint32_t i = first_; i < last_; ++i) rows_[i] = moved_to[rows_[i]];
  }

 private:
  static std::size_t bytes_of(std::uint32_t rows) { return sizeof(std::uint32_t) * std::size_t{rows}; }
  void to_front() {
    std::memmove(rows_, rows_ + first_, bytes_of(size()));
    last_ = size();
    first_ = 0;
  }

  block_pool& pool_;
  std::uint32_t* rows_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace millrace
