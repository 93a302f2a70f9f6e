#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/operators/batch.hpp>
#include <millrace/transforms/operators/receiver.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {
template <class X>
class emission;
}  // namespace detail

// Where a function puts its results: `out(value)` gives the value the stamp of the element being processed. A function
// gets it by reference and must not keep it. Values are built where the next step reads them, so emitting costs about
// what appending to an array does.
template <class X>
class emitter {
 public:
  emitter(const emitter&) = delete;
  emitter& operator=(const emitter&) = delete;

  // Emits a value with the current stamp. X may be built from anything its constructors take, also from {...}.
  template <class Value = X>
  void operator()(Value&& value) {
    static_assert(std::is_constructible_v<X, Value&&>,
                  "millrace: an emitter takes values of its own type, or what that type can be constructed from");
    if constexpr (std::is_constructible_v<X, Value&&>) {
      if (explicit_only_) [[unlikely]]
        refuse_plain();
      place(std::forward<Value>(value), time_);
    }
  }

  // Emits a value at event time `at`, which must not be before the time of the current element, in its window.
  template <class Value = X>
  void emit(Value&& value, timestamp at) {
    if (explicit_only_) [[unlikely]]
      refuse_plain();
    check_time(at);
    place_at(std::forward<Value>(value), at);
  }

  // Emits a value at `at` in window `in`, with the pane of elements that no grouping has produced. The only way in
  // finish_bundle, where there is no current element and any time is allowed.
  template <class Value = X>
  void emit(Value&& value, timestamp at, const window& in) {
    if (explicit_only_) time_ = timestamp::min();
    check_time(at);
    const context c{in, pane_info{}};
    if (contexts_.size() >= dictionary_max) empty_dictionary();
    const bool alone = contexts_.size() >= dictionary_max;  // the elements' own dictionary has no room
    const std::uint8_t element_code = std::exchange(code_, alone ? std::uint8_t{0} : add_context(c));
    const auto element_contexts = contexts_;
    if (alone) contexts_ = {&c, 1};
    place_at(std::forward<Value>(value), at);
    code_ = element_code;
    if (alone) pass_on();
    if (alone) contexts_ = element_contexts;
  }

  // The stamp of the element (or timer) being processed.
  [[nodiscard]] stamp at() const {
    check(!explicit_only_, "at() is asked while an element is processed");
    const context& c = contexts_[code_];
    return {time_, c.windows.empty() ? window::global() : c.windows.front(), c.pane};
  }

 private:
  friend class detail::emission<X>;
  emitter() = default;
  ~emitter() = default;

  template <class Value>
  void place(Value&& value, timestamp at) {
    if (count_ == batch_max) [[unlikely]]
      pass_on();
    ::new (static_cast<void*>(values_ + count_)) X(std::forward<Value>(value));
    if (has_times_) times_[count_] = at;
    if (has_codes_) codes_[count_] = code_;
    ++count_;
  }
  template <class Value>
  void place_at(Value&& value, timestamp at) {
    if (!has_times_) {
      for (std::uint32_t p = 0; p < count_; ++p) times_[p] = least_;
      has_times_ = true;
    }
    if (at < least_) least_ = at;
    if (at > greatest_) greatest_ = at;
    place(std::forward<Value>(value), at);
  }

  void check_time(timestamp at) const {
    if (at < time_ || at > timestamp::max()) [[unlikely]]
      refuse_time(at);
  }
  [[noreturn]] void refuse_time(timestamp at) const {
    throw std::invalid_argument(
        "an output at time " + std::to_string(at.millis())
        + (at < time_ ? " is before its element's, " : " is after the end of time; the element's is ")
        + std::to_string(time_.millis()) + "; only with_timestamps with an allowed skew moves times back");
  }
  [[noreturn]] static void refuse_plain() {
    throw std::logic_error(
        "finish_bundle has no current element: emit(value, time, window) says where a value belongs");
  }

  // The code of a context in the dictionary, which becomes a copy of the element's dictionary first.
  std::uint8_t add_context(const context& c) {
    if (own_.empty()) own_.assign(contexts_.begin(), contexts_.end());
    std::size_t code = own_.size();
    while (code > 0 && !(own_[code - 1] == c)) --code;
    if (code == 0) {
      own_.push_back(c);
      code = own_.size();
    }
    contexts_ = own_;
    if (!has_codes_) {
      for (std::uint32_t p = 0; p < count_; ++p) codes_[p] = 0;
      has_codes_ = true;
    }
    return static_cast<std::uint8_t>(code - 1);
  }

  // Passes everything on, so that a dictionary of the function's own can begin anew.
  void empty_dictionary() {
    while (count_ > 0) pass_on();
    if (!explicit_only_) return;
    own_.clear();
    contexts_ = {};
  }

  // Makes room. Outputs of complete elements go first, so that those of the current one can still be taken back.
  void pass_on() {
    if (complete_ > 0) return pass_first(std::exchange(complete_, 0));
    has_left_ = has_left_ || count_ > 0;
    pass_first(count_);
  }
  void pass_first(std::uint32_t n) {
    if (n > 0) {
      passing_on_ = true;
      stamps at{has_times_ ? times_.data() : nullptr, least_, greatest_,
                has_codes_ && contexts_.size() > 1 ? codes_.data() : nullptr, contexts_};
      next_->accept({values_, sizeof(X), n, nullptr, &at});
      passing_on_ = false;
      passed_ += n;
    }
    for (std::uint32_t p = 0; p < n; ++p) std::destroy_at(values_ + p);
    for (std::uint32_t p = n; p < count_; ++p) {
      std::construct_at(values_ + (p - n), std::move(values_[p]));
      std::destroy_at(values_ + p);
      if (has_times_) times_[p - n] = times_[p];
      if (has_codes_) codes_[p - n] = codes_[p];
    }
    count_ -= n;
  }

  static constexpr std::size_t dictionary_max = 256;  // what one byte of codes can tell apart

  receiver<X>* next_ = nullptr;
  X* values_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t complete_ = 0;  // outputs of elements before the current one
  bool has_times_ = false;
  bool has_codes_ = false;
  bool explicit_only_ = false;  // there is no current element
  bool has_left_ = false;       // outputs of the current element were passed on
  bool passing_on_ = false;     // an exception that comes by now is not the function's
  std::uint8_t code_ = 0;       // of the current element
  timestamp time_;              // of the current element
  timestamp least_;             // bounds of the outputs' times
  timestamp greatest_;
  std::uint64_t passed_ = 0;
  std::span<const context> contexts_;
  std::vector<context> own_;  // the dictionary, once a function has named windows itself
  std::array<timestamp, batch_max> times_;
  std::array<std::uint8_t, batch_max> codes_;
};

namespace detail {

// Drives one emitter for the operator that owns it: owns the values that were emitted and are not passed on, and passes
// them on in batches. Outputs of the element being processed stay until it is complete, unless they fill a whole batch.
template <class X>
class emission {
 public:
  // Batches of at most about `rows_max` elements.
  explicit emission(std::uint32_t rows_max) : limit_(std::max(1U, std::min(batch_rows<X>, rows_max))) {
    out_.values_ = buffer_.get();
  }
  emission(const emission&) = delete;
  emission& operator=(const emission&) = delete;
  ~emission() { destroy_after(0); }

  void connect(receiver_ref next) { out_.next_ = &next.as<X>(); }
  [[nodiscard]] emitter<X>& out() { return out_; }
  // Elements passed on since this was asked last.
  [[nodiscard]] std::uint64_t passed() { return std::exchange(out_.passed_, 0); }

  // Elements with these stamps follow, which must live until end().
  void begin(const stamps& source) {
    reset();
    out_.has_times_ = source.times != nullptr;
    out_.has_codes_ = source.codes != nullptr;
    out_.least_ = source.least;
    out_.greatest_ = source.greatest;
    out_.contexts_ = source.contexts;
  }
  // The element at a position of the stamps given to begin() is processed from now on.
  void element(const stamps& source, std::uint32_t position) {
    out_.time_ = source.time_at(position);
    if (out_.has_codes_) out_.code_ = source.codes ? source.codes[position] : 0;
    out_.complete_ = out_.count_;
    out_.has_left_ = false;
  }

  // Elements follow that each bring a stamp: those of keyed functions.
  void begin_stamped() { reset(); }
  // An element (or timer) with this stamp is processed from now on.
  void element(timestamp time, const context& in) {
    settle();
    out_.has_left_ = false;
    if (out_.own_.size() >= emitter<X>::dictionary_max) end();
    out_.code_ = out_.add_context(in);
    out_.time_ = time;
    out_.least_ = out_.has_times_ ? std::min(out_.least_, time) : time;
    out_.greatest_ = out_.has_times_ ? std::max(out_.greatest_, time) : time;
    out_.has_times_ = true;
  }

  // There is no current element: only outputs with their time and window are taken.
  void begin_explicit() {
    reset();
    out_.explicit_only_ = true;
    out_.has_times_ = true;
    out_.least_ = timestamp::max();
    out_.greatest_ = timestamp::min();
  }

  // The current element is complete.
  void settle() {
    out_.complete_ = out_.count_;
    if (out_.count_ >= limit_) [[unlikely]]
      out_.pass_on();
  }
  // Inside a catch block: destroys the outputs of the current element. Returns whether none had left; passes the
  // exception on if it came from further down.
  [[nodiscard]] bool take_back() {
    if (out_.passing_on_) throw;
    if (out_.has_left_) return false;
    destroy_after(out_.complete_);
    return true;
  }
  // Passes everything on.
  void end() {
    check(!out_.passing_on_, "a function lets an exception from a later step pass");
    out_.complete_ = out_.count_;
    out_.pass_on();
    reset();
  }

 private:
  void reset() {
    check(out_.count_ == 0, "a batch of outputs is passed on before the next begins");
    out_.complete_ = 0;
    out_.has_times_ = out_.has_codes_ = out_.explicit_only_ = out_.has_left_ = false;
    out_.code_ = 0;
    out_.own_.clear();
    out_.contexts_ = {};
  }
  void destroy_after(std::uint32_t kept) {
    while (out_.count_ > kept) std::destroy_at(out_.values_ + --out_.count_);
  }

  value_buffer<X> buffer_;
  std::uint32_t limit_;
  emitter<X> out_;
};

}  // namespace detail

}  // namespace millrace
