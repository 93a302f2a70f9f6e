#pragma once

#include <millrace/transforms/element/pane.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace millrace {

// The windows of an element. Nearly always one, which needs no allocation; sliding windows give several, and a window
// function may give none (the element then reaches no grouping).
class window_set {
 public:
  window_set() = default;                                 // no window
  window_set(const window& one) : size_(1), one_(one) {}  // NOLINT(google-explicit-constructor)
  explicit window_set(std::span<const window> all) : size_(all.size()) {
    if (size_ == 1) one_ = all.front();
    else if (size_ > 1) many_.assign(all.begin(), all.end());
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<const window> all() const {
    return size_ <= 1 ? std::span<const window>{&one_, size_} : std::span<const window>{many_};
  }
  [[nodiscard]] const window* begin() const { return all().data(); }
  [[nodiscard]] const window* end() const { return all().data() + size_; }
  [[nodiscard]] const window& front() const { return all().front(); }

  friend bool operator==(const window_set& a, const window_set& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || (a.size_ == 1 ? a.one_ == b.one_ : a.many_ == b.many_));
  }

 private:
  std::size_t size_ = 0;
  window one_;
  std::vector<window> many_;
};

// What elements of one bundle share: their windows and their pane. Batches and bundles hold a dictionary of contexts.
struct context {
  window_set windows = window::global();
  pane_info pane;

  friend bool operator==(const context&, const context&) = default;
};

// The full stamp of one element in one window, as user code sees it.
struct stamp {
  timestamp time = timestamp::min();
  window in = window::global();
  pane_info pane;

  friend bool operator==(const stamp&, const stamp&) = default;
};

}  // namespace millrace
