#pragma once

#include <millrace/transforms/metrics/metric_board.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// A metric was used that no step has bound. The message says how to bind it.
class unbound_metric : public std::logic_error {
 public:
  explicit unbound_metric(const std::string& name)
      : std::logic_error("metric \"" + name
                         + "\" is not bound to a step: the function object must return it from metrics(), as in "
                           "`auto metrics() { return std::tie(words_); }`") {}
};

// Metrics of user functions. A function object keeps them as members and lists them in `metrics()`, which returns
// std::tie of them; each running copy is then bound to the board of its step and shard. A lambda takes a trailing
// `metric_board&` instead and names its metrics at each use. Values become part of a result only with the bundle that
// reported them, and what a call reported that has failed counts as attempted only; a gauge then shows what it did
// before the call.

// Counts something: `++words_` or `words_.add(n)`.
class counter {
 public:
  explicit counter(std::string name) : name_(std::move(name)) {}
  void add(std::int64_t n = 1) {
    if (!value_) [[unlikely]]
      throw unbound_metric(name_);
    if (call_ != board_->call()) {
      call_ = board_->call();
      board_->note(*value_);
    }
    *value_ += n;
  }
  counter& operator++() {
    add();
    return *this;
  }
  counter& operator+=(std::int64_t n) {
    add(n);
    return *this;
  }
  void bind(metric_board& to) {
    board_ = &to;
    value_ = &to.counter(name_);
    call_ = 0;
  }

 private:
  std::string name_;
  metric_board* board_ = nullptr;
  std::uint64_t call_ = 0;  // the last that has changed it
  std::int64_t* value_ = nullptr;
};

// Keeps number, sum, least and greatest of the values added.
class distribution {
 public:
  explicit distribution(std::string name) : name_(std::move(name)) {}
  void add(std::int64_t value) {
    if (!value_) [[unlikely]]
      throw unbound_metric(name_);
    if (call_ != board_->call()) {
      call_ = board_->call();
      board_->note(*value_);
    }
    value_->add(value);
  }
  void bind(metric_board& to) {
    board_ = &to;
    value_ = &to.distribution(name_);
    call_ = 0;
  }

 private:
  std::string name_;
  metric_board* board_ = nullptr;
  std::uint64_t call_ = 0;  // the last that has changed it
  distribution_value* value_ = nullptr;
};

// Shows the value set last. A copy that has never set it does not show it, so that a shard without elements does not
// hide what the others say.
class gauge {
 public:
  explicit gauge(std::string name) : name_(std::move(name)) {}
  void set(double value) {
    if (!board_) [[unlikely]]
      throw unbound_metric(name_);
    if (call_ != board_->call()) {
      call_ = board_->call();
      board_->note(*value_);
    }
    *value_ = value;
  }
  void bind(metric_board& to) {
    board_ = &to;
    value_ = &to.gauge_slot(name_);
    call_ = 0;
  }

 private:
  std::string name_;
  metric_board* board_ = nullptr;
  std::uint64_t call_ = 0;  // the last that has changed it
  std::optional<double>* value_ = nullptr;
};

namespace detail {

// Binds the metrics that a function object lists, if it does.
template <class Fn>
void bind_metrics(Fn& fn, metric_board& to) {
  if constexpr (requires { fn.metrics(); })
    std::apply([&](auto&... metrics) { (metrics.bind(to), ...); }, fn.metrics());
}

}  // namespace detail

}  // namespace millrace
