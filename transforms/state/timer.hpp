#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/state/timer_rules.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {
struct timer_access;
}  // namespace detail

// What timers and families of timers of a stateful function share: the name, and what a callback asks. They are members
// that cells() lists. One that fires is given to on_timer: compare with `==` to know which.
class keyed_timer {
 public:
  // Inside its callback: the time it was set for.
  [[nodiscard]] timestamp fired_at() const { return fired_at_; }
  // Inside its callback: whether it fires because the job is drained. Its callback sets it in vain, and other timers
  // once: what their callbacks set is ignored, else a loop would never end.
  [[nodiscard]] bool caused_by_drain() const { return caused_by_drain_; }
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

  void enter(const detail::timer_scope* scope) { scope_ = scope; }
  [[nodiscard]] const detail::timer_scope& scope() const {
    if (!scope_)
      throw std::logic_error("timer \"" + name_
                             + "\" is used outside of process, on_timer and on_window_expiration, or cells() does not "
                               "return it");
    return *scope_;
  }
  [[nodiscard]] detail::timer_setting setting(time_domain domain) const { return {domain, name_, scope()}; }

 private:
  friend struct detail::timer_access;

  std::string name_;
  const detail::timer_scope* scope_ = nullptr;
  timestamp fired_at_;
  bool caused_by_drain_ = false;
};

// A timer of one clock for each key and window. Setting it again replaces it. It fires when its clock is above its
// time.
template <time_domain Domain>
class single_timer : public keyed_timer {
 public:
  using stored = detail::timer_slot;
  static constexpr time_domain domain = Domain;

  explicit single_timer(std::string name) : keyed_timer(std::move(name)) {}

  // For the instant `fires` of its clock.
  void set(timestamp fires, timer_output output = {}) { change(setting(Domain).at(fires, output)); }
  // For `delay` from now.
  void after(duration delay, timer_output output = {}) { change(setting(Domain).after(delay, output)); }
  // For the next multiple of `period`, now included.
  void align(duration period, timer_output output = {}) { align(period, duration{0}, output); }
  // For the first instant t, now included, of which t + offset is a multiple of `period`.
  void align(duration period, duration offset, timer_output output = {}) {
    change(setting(Domain).aligned(period, offset, output));
  }
  // For the end of the window's state, when on_window_expiration comes next: until then it holds the watermark for what
  // that will give out.
  void at_expiration(timestamp output)
    requires(Domain == time_domain::event)
  {
    change(setting(Domain).at_expiration(output));
  }
  // Forgets the pending firing, if there is one.
  void clear() {
    static_cast<void>(scope());
    change({});
  }
  // The present of its clock, from which `after` and `align` count: the input watermark or processing time. Before the
  // first watermark that is the least timestamp, so set() by the element's own time is the safer choice.
  [[nodiscard]] timestamp now() const { return scope().clock(Domain); }

 private:
  friend struct detail::timer_access;
  void change(const stored& to) {
    if (!std::exchange(changed_, true)) old_ = *slot_;
    *slot_ = to;
  }
  void bind(stored& to) {
    slot_ = &to;
    changed_ = false;
  }
  void take_back() {
    if (std::exchange(changed_, false)) *slot_ = old_;
  }
  // Calls f(tag, before, now) if the call that ends has changed it.
  template <class F>
  void release(F&& f) {
    if (std::exchange(changed_, false) && !(old_ == *slot_)) f(std::string_view{}, old_, *slot_);
    slot_ = nullptr;
  }

  stored* slot_ = nullptr;
  bool changed_ = false;  // in this call
  stored old_;
};

// A timer of the watermark. It may be set up to the expiry of the window (its last instant plus the allowed lateness),
// and always fires before the state of the window goes. Its output timestamp is not after its time.
using event_timer = single_timer<time_domain::event>;

// A timer of the processing clock. It is dropped when its window expires before it fires; at the end of a bounded input
// that is every pending one, unless the function has `fires_clock_timers_at_end`. Its output timestamp is not after the
// expiry of the window.
using processing_timer = single_timer<time_domain::processing>;

namespace detail {

// What the operator does with the timers of a function around each call.
struct timer_access {
  template <class Timer>
  static void bind(Timer& t, typename Timer::stored& to, const timer_scope& scope) {
    t.enter(&scope);
    t.bind(to);
  }
  template <class Timer>
  static void take_back(Timer& t) {
    t.take_back();
  }
  // Calls changed(tag, before, now) for each timer that the call has changed.
  template <class Timer, class Changed>
  static void release(Timer& t, Changed&& changed) {
    t.release(changed);
    t.enter(nullptr);
  }
  // Tells what the callback will ask.
  template <class Timer>
  static void firing(Timer& t, std::string_view tag, timestamp fires, bool caused_by_drain) {
    t.fired_at_ = fires;
    t.caused_by_drain_ = caused_by_drain;
    if constexpr (requires { t.fired(tag); }) t.fired(tag);
  }

  // The pending timer with a tag in the storage of one or of a family, or null.
  template <class Stored>
  static const timer_slot* find(const Stored& in, std::string_view tag) {
    if constexpr (std::is_same_v<Stored, timer_slot>) {
      return in.pending ? &in : nullptr;
    } else {
      const auto at = in.find(tag);
      return at == in.end() ? nullptr : &at->second;
    }
  }
  template <class Stored>
  static void erase(Stored& in, std::string_view tag) {
    if constexpr (std::is_same_v<Stored, timer_slot>) in = {};
    else if (const auto at = in.find(tag); at != in.end()) in.erase(at);
  }
  template <class Stored>
  static bool empty(const Stored& of) {
    if constexpr (std::is_same_v<Stored, timer_slot>) return !of.pending;
    else return of.empty();
  }
  // Calls f(slot) for each pending timer, which f may change.
  template <class Stored, class F>
  static void each_slot(Stored& in, F&& f) {
    if constexpr (std::is_same_v<Stored, timer_slot>) {
      if (in.pending) f(in);
    } else {
      for (auto& [tag, slot] : in) f(slot);
    }
  }
  // Calls f(tag, slot) for each pending timer.
  template <class Stored, class F>
  static void each_pending(const Stored& in, F&& f) {
    if constexpr (std::is_same_v<Stored, timer_slot>) {
      if (in.pending) f(std::string_view{}, in);
    } else {
      for (const auto& [tag, slot] : in) f(std::string_view{tag}, slot);
    }
  }
};

}  // namespace detail

}  // namespace millrace
