#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// The kinds of triggers there are.
enum class trigger_kind : std::uint8_t {
  by_default,    // the end of the window, then every late bundle
  never,         // nothing before the window expires
  always,        // every bundle
  at_watermark,  // the end of the window; with early and late parts: around it too
  after_count,
  after_delay,              // by the processing clock
  after_synchronized_time,  // the next tick of the processing clock
  repeatedly,
  first_of,
  all_of,
  in_order,
  until
};

// One step from the time of the first element to the time when a delay trigger is ready: plus `amount`, or up to the
// next multiple of it plus `offset`.
struct clock_step {
  enum class kind : std::uint8_t { plus, align };
  kind what = kind::plus;
  duration amount{0};
  duration offset{0};

  friend bool operator==(const clock_step&, const clock_step&) = default;
};

// When results appear: a value, one node of a closed algebra with its parts. It says nothing about any key; the state
// of one key and window is a trigger_state. Made by the factories below; the default is default_trigger().
class trigger {
 public:
  trigger() = default;

  [[nodiscard]] trigger_kind kind() const { return kind_; }
  // The elements that after_count waits for.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // The steps of after_delay, in the order in which they apply.
  [[nodiscard]] std::span<const clock_step> steps() const { return steps_; }
  // The parts, in order. at_watermark has none, or an early part (never() if it has no early firings) and maybe a late
  // one; until has what it limits and the limit.
  [[nodiscard]] std::span<const trigger> parts() const { return parts_; }

  // Fires as this does, but for the last time when `limit` is ready; then the window is closed.
  [[nodiscard]] trigger until(trigger limit) const;

  // What a grouping of this trigger's panes uses, unless it is told otherwise.
  [[nodiscard]] trigger continuation() const;
  // Some input makes it finish, so that the window is closed while data may still arrive. never() counts as finishing.
  [[nodiscard]] bool may_finish() const;
  // Its firings depend on how many elements there were.
  [[nodiscard]] bool observes_element_counts() const;
  // Elements may be combined before it sees them: the end of the window, delays, never, their early and late forms,
  // first_of and repeatedly of those, as the model says.
  [[nodiscard]] bool allows_lifting() const;
  // The watermark at which it has certainly fired for a window that ends at `window_max`; timestamp::max() if no
  // watermark guarantees it.
  [[nodiscard]] timestamp guaranteed_firing(timestamp window_max) const;
  // Why a grouping must refuse it: it may finish before a window expires, so that data would be lost. Exempt are
  // never() and, without allowed lateness, triggers that finish at the end of the window.
  [[nodiscard]] bool unsafe(duration allowed_lateness) const;

  // Readable and exact: equal text, equal trigger. Part of a graph's fingerprint.
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const trigger&, const trigger&) = default;

  // A node with its parts; the factories check what it is made of.
  static trigger of(trigger_kind kind, std::vector<trigger> parts = {});
  // A trigger of the number of elements; of(n) with n at least 1.
  static trigger counting(std::uint64_t count);
  // A trigger of the processing clock.
  static trigger delaying(std::vector<clock_step> steps);

 private:
  trigger_kind kind_ = trigger_kind::by_default;
  std::uint64_t count_ = 0;
  std::vector<clock_step> steps_;
  std::vector<trigger> parts_;
};

// The end of the window, then every late bundle. Never finishes.
[[nodiscard]] trigger default_trigger();
// Nothing before the window expires.
[[nodiscard]] trigger never();
// Every bundle.
[[nodiscard]] trigger always();
// Fires when at least `elements` came, then is finished.
[[nodiscard]] trigger after_count(std::uint64_t elements);
// Fires on the tick of the processing clock after the first element, then is finished. The continuation of delays.
[[nodiscard]] trigger after_synchronized_processing_time();
// Fires whenever `part` does, which starts anew when it has finished.
[[nodiscard]] trigger repeatedly(trigger part);
// Fires once, when the first of the parts is ready.
[[nodiscard]] trigger first_of(std::vector<trigger> parts);
// Fires once, when every part has been ready.
[[nodiscard]] trigger all_of(std::vector<trigger> parts);
// Fires as its parts do, one after the other as they finish.
[[nodiscard]] trigger in_order(std::vector<trigger> parts);

template <class... Parts>
[[nodiscard]] trigger first_of(trigger part, Parts... others) {
  return first_of(std::vector<trigger>{std::move(part), trigger(std::move(others))...});
}
template <class... Parts>
[[nodiscard]] trigger all_of(trigger part, Parts... others) {
  return all_of(std::vector<trigger>{std::move(part), trigger(std::move(others))...});
}
template <class... Parts>
[[nodiscard]] trigger in_order(trigger part, Parts... others) {
  return in_order(std::vector<trigger>{std::move(part), trigger(std::move(others))...});
}

// Every element (strictly: every bundle that brings one): repeatedly(after_count(1)).
struct each_element {
  operator trigger() const { return repeatedly(after_count(1)); }  // NOLINT(google-explicit-constructor)
};

// The processing clock, counted from the first element since the last firing: `after_delay{10s}`, and
// `after_delay{}.align(1min).plus(10s)` for ten seconds after the next full minute.
class after_delay {
 public:
  after_delay() = default;
  explicit after_delay(duration delay) { steps_.push_back({clock_step::kind::plus, delay, duration{0}}); }

  // Later by `delay`.
  [[nodiscard]] after_delay plus(duration delay) const;
  // Up to the next multiple of `period` plus `offset`, if it is not one already.
  [[nodiscard]] after_delay align(duration period, duration offset = duration{0}) const;

  operator trigger() const { return trigger::delaying(steps_); }  // NOLINT(google-explicit-constructor)
  // As trigger::until.
  [[nodiscard]] trigger until(trigger limit) const { return trigger(*this).until(std::move(limit)); }

 private:
  std::vector<clock_step> steps_;
};

// The end of the window. With `early` results before it, with `late` corrections after it; both repeat without being
// told to. Without a late part it finishes at the end of the window.
class at_watermark {
 public:
  [[nodiscard]] at_watermark early(trigger part) const;
  [[nodiscard]] at_watermark late(trigger part) const;

  operator trigger() const;  // NOLINT(google-explicit-constructor)
  // As trigger::until.
  [[nodiscard]] trigger until(trigger limit) const { return trigger(*this).until(std::move(limit)); }

 private:
  std::vector<trigger> early_;  // at most one
  std::vector<trigger> late_;   // at most one
};

}  // namespace millrace
