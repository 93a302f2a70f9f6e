#pragma once

#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/window_operator.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

// By how much with_timestamps may move an element back in time. Elements moved back may be late for what follows.
struct allowed_skew {
  duration by{0};
};

namespace detail {

template <class T, class F, class Options>
auto add_timestamps(const pcollection<T>& in, const std::string& name, const F& f, allowed_skew skew,
                    const Options& options, std::source_location where) {
  using function = decltype(as_function(f));
  constexpr bool callable = options_traits<Options>::template callable<function, T>;
  static_assert(callable, "millrace: with_timestamps: the function must be callable with an element of the collection "
                          "(const T&)");
  if constexpr (callable) {
    using time = step_result<function, const T&>;
    static_assert(
        std::is_convertible_v<time, timestamp>,
        "millrace: with_timestamps: the function must return a timestamp or a time point of the system clock");
    if constexpr (std::is_convertible_v<time, timestamp>) {
      using operator_type = timestamp_operator<T, user_function<function>>;
      auto spec = make_element_spec<operator_type>(arrow_text<T, T>("with_timestamps") + ", skew "
                                                       + std::to_string(skew.by.count()) + " ms",
                                                   as_function(f), skew.by);
      return add_step<T>(in, name, std::move(spec), options, where);
    }
  }
}

}  // namespace detail

// Gives each element the event time f(element). Times finer than a millisecond are floored. An element moves forward
// freely and back by the allowed skew at most; one whose time is not known yet (the least timestamp) may get any.
template <class F>
[[nodiscard]] auto with_timestamps(std::string name, F f,
                                   std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    return detail::add_timestamps(in, name, f, {}, detail::options_from(), where);
  };
}
template <class F>
[[nodiscard]] auto with_timestamps(std::string name, F f, allowed_skew skew,
                                   std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), skew, where]<class T>(const pcollection<T>& in) {
    return detail::add_timestamps(in, name, f, skew, detail::options_from(), where);
  };
}
// Elements for which f throws, or whose time is not allowed, go to the error output.
template <class F>
[[nodiscard]] auto with_timestamps(std::string name, F f, error_output /*asked*/,
                                   std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    return detail::add_timestamps(in, name, f, {}, detail::options_from(with_errors), where);
  };
}

}  // namespace millrace
