#pragma once

#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace {

// Collects the panes that a grouping gives out one by one into batches, in their order, and passes a batch on when it
// is full or when the grouping has finished what it was asked to do. Owned by the operator of the grouping.
template <class T>
class pane_output {
 public:
  explicit pane_output(const operator_environment& in)
      : metrics_(in.metrics), rows_max_(std::max(1U, std::min(batch_rows<T>, in.batch_rows_max))) {}

  void connect(receiver<T>& next) { next_ = &next; }

  // Adds what make() returns, with one window.
  template <class Make>
  void put(const stamp& at, Make&& make) {
    if (rows_ == rows_max_ || (contexts_.size() == contexts_max && !is_last_context(at))) flush();
    if (!is_last_context(at)) contexts_.push_back({at.in, at.pane});
    built_.emplace(rows_, std::forward<Make>(make));
    times_[rows_] = at.time;
    codes_[rows_] = static_cast<std::uint8_t>(contexts_.size() - 1);
    ++rows_;
  }

  // Passes on what there is.
  void flush() {
    if (rows_ == 0) return;
    stamps at;
    const auto [least, greatest] = std::minmax_element(times_.begin(), times_.begin() + rows_);
    at.least = *least;
    at.greatest = *greatest;
    if (at.least != at.greatest) at.times = times_.data();
    if (contexts_.size() > 1) at.codes = codes_.data();
    at.contexts = contexts_;
    metrics_.elements_out += rows_;
    next_->accept({buffer_.get(), sizeof(T), rows_, nullptr, &at});
    built_.clear();
    contexts_.clear();
    rows_ = 0;
  }

 private:
  // A batch has one byte for the code of a context.
  static constexpr std::size_t contexts_max = 256;

  [[nodiscard]] bool is_last_context(const stamp& at) const {
    return !contexts_.empty() && contexts_.back().windows.front() == at.in && contexts_.back().pane == at.pane;
  }

  metric_board& metrics_;
  std::uint32_t rows_max_;
  receiver<T>* next_ = nullptr;
  value_buffer<T> buffer_;
  built_values<T> built_{buffer_.get(), nullptr};
  std::array<timestamp, batch_max> times_;
  std::array<std::uint8_t, batch_max> codes_{};
  std::vector<context> contexts_;
  std::uint32_t rows_ = 0;
};

}  // namespace millrace
