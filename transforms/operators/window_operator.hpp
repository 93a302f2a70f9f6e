#pragma once

#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/windows/window_error.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// Gives elements the windows of their times, as stamps only: values stay where they are. A batch that lies in one
// window gets one context; else elements get codes into a dictionary of windows, and a batch with more windows than a
// code can tell apart is passed on in parts. Elements that the function gives no window end here; an element that is in
// several windows is given new ones for each of them. A function of the user that throws is called again, like any.
template <class T>
class window_operator final : public stage_operator, public receiver<T> {
 public:
  window_operator(const operator_environment& in, window_fn fn)
      : metrics_(in.metrics), calls_(in), fn_(std::move(fn)), single_(fn_.single()), custom_(fn_.custom()),
        dictionary_(1) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<T>(); }

  void accept(const batch<T>& in) override {
    metrics_.elements_in += in.count;
    if (in.at->greatest > timestamp::end_of_global_window() && !fn_.global()) [[unlikely]]
      refuse_times(in);
    each_single_window(in, [this](const batch<T>& part) { assign(part); });
  }

 private:
  static constexpr std::size_t dictionary_max = 256;
  static constexpr std::size_t search_max = 8;  // how far back an equal window is looked for

  // No window ends behind the global one, so an element behind it would be in no other.
  void refuse_times(const batch<T>& in) {
    calls_.run(in, 0, [&](std::uint32_t p, const T&) {
      if (const timestamp t = in.at->time_at(p); t > timestamp::end_of_global_window())
        throw window_error("its time " + std::to_string(t.millis()) + " is after the end of the global window, "
                           + std::to_string(timestamp::end_of_global_window().millis())
                           + ", where the last window ends; give it an earlier time");
    });
  }
  void assign(const batch<T>& in) {
    stamps at = *in.at;
    at.codes = nullptr;
    if (custom_) {
      assign_each(in, at);
    } else if (in_one_window(at)) {
      at.contexts = {&current_, 1};
      batch<T> windowed = in;
      windowed.at = &at;
      metrics_.elements_out += in.count;
      next_->accept(windowed);
    } else {
      assign_each(in, at);
    }
  }

  // Whether all times are in one window, which is then current_. The window of the last batch is tried first.
  bool in_one_window(const stamps& at) {
    if (!single_) {
      if (at.least != at.greatest) return false;
      current_.windows = fn_.assign(at.least);
      return !current_.windows.empty();
    }
    if (fn_.merging()) {  // a session begins at each time
      current_.windows = fn_.assign_one(at.least);
      return at.least == at.greatest;
    }
    if (!has_current_ || !current_.windows.front().contains(at.least)) {
      current_.windows = fn_.assign_one(at.least);
      has_current_ = true;
    }
    return current_.windows.front().contains(at.greatest) || at.least == at.greatest;
  }

  void assign_each(const batch<T>& in, stamps at) {
    batch<T> part = in;
    part.at = &at;
    part.selected = selected_.data();
    part.count = 0;
    std::size_t windows = 0;
    const auto pass_on = [&] {
      if (part.count == 0) return;
      at.codes = windows > 1 ? codes_.data() : nullptr;
      at.contexts = {dictionary_.data(), windows};
      metrics_.elements_out += part.count;
      next_->accept(part);
      part.count = 0;
      windows = 0;
    };
    const auto place = [&](std::uint32_t p) {
      if (found_.empty()) return;
      std::size_t code = find(windows);
      if (code == windows) {
        if (windows == dictionary_max) {
          pass_on();
          code = 0;
        }
        if (dictionary_.size() == windows) dictionary_.emplace_back();
        dictionary_[windows].windows = found_;
        ++windows;
      }
      codes_[p] = static_cast<std::uint8_t>(code);
      selected_[part.count++] = static_cast<std::uint16_t>(p);
    };
    if (custom_) {
      place_custom(in, place);
    } else {
      in.each([&](std::uint32_t p, const T&) {
        if (single_) found_ = fn_.assign_one(at.time_at(p));
        else found_ = fn_.assign(at.time_at(p));
        place(p);
      });
    }
    pass_on();
  }
  template <class Place>
  void place_custom(const batch<T>& in, Place& place) {
    const auto ask = [&](std::uint32_t p, const T& x) {
      found_ = custom_->assign({in.at->time_at(p), in.at->context_at(p).windows.front(), &x});
    };
    // One by one: what a failed call must not repeat has left with place().
    std::array<std::uint16_t, batch_max> positions;
    batch<T> one = rest_of(in, 0, positions);
    for (one.count = 1; one.selected < positions_end(in, positions); ++one.selected) {
      calls_.run(one, 0, ask);
      place(*one.selected);
    }
  }
  static const std::uint16_t* positions_end(const batch<T>& in, const std::array<std::uint16_t, batch_max>& positions) {
    return (in.selected ? in.selected : positions.data()) + in.count;
  }

  // The code of found_ among the newest entries of the dictionary; `windows` if it is not there.
  [[nodiscard]] std::size_t find(std::size_t windows) const {
    const std::size_t oldest = windows > search_max ? windows - search_max : 0;
    for (std::size_t code = windows; code > oldest; --code)
      if (dictionary_[code - 1].windows == found_) return code - 1;
    return windows;
  }

  metric_board& metrics_;
  element_calls<T> calls_;
  window_fn fn_;
  bool single_;
  const custom_window_fn* custom_;
  bool has_current_ = false;
  context current_;
  window_set found_;
  std::vector<context> dictionary_;
  receiver<T>* next_ = nullptr;
  std::array<std::uint8_t, batch_max> codes_;
  std::array<std::uint16_t, batch_max> selected_;
};

// Passes batches on as they are: a step that only says how what follows is to be grouped.
template <class T>
class pass_operator final : public stage_operator, public receiver<T> {
 public:
  explicit pass_operator(const operator_environment& in) : metrics_(in.metrics) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t /*output*/, receiver_ref next) override { next_ = &next.as<T>(); }
  void accept(const batch<T>& in) override {
    metrics_.elements_in += in.count;
    metrics_.elements_out += in.count;
    next_->accept(in);
  }

 private:
  metric_board& metrics_;
  receiver<T>* next_ = nullptr;
};

// Gives elements the times that a function tells. A time may lie before the one that an element has only by the allowed
// skew, except that an element whose time is not known yet may get any.
template <class T, class Call>
class timestamp_operator final : public stage_operator, public receiver<T> {
 public:
  template <class Fn>
  timestamp_operator(const operator_environment& in, Fn fn, duration allowed_skew)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics), allowed_skew_(allowed_skew) {}

  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<T>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output == 0) next_ = &next.as<T>();
    else calls_.connect_errors(next);
  }

  void accept(const batch<T>& in) override {
    metrics_.elements_in += in.count;
    std::uint32_t done = stamp_all(in);
    if (done == in.count) [[likely]]
      return;
    // The element with index `done` went to the error output: the rest is a batch of its own.
    std::array<std::uint16_t, batch_max> positions;
    batch<T> rest = rest_of(in, done + 1, positions);
    while (rest.count > 0) {
      done = stamp_all(rest);
      if (done == rest.count) break;
      rest.count -= done + 1;
      rest.selected += done + 1;
    }
  }

 private:
  std::uint32_t stamp_all(const batch<T>& in) {
    stamps at = *in.at;
    at.least = timestamp::max();
    at.greatest = timestamp::min();
    const std::uint32_t done = calls_.run(in, 0, [&](std::uint32_t p, const T& x) {
      const timestamp t = call_(x);
      if (t < in.at->time_at(p) - allowed_skew_ || t < timestamp::min() || t > timestamp::max()) [[unlikely]]
        refuse(t, in.at->time_at(p));
      times_[p] = t;
      at.least = std::min(at.least, t);
      at.greatest = std::max(at.greatest, t);
    });
    if (done == 0) return done;
    at.times = times_.data();
    metrics_.elements_out += done;
    next_->accept({in.values, in.stride, done, in.selected, &at});
    return done;
  }
  [[noreturn]] void refuse(timestamp t, timestamp of) const {
    throw std::invalid_argument("time " + std::to_string(t.millis()) + " is not allowed for an element at "
                                + std::to_string(of.millis()) + ": it must be less than "
                                + std::to_string(allowed_skew_.count() + 1)
                                + " ms before it and inside the bounds of time; pass allowed_skew to move times back");
  }

  metric_board& metrics_;
  element_calls<T> calls_;
  Call call_;
  duration allowed_skew_;
  receiver<T>* next_ = nullptr;
  std::array<timestamp, batch_max> times_;
};

}  // namespace millrace
