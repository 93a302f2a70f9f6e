#pragma once

#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/calendar.hpp>
#include <millrace/transforms/windows/custom.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>
#include <millrace/transforms/windows/sliding.hpp>
#include <millrace/transforms/windows/window_error.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace millrace {

// One window for all time: the windowing of everything that has met no window_into.
struct all_time {
  friend bool operator==(const all_time&, const all_time&) = default;
};

// How elements get their windows: a value that steps and groupings copy. Made by `fixed`, `sliding`, `sessions`,
// `calendar_days` and its like, `global_windows` and `custom_windows_of`, which refuse sizes that make no sense with
// std::invalid_argument; the default is the global window.
class window_fn {
 public:
  using alternatives =
      std::variant<all_time, fixed_windows, sliding_windows, session_windows, calendar_windows, custom_windows>;

  window_fn() = default;
  explicit window_fn(alternatives fn) : fn_(std::move(fn)) {}

  // All windows of an element at `t`; may be none. Not where a custom() function looks at elements.
  [[nodiscard]] window_set assign(timestamp t) const;
  // The window of an element at `t`, without allocation or set. Only where `single()`.
  [[nodiscard]] window assign_one(timestamp t) const {
    if (const auto* f = std::get_if<fixed_windows>(&fn_)) [[likely]]
      return f->assign_one(t);
    if (const auto* s = std::get_if<session_windows>(&fn_)) return s->assign_one(t);
    if (const auto* c = std::get_if<calendar_windows>(&fn_)) return c->assign_one(t);
    return window::global();
  }
  // Every timestamp gets exactly one window.
  [[nodiscard]] bool single() const { return !std::holds_alternative<sliding_windows>(fn_) && !custom(); }
  // Windows of one key may become one at a grouping.
  [[nodiscard]] bool merging() const {
    return std::holds_alternative<session_windows>(fn_) || (custom() && custom()->merging());
  }
  // The only window is the global one.
  [[nodiscard]] bool global() const { return std::holds_alternative<all_time>(fn_); }

  // The function of a user, or null.
  [[nodiscard]] const custom_window_fn* custom() const {
    const auto* c = std::get_if<custom_windows>(&fn_);
    return c ? c->fn.get() : nullptr;
  }

  // Windows of both may be flattened into one collection: equal functions, or sessions whatever their gaps.
  [[nodiscard]] bool compatible(const window_fn& other) const {
    return fn_ == other.fn_
           || (std::holds_alternative<session_windows>(fn_) && std::holds_alternative<session_windows>(other.fn_));
  }

  // The window of a side input windowed by this function that belongs to `main`, a window of the main input. Throws
  // window_error where there is none: sessions, a global main window with windows in the side input, a gap between
  // sliding windows.
  [[nodiscard]] window side_window(const window& main) const;
  // How long before the end of a main window the end of its side window may lie.
  [[nodiscard]] duration side_lookback() const { return custom() ? custom()->side_lookback() : duration{0}; }

  // Readable and exact: equal text, equal function. Part of a graph's fingerprint.
  [[nodiscard]] std::string describe() const;

  // The function itself, for code that treats a kind specially.
  [[nodiscard]] const alternatives& kind() const { return fn_; }

  friend bool operator==(const window_fn&, const window_fn&) = default;

 private:
  alternatives fn_;
};

// Windows [n * size + offset, (n + 1) * size + offset).
[[nodiscard]] window_fn fixed(duration size, duration offset = duration{0});

// Windows of `size` that begin every `period`, at multiples of it plus `offset`.
[[nodiscard]] window_fn sliding(duration size, duration period, duration offset = duration{0});

// Windows of `size` with a period for its magnitude: 1 h, 1 min, 1 s or 1 ms.
[[nodiscard]] window_fn sliding(duration size);

// Windows that end when a key was silent for `gap`.
[[nodiscard]] window_fn sessions(duration gap);

// One window for all time.
[[nodiscard]] window_fn global_windows();

// Windows of `count` days, months or years, from midnight to midnight.
[[nodiscard]] window_fn calendar_days(std::int32_t count = 1, const calendar_options& from = {});
[[nodiscard]] window_fn calendar_months(std::int32_t count = 1, const calendar_options& from = {});
[[nodiscard]] window_fn calendar_years(std::int32_t count = 1, const calendar_options& from = {});

// Windows of `count` weeks that begin on a day of the week, counted from the week of the first day.
[[nodiscard]] window_fn calendar_weeks(std::int32_t count = 1, std::chrono::weekday begins = std::chrono::Monday,
                                       const calendar_options& from = {});

// A window function of one's own: an object with
//   assign(timestamp t) const                                // or (const T& element, timestamp t), or with a third
//                                                            // const window& before: a window, std::optional of one,
//                                                            // or a std::vector of any number of windows
//   describe() const                                         // text; equal text, equal function: it is part of a job's
//                                                            // fingerprint
//   merge(std::span<const window> active) const              // optional, std::vector<window_merge>: which windows of a
//                                                            // key become one at a grouping; those that are not
//                                                            // named stay as they are
//   side_window(const window& main) const                    // optional: for side inputs windowed by it; else they
//                                                            // take the earliest window at the main window's end
//   side_lookback() const                                    // optional: how long before the end of the main window
//                                                            // that side window may end
// One object serves all shards at once. Its answers depend on nothing but the arguments, so checkpoints need not keep
// it.
template <class Fn>
[[nodiscard]] window_fn custom_windows_of(Fn fn) {
  static_assert(detail::assigned_of<Fn>::valid,
                "millrace: a window function has assign(timestamp) const, or assign(const T& element, timestamp) "
                "const with the window so far as a third argument if it likes, and neither is overloaded");
  static_assert(
      requires(const Fn& f) {
        { f.describe() } -> std::convertible_to<std::string>;
      }, "millrace: a window function has describe() const, which gives a text: equal text, equal function");
  if constexpr (detail::assigned_of<Fn>::valid)
    return window_fn{custom_windows{std::make_shared<detail::custom_window_calls<Fn>>(std::move(fn))}};
  else return window_fn{};
}

// Readable text of a window: "[0, 60000)" in milliseconds, or "global".
[[nodiscard]] std::string window_text(const window& w);

}  // namespace millrace
