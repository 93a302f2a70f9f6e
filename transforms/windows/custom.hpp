#pragma once

#include <millrace/transforms/coders/type_name.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/windows/window_error.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// Windows of one key that become one at a grouping: `into` is new, or one of `from`.
struct window_merge {
  window into;
  std::vector<window> from;
};

// What a window function of a user is told of an element besides its value.
struct window_request {
  timestamp at;
  window before;                  // the window that the element is in so far
  const void* element = nullptr;  // of the function's element type, if it has one
};

// An element type: equal tags, equal types. Without a tag time and window suffice.
struct looked_at {
  const void* tag = nullptr;
  std::string name = {};

  template <class T>
  static looked_at of() {
    if constexpr (std::is_void_v<T>) return {};
    else return {&tag_of<T>, type_name<T>()};
  }

 private:
  template <class T>
  static constexpr char tag_of = 0;
};

// A window function of a user, as windowing sees it. One object serves all shards at once, so it must not change.
class custom_window_fn {
 public:
  custom_window_fn() = default;
  custom_window_fn(const custom_window_fn&) = delete;
  custom_window_fn& operator=(const custom_window_fn&) = delete;
  virtual ~custom_window_fn() = default;

  [[nodiscard]] virtual window_set assign(const window_request& of) const = 0;
  // The type of the elements that it looks at.
  [[nodiscard]] virtual looked_at looks_at() const = 0;
  [[nodiscard]] virtual bool merging() const = 0;
  [[nodiscard]] virtual std::vector<window_merge> merge(std::span<const window> active) const = 0;
  // The window of a side input for a window of the main input; nothing if it leaves that to the model's rule.
  [[nodiscard]] virtual std::optional<window> side_window(const window& main) const = 0;
  // How long before the end of a main window the end of its side window may lie.
  [[nodiscard]] virtual duration side_lookback() const = 0;
  [[nodiscard]] virtual std::string describe() const = 0;
};

// The alternative of window_fn for functions of users. Equal are those of one type that describe themselves alike.
struct custom_windows {
  std::shared_ptr<const custom_window_fn> fn;

  friend bool operator==(const custom_windows& a, const custom_windows& b) {
    return a.fn == b.fn || a.fn->describe() == b.fn->describe();
  }
};

namespace detail {

// How a function's assign() is to be called: with the element type if it takes one.
template <class Signature>
struct assigned_element {
  static constexpr bool valid = false;
  using type = void;
};
template <class R, class C>
struct assigned_element<R (C::*)(timestamp) const> {
  static constexpr bool valid = true;
  using type = void;
};
template <class R, class C, class T>
struct assigned_element<R (C::*)(const T&, timestamp) const> {
  static constexpr bool valid = true;
  using type = T;
};
template <class R, class C, class T>
struct assigned_element<R (C::*)(const T&, timestamp, const window&) const> {
  static constexpr bool valid = true;
  using type = T;
};
template <class R, class C, class... As>
struct assigned_element<R (C::*)(As...) const noexcept> : assigned_element<R (C::*)(As...) const> {};

template <class Fn>
consteval auto find_assigned() {
  if constexpr (requires { &Fn::assign; }) return assigned_element<decltype(&Fn::assign)>{};
  else return assigned_element<void>{};
}
template <class Fn>
using assigned_of = decltype(find_assigned<Fn>());

inline window_set set_of(const window& one) {
  return one;
}
inline window_set set_of(const std::vector<window>& all) {
  return window_set{std::span<const window>{all}};
}
inline window_set set_of(const std::optional<window>& one) {
  return one ? window_set{*one} : window_set{};
}

// Calls what a user's function has, and says for the rest what the model says.
template <class Fn>
class custom_window_calls final : public custom_window_fn {
  using element = typename assigned_of<Fn>::type;

 public:
  explicit custom_window_calls(Fn fn) : fn_(std::move(fn)) {}

  [[nodiscard]] window_set assign(const window_request& of) const override {
    window_set all = call(of);
    for (const window& w : all) {
      if (of.at <= w.max_timestamp() && w.start < w.end && w.start >= timestamp::min() && w.end <= window::global().end)
        continue;
      throw window_error("window function " + describe() + " gives an element at " + std::to_string(of.at.millis())
                         + " the window [" + std::to_string(w.start.millis()) + ", " + std::to_string(w.end.millis())
                         + "); a window ends after its elements, begins before it ends, and lies inside the bounds of "
                           "time");
    }
    return all;
  }
  [[nodiscard]] looked_at looks_at() const override { return looked_at::of<element>(); }
  [[nodiscard]] bool merging() const override {
    return requires(const Fn& fn, std::span<const window> all) { fn.merge(all); };
  }
  [[nodiscard]] std::vector<window_merge> merge(std::span<const window> active) const override {
    if constexpr (requires { fn_.merge(active); }) return fn_.merge(active);
    else return {};
  }
  [[nodiscard]] std::optional<window> side_window(const window& main) const override {
    if constexpr (requires { fn_.side_window(main); }) return fn_.side_window(main);
    else return std::nullopt;
  }
  [[nodiscard]] duration side_lookback() const override {
    if constexpr (requires { fn_.side_lookback(); }) return fn_.side_lookback();
    else return duration{0};
  }
  [[nodiscard]] std::string describe() const override { return type_name<Fn>() + " " + std::string(fn_.describe()); }

 private:
  [[nodiscard]] window_set call(const window_request& of) const {
    if constexpr (std::is_void_v<element>) {
      return set_of(fn_.assign(of.at));
    } else {
      const auto& x = *static_cast<const element*>(of.element);
      if constexpr (requires { fn_.assign(x, of.at, of.before); }) return set_of(fn_.assign(x, of.at, of.before));
      else return set_of(fn_.assign(x, of.at));
    }
  }

  Fn fn_;
};

}  // namespace detail

}  // namespace millrace
