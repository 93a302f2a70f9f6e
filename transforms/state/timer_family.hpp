#pragma once

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// Any number of timers of one clock for each key and window, told apart by tags that a function chooses as it runs.
// Each tag is a timer of its own: setting one again replaces that one. on_timer is told the family, and tag() which of
// it fires.
template <time_domain Domain>
class timer_family : public keyed_timer {
 public:
  using stored = std::map<std::string, detail::timer_slot, std::less<>>;
  static constexpr time_domain domain = Domain;

  explicit timer_family(std::string name) : keyed_timer(std::move(name)) {}

  // For the instant `fires` of its clock.
  void set(std::string tag, timestamp fires, timer_output output = {}) {
    change(std::move(tag), setting(Domain).at(fires, output));
  }
  // For `delay` from now.
  void after(std::string tag, duration delay, timer_output output = {}) {
    change(std::move(tag), setting(Domain).after(delay, output));
  }
  // For the next multiple of `period`, now included.
  void align(std::string tag, duration period, timer_output output = {}) {
    align(std::move(tag), period, duration{0}, output);
  }
  // For the first instant t, now included, of which t + offset is a multiple of `period`.
  void align(std::string tag, duration period, duration offset, timer_output output = {}) {
    change(std::move(tag), setting(Domain).aligned(period, offset, output));
  }
  // Forgets the pending firing of a tag, if there is one.
  void clear(std::string_view tag) {
    static_cast<void>(scope());
    if (slots_->find(tag) != slots_->end()) change(std::string(tag), {});
  }
  // Inside its callback: the tag of the timer that fires.
  [[nodiscard]] const std::string& tag() const { return tag_; }
  // The present of its clock, from which `after` and `align` count: the input watermark or processing time.
  [[nodiscard]] timestamp now() const { return scope().clock(Domain); }

 private:
  friend struct detail::timer_access;
  void change(std::string tag, const detail::timer_slot& to) {
    detail::timer_slot& now = (*slots_)[tag];
    old_.try_emplace(std::move(tag), now);
    now = to;
  }
  void fired(std::string_view tag) { tag_ = tag; }
  void bind(stored& to) {
    slots_ = &to;
    old_.clear();
  }
  void take_back() {
    for (const auto& [tag, before] : old_)
      if (before.pending) (*slots_)[tag] = before;
      else slots_->erase(tag);
    old_.clear();
  }
  // Calls f(tag, before, now) for each timer that the call which ends has changed.
  template <class F>
  void release(F&& f) {
    for (const auto& [tag, before] : old_) {
      detail::timer_slot& now = (*slots_)[tag];
      if (!(before == now)) f(std::string_view{tag}, before, now);
      if (!now.pending) slots_->erase(tag);
    }
    old_.clear();
    slots_ = nullptr;
  }

  stored* slots_ = nullptr;  // what is there is pending, but for what the open call has cleared
  std::map<std::string, detail::timer_slot> old_;
  std::string tag_;
};

// Timers of the watermark by tag; see event_timer.
using event_timer_family = timer_family<time_domain::event>;
// Timers of the processing clock by tag; see processing_timer.
using processing_timer_family = timer_family<time_domain::processing>;

}  // namespace millrace
