#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// Elements in their encoded form, in blocks of about block_bytes: how a side input is gathered, kept and carried. It
// can be read again and again without ever being decoded as a whole.
struct element_blocks {
  std::vector<std::string> blocks;  // each holds whole elements
  std::uint64_t count = 0;          // of elements in all blocks

  static constexpr std::size_t block_bytes = 1 << 16;

  template <class T>
  void add(const T& element) {
    writer encoded;
    coder<T>::encode(encoded, element);
    if (blocks.empty() || blocks.back().size() + encoded.size() > block_bytes) blocks.emplace_back();
    blocks.back() += encoded.bytes();
    ++count;
  }
  void add(const element_blocks& others) {
    blocks.insert(blocks.end(), others.blocks.begin(), others.blocks.end());
    count += others.count;
  }
  [[nodiscard]] std::size_t size_bytes() const {
    std::size_t bytes = 0;
    for (const std::string& b : blocks) bytes += b.size();
    return bytes;
  }
};

// One block of the contents of a pane on its way to whoever reads them. The last one says how many elements there are,
// and that they are complete.
struct view_piece {
  std::string block;
  std::uint64_t count = 0;
  bool last = false;
};

// A range over encoded elements: what a function gets of `as_iterable`. Each iterator decodes one element at a time and
// holds no more than that one, so contents of any size are read in pieces. It may be passed through several times; it
// ends with the call that it was given to.
template <class T>
class element_range {
 public:
  using value_type = T;

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    iterator() = default;
    explicit iterator(const element_blocks& of) : of_(&of) { next(); }
    [[nodiscard]] reference operator*() const { return *now_; }
    [[nodiscard]] pointer operator->() const { return &*now_; }
    iterator& operator++() {
      next();
      return *this;
    }
    void operator++(int) { next(); }
    friend bool operator==(const iterator& a, std::default_sentinel_t /*end*/) { return !a.now_; }
    // Only an iterator at its end is equal to another.
    friend bool operator==(const iterator& a, const iterator& b) { return !a.now_ && !b.now_; }

   private:
    void next() {
      while (in_.at_end() && block_ < of_->blocks.size()) in_ = reader{of_->blocks[block_++]};
      now_.reset();
      if (!in_.at_end()) now_.emplace(coder<T>::decode(in_));
    }

    const element_blocks* of_ = nullptr;
    std::size_t block_ = 0;  // the one that follows
    reader in_{std::string_view{}};
    std::optional<T> now_;
  };
  using const_iterator = iterator;

  explicit element_range(const element_blocks& of) : of_(&of) {}
  [[nodiscard]] iterator begin() const { return iterator(*of_); }
  [[nodiscard]] iterator end() const { return {}; }
  [[nodiscard]] std::size_t size() const { return of_->count; }
  [[nodiscard]] bool empty() const { return of_->count == 0; }

 private:
  const element_blocks* of_;
};

namespace detail {

// Gives each element to f and frees the blocks as it goes, so that there are never two copies of all.
template <class T, class F>
void drain_blocks(element_blocks& of, F&& f) {
  for (std::string& block : of.blocks) {
    reader in{block};
    while (!in.at_end()) f(coder<T>::decode(in));
    std::string().swap(block);
  }
  of.blocks.clear();
}

}  // namespace detail

}  // namespace millrace
