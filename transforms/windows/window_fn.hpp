#pragma once

#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <stdexcept>
#include <string>
#include <variant>

namespace millrace {

// One window for all time: the windowing of everything that has met no window_into.
struct all_time {
  friend bool operator==(const all_time&, const all_time&) = default;
};

// A window function was asked for what it cannot give, such as the side window of a session. The message says what to
// do.
class window_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How elements get their windows: a value that steps and groupings copy. Made by `fixed`, `sliding`, `sessions` and
// `global_windows`, which refuse sizes that make no sense with std::invalid_argument; the default is the global window.
class window_fn {
 public:
  using alternatives = std::variant<all_time, fixed_windows, sliding_windows, session_windows>;

  window_fn() = default;
  explicit window_fn(alternatives fn) : fn_(fn) {}

  // All windows of an element at `t`; may be none.
  [[nodiscard]] window_set assign(timestamp t) const;
  // The window of an element at `t`, without allocation or set. Only where `single()`.
  [[nodiscard]] window assign_one(timestamp t) const {
    if (const auto* f = std::get_if<fixed_windows>(&fn_)) [[likely]]
      return f->assign_one(t);
    if (const auto* s = std::get_if<session_windows>(&fn_)) return s->assign_one(t);
    return window::global();
  }
  // Every timestamp gets exactly one window.
  [[nodiscard]] bool single() const { return !std::holds_alternative<sliding_windows>(fn_); }
  // Windows of one key may become one at a grouping.
  [[nodiscard]] bool merging() const { return std::holds_alternative<session_windows>(fn_); }
  // The only window is the global one.
  [[nodiscard]] bool global() const { return std::holds_alternative<all_time>(fn_); }

  // Windows of both may be flattened into one collection: equal functions, or sessions whatever their gaps.
  [[nodiscard]] bool compatible(const window_fn& other) const {
    return fn_ == other.fn_ || (merging() && other.merging());
  }

  // The window of a side input windowed by this function that belongs to `main`, a window of the main input. Throws
  // window_error where there is none: sessions, a global main window with windows in the side input, a gap between
  // sliding windows.
  [[nodiscard]] window side_window(const window& main) const;

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

// Readable text of a window: "[0, 60000)" in milliseconds, or "global".
[[nodiscard]] std::string window_text(const window& w);

}  // namespace millrace
