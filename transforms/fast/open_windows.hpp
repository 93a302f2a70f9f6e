#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/fast/block_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <tuple>
#include <vector>

namespace millrace {

// Fresh rows of a window that wait for the same time on the processing clock: those before `end` in its queue.
struct delayed_rows {
  timestamp until;
  std::uint64_t end = 0;
};

// One window that has rows, or had them and may still get late ones.
template <class Table>
struct open_window {
  open_window(const window& w, block_pool& pool, std::uint32_t expected_rows) : in(w), rows(pool, expected_rows) {}

  window in;
  Table rows;
  bool past_end = false;   // the watermark has passed its end, and its panes of that moment are out
  bool in_bundle = false;  // the open bundle has rows that fire when it is done
  std::deque<delayed_rows> delayed;
};

// The open windows of a shard, by their ends. A new table begins at the size that its predecessors reached, since a
// table that grows from nothing costs more than one that was large enough. Places of windows do not move.
template <class Table>
class open_windows {
 public:
  using entry = open_window<Table>;

  explicit open_windows(block_pool& pool) : pool_(pool) {}

  // The window, or null if it is not open. Nearly always the one that was asked for last.
  entry* find(const window& in) {
    if (last_ && last_->in == in) return last_;
    const auto at = place_of(in);
    if (at == all_.end() || (*at)->in != in) return nullptr;
    return last_ = at->get();
  }
  entry& open(const window& in) { return open(in, expected_rows_); }
  entry& open(const window& in, std::uint32_t expected_rows) {
    last_ = all_.insert(place_of(in), std::make_unique<entry>(in, pool_, expected_rows))->get();
    return *last_;
  }
  // Forgets the first n windows.
  void close_first(std::size_t n) {
    all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(n));
    last_ = nullptr;
  }
  // A window has just been fired with this many rows.
  void reached(std::uint32_t rows) { expected_rows_ = std::max(rows, expected_rows_ / 2); }

  [[nodiscard]] const std::vector<std::unique_ptr<entry>>& all() const { return all_; }

 private:
  auto place_of(const window& in) {
    return std::ranges::lower_bound(all_, std::tuple{in.end, in.start}, {},
                                    [](const auto& w) { return std::tuple{w->in.end, w->in.start}; });
  }

  block_pool& pool_;
  std::vector<std::unique_ptr<entry>> all_;
  entry* last_ = nullptr;
  std::uint32_t expected_rows_ = 0;
};

}  // namespace millrace
