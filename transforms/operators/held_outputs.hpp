#pragma once

#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::detail {

// The outputs of a bundle until it is known to have succeeded: takes what a step gives out and either passes it on, in
// order, or forgets it.
template <class X>
class held_outputs final : public receiver<X> {
 public:
  explicit held_outputs(std::uint32_t rows_max) : limit_(std::max(1U, std::min(batch_rows<X>, rows_max))) {}

  void connect(receiver_ref next) { next_ = &next.as<X>(); }
  void accept(const batch<X>& in) override {
    in.each([&](std::uint32_t p, const X& x) {
      const context& c = in.at->context_at(p);
      if (contexts_.empty() || !(contexts_.back() == c)) contexts_.push_back(c);
      rows_.push_back({x, in.at->time_at(p), contexts_.size() - 1});
    });
  }
  void forget() {
    rows_.clear();
    contexts_.clear();
  }
  void pass_on() {
    std::array<timestamp, batch_max> times;
    for (std::size_t first = 0; first < rows_.size();) {
      const std::size_t of = rows_[first].of;
      stamps at{times.data(), rows_[first].at, rows_[first].at, nullptr, {&contexts_[of], 1}};
      std::uint32_t count = 0;
      for (; count < limit_ && first + count < rows_.size() && rows_[first + count].of == of; ++count) {
        times[count] = rows_[first + count].at;
        at.least = std::min(at.least, times[count]);
        at.greatest = std::max(at.greatest, times[count]);
      }
      next_->accept({&rows_[first].value, sizeof(row), count, nullptr, &at});
      first += count;
    }
    forget();
  }

 private:
  struct row {
    X value;
    timestamp at;
    std::size_t of;  // its context
  };

  std::uint32_t limit_;
  receiver<X>* next_ = nullptr;
  std::vector<row> rows_;
  std::vector<context> contexts_;
};

}  // namespace millrace::detail
