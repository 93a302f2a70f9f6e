#pragma once

#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/element_type.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace millrace::detail {

// The outputs of a bundle until it is known to have succeeded: takes what a step gives out and either passes it on, in
// order, or forgets it. Views of others' text are kept as text.
template <class X>
class held_outputs final : public receiver<X> {
 public:
  explicit held_outputs(std::uint32_t rows_max) : limit_(std::max(1U, std::min(batch_rows<X>, rows_max))) {}

  void connect(receiver_ref next) { next_ = &next.as<X>(); }
  void accept(const batch<X>& in) override {
    in.each([&](std::uint32_t p, const X& x) {
      const context& c = in.at->context_at(p);
      if (contexts_.empty() || !(contexts_.back() == c)) contexts_.push_back(c);
      rows_.push_back({owned(x), in.at->time_at(p), contexts_.size() - 1});
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
      give(first, count, at);
      first += count;
    }
    forget();
  }

 private:
  struct row {
    owning_t<X> value;
    timestamp at;
    std::size_t of;  // its context
  };

  void give(std::size_t first, std::uint32_t count, const stamps& at) {
    if constexpr (is_text_view<X>) {
      std::vector<X> views;
      for (std::uint32_t i = 0; i < count; ++i) views.push_back(view_of<X>(rows_[first + i].value));
      next_->accept({views.data(), sizeof(X), count, nullptr, &at});
    } else {
      next_->accept({&rows_[first].value, sizeof(row), count, nullptr, &at});
    }
  }

  std::uint32_t limit_;
  receiver<X>* next_ = nullptr;
  std::vector<row> rows_;
  std::vector<context> contexts_;
};

// Those of all ports of a function. Owned by what does its bundles again.
template <class... Outs>
class held_ports {
 public:
  explicit held_ports(std::uint32_t rows_max) : all_(same<Outs>(rows_max)...) {}

  // Calls f(held_outputs) for each.
  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... o) { (f(o), ...); }, all_);
  }
  // Wires one of them; false for the number behind the last, which is that of an error output.
  bool connect(std::size_t output, receiver_ref next) {
    std::size_t port = 0;
    each([&](auto& o) {
      if (port++ == output) o.connect(next);
    });
    return output < sizeof...(Outs);
  }
  void forget() {
    each([](auto& o) { o.forget(); });
  }
  void pass_on() {
    each([](auto& o) { o.pass_on(); });
  }

 private:
  template <class>
  static std::uint32_t same(std::uint32_t rows_max) {
    return rows_max;
  }

  std::tuple<held_outputs<Outs>...> all_;
};

}  // namespace millrace::detail
