#pragma once

#include <millrace/transforms/coders/scalar.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/element/time.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

// Says that a timer holds no watermark.
struct no_output_option {};
inline constexpr no_output_option no_output{};

namespace detail {

// A timer of one key and window, as it is stored. The output timestamp max() stands for none.
struct timer_slot {
  bool pending = false;
  timestamp fires;
  timestamp output;

  friend bool operator==(const timer_slot&, const timer_slot&) = default;
};

// What a timer that is set must know of the call in which that happens.
struct timer_scope {
  timestamp watermark;  // of the input
  timestamp now;
  timestamp expiry;  // of the window
  timestamp at;      // of the element or timer being processed
  bool may_set = true;
};

struct timer_access;

}  // namespace detail

// A timer of a stateful function for each key and window: a member that cells() lists. Setting it again replaces it. It
// fires when its clock is above its time, and on_timer is called with it: compare with `==` to know which. Until then
// it holds the output watermark at its output timestamp, which is also the timestamp of what its callback emits.
class keyed_timer {
 public:
  // Forgets the pending firing, if there is one.
  void clear() {
    check(slot_ != nullptr, "a timer is used in process, on_timer or on_window_expiration");
    change({});
  }
  // Inside its callback: the time it was set for.
  [[nodiscard]] timestamp fired_at() const { return fired_at_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // Whether they are the same timer, not an equal one.
  friend bool operator==(const keyed_timer& a, const keyed_timer& b) { return &a == &b; }

 protected:
  explicit keyed_timer(std::string name) : name_(std::move(name)) {}
  ~keyed_timer() = default;
  keyed_timer(const keyed_timer&) = default;
  keyed_timer& operator=(const keyed_timer&) = default;
  keyed_timer(keyed_timer&&) = default;
  keyed_timer& operator=(keyed_timer&&) = default;

  [[nodiscard]] const detail::timer_scope& scope() const {
    check(slot_ != nullptr, "a timer is used in process, on_timer or on_window_expiration");
    if (!scope_->may_set) refuse("on_window_expiration may set no timer");
    return *scope_;
  }
  void change(const detail::timer_slot& to) {
    if (!changed_) old_ = *slot_;
    changed_ = true;
    *slot_ = to;
  }
  void check_output(timestamp output, timestamp latest) const {
    if (output < scope_->at)
      refuse("its output timestamp " + text(output) + " is before that of the current element, " + text(scope_->at));
    if (output > latest) refuse("its output timestamp " + text(output) + " is after " + text(latest));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("timer \"" + name_ + "\": " + why);
  }
  static std::string text(timestamp t) { return std::to_string(t.millis()); }

 private:
  friend struct detail::timer_access;

  std::string name_;
  detail::timer_slot* slot_ = nullptr;
  const detail::timer_scope* scope_ = nullptr;
  timestamp fired_at_;
  bool changed_ = false;  // in this call
  detail::timer_slot old_;
};

// A timer of the watermark. It may be set up to the expiry of the window (its last instant plus the allowed lateness),
// and always fires before the state of the window goes.
class event_timer : public keyed_timer {
 public:
  explicit event_timer(std::string name) : keyed_timer(std::move(name)) {}

  // For `fires`, with that as its output timestamp.
  void set(timestamp fires) { set_checked(fires, fires); }
  // With an output timestamp between the current element's and `fires`.
  void set(timestamp fires, timestamp output) {
    static_cast<void>(scope());
    check_output(output, fires);
    set_checked(fires, output);
  }
  void set(timestamp fires, no_output_option /*option*/) { set_checked(fires, timestamp::max()); }
  // For `delay` after the input watermark, at most the expiry of the window.
  void after(duration delay) { set(std::min(scope().watermark + delay, scope().expiry)); }

 private:
  void set_checked(timestamp fires, timestamp output) {
    const timestamp expiry = scope().expiry;
    if (fires > expiry)
      refuse("its time " + text(fires) + " is after the expiry of the window, " + text(expiry)
             + "; set it to that at most, or allow more lateness");
    change({true, fires, output});
  }
};

// A timer of the processing clock. It is dropped when its window expires before it fires; at the end of a bounded input
// that is every pending one.
class processing_timer : public keyed_timer {
 public:
  explicit processing_timer(std::string name) : keyed_timer(std::move(name)) {}

  // For the instant `fires` of the clock, with the current element's timestamp as its output timestamp.
  void set(timestamp fires) { change({true, fires, scope().at}); }
  // With an output timestamp between the current element's and the expiry of the window.
  void set(timestamp fires, timestamp output) {
    check_output(output, scope().expiry);
    change({true, fires, output});
  }
  void set(timestamp fires, no_output_option /*option*/) {
    static_cast<void>(scope());
    change({true, fires, timestamp::max()});
  }
  // For `delay` from now.
  void after(duration delay) { set(scope().now + delay); }
  void after(duration delay, timestamp output) { set(scope().now + delay, output); }
  void after(duration delay, no_output_option option) { set(scope().now + delay, option); }
};

namespace detail {

// What the operator does with the timers of a function around each call.
struct timer_access {
  static void bind(keyed_timer& t, timer_slot& slot, const timer_scope& scope) {
    t.slot_ = &slot;
    t.scope_ = &scope;
    t.changed_ = false;
  }
  static void firing(keyed_timer& t, timestamp fires) { t.fired_at_ = fires; }
  static void take_back(keyed_timer& t) {
    if (t.changed_) *t.slot_ = t.old_;
    t.changed_ = false;
  }
  // Whether the call changed it, and if so how it was before.
  static bool changed(const keyed_timer& t) { return t.changed_; }
  static const timer_slot& old(const keyed_timer& t) { return t.old_; }
  static void release(keyed_timer& t) {
    t.slot_ = nullptr;
    t.changed_ = false;
  }
};

}  // namespace detail

template <>
struct coder<detail::timer_slot> {
  static void encode(writer& out, const detail::timer_slot& value) {
    coder<bool>::encode(out, value.pending);
    if (!value.pending) return;
    coder<timestamp>::encode(out, value.fires);
    coder<timestamp>::encode(out, value.output);
  }
  static detail::timer_slot decode(reader& in) {
    if (!coder<bool>::decode(in)) return {};
    const timestamp fires = coder<timestamp>::decode(in);
    return {true, fires, coder<timestamp>::decode(in)};
  }
  static constexpr bool deterministic = true;
  static std::string name() { return "timer"; }
};

}  // namespace millrace
