#pragma once

#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/window_into.hpp>

#include <cstddef>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

struct keeps_nothing {
  static constexpr bool picks_panes = true;
  template <class T>
  bool operator()(const T& /*x*/) const {
    return false;
  }
};

// A side input without elements: it is ready for a window when no more elements of the signal can come for it.
template <class Signal>
auto silent_view(const pcollection<Signal>& signal, const std::string& name, std::source_location where) {
  windowing when_closed;
  when_closed.fire = never();
  when_closed.keep = panes::discarding;
  when_closed.allowed_lateness = duration{0};  // what it was, if that is more
  return signal | filter("nothing of " + name, keeps_nothing{}, where)
         | window_into("closing of " + name, when_closed, where) | as_list(name, where);
}

}  // namespace detail

// Passes an element once its window is over for every signal: when the watermark of each has passed the end of the
// signal's window for it, allowed lateness included, whether or not the signal had elements. Until then elements wait
// and hold the watermark. The windows of signals must not merge.
//   rows | wait_on("after the table is written", written)
template <class... Signals>
[[nodiscard]] auto wait_on(const detail::placed_name& name, const pcollection<Signals>&... signals) {
  static_assert(sizeof...(Signals) > 0, "millrace: wait_on needs at least one signal to wait for");
  return [name, ... of = signals]<class T>(const pcollection<T>& in) {
    const auto body = [&](const pcollection<T>& all) {
      std::size_t number = 0;
      const auto number_of_next = [&] { return "signal " + std::to_string(++number); };
      const std::tuple views{detail::silent_view(of, number_of_next(), name.where)...};
      return std::apply(
          [&](const auto&... v) {
            return all
                   | filter(
                       "wait", [](const T& /*x*/, const std::vector<Signals>&... /*nothing*/) { return true; },
                       with(v...), name.where);
          },
          views);
    };
    return composite(name.name, body)(in);
  };
}

}  // namespace millrace
