#pragma once

#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace millrace {

// Collects the panes of one window after the other into batches. Nearly all panes of a window are alike, so the window
// and the pane are stated once and the rows follow. Owned by the operator that fires.
template <class T>
class pane_batch {
 public:
  explicit pane_batch(const operator_environment& in)
      : metrics_(in.metrics), rows_max_(std::max(1U, std::min(batch_rows<T>, in.batch_rows_max))) {}

  void connect(receiver<T>& next) { next_ = &next; }

  // What follows belongs to `in`; a pane is stated next.
  void begin_window(const window& in) {
    flush();
    window_ = in;
    contexts_.clear();
  }
  // What follows is of this pane.
  void begin_pane(const pane_info& pane) {
    if (!contexts_.empty() && contexts_[code_].pane == pane) return;
    auto found = std::ranges::find(contexts_, pane, &context::pane);
    if (found == contexts_.end()) {
      if (rows_ == 0 || contexts_.size() == contexts_max) {
        flush();
        contexts_.clear();
      }
      contexts_.push_back({window_, pane});
      found = std::prev(contexts_.end());
    }
    code_ = static_cast<std::uint8_t>(found - contexts_.begin());
  }
  // Adds the row that make() returns.
  template <class Make>
  void put(Make&& make) {
    built_.emplace(rows_, std::forward<Make>(make));
    codes_[rows_] = code_;
    if (++rows_ == rows_max_) flush();
  }
  // Passes on what there is.
  void flush() {
    if (rows_ == 0) return;
    stamps at;
    at.least = at.greatest = window_.max_timestamp();
    if (contexts_.size() > 1) at.codes = codes_.data();
    at.contexts = contexts_;
    metrics_.elements_out += rows_;
    next_->accept({buffer_.get(), sizeof(T), std::exchange(rows_, 0), nullptr, &at});
    built_.clear();
    if (contexts_.size() > 1) {
      contexts_ = {contexts_[code_]};
      code_ = 0;
    }
  }

 private:
  // Consumers look at a batch once per context, so there should not be many.
  static constexpr std::size_t contexts_max = 16;

  metric_board& metrics_;
  std::uint32_t rows_max_;
  receiver<T>* next_ = nullptr;
  window window_;
  std::vector<context> contexts_;
  std::uint8_t code_ = 0;
  std::uint32_t rows_ = 0;
  value_buffer<T> buffer_;
  built_values<T> built_{buffer_.get(), nullptr};
  std::array<std::uint8_t, batch_max> codes_{};
};

}  // namespace millrace
