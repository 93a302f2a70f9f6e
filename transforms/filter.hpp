#pragma once

#include <millrace/transforms/operators/element_step.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {

template <class T, class F, class Options>
auto add_filter(const pcollection<T>& in, const std::string& name, const F& f, const Options& options,
                std::source_location where) {
  using traits = options_traits<Options>;
  using function = decltype(as_function(f));
  static_assert(
      traits::template callable<function, T>,
      "millrace: filter: the function must be callable with an element of the collection (const T&), followed "
      "by the contents of its side inputs if it has some");
  if constexpr (traits::template callable<function, T>) {
    using answer = std::remove_cvref_t<typename traits::template result<function, T>>;
    static_assert(std::is_same_v<answer, bool>,
                  "millrace: filter: the function must return bool, whether to keep the element");
    if constexpr (std::is_same_v<answer, bool>) {
      using inner = filter_operator<T, typename traits::template call<function>>;
      return add_step<T>(in, name, step_spec<T, inner>(arrow_text<T, T>("filter"), in, as_function(f), options),
                         options, where);
    }
  }
}

}  // namespace detail

// Keeps the elements for which f(element) is true. A pointer to a bool member will do. Stamps stay. Takes the same
// options as map.
template <class F>
[[nodiscard]] auto filter(std::string name, F f, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    return detail::add_filter(in, name, f, detail::options_from(), where);
  };
}
template <class F, detail::step_option Option>
[[nodiscard]] auto filter(std::string name, F f, Option option,
                          std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(option)),
          where]<class T>(const pcollection<T>& in) { return detail::add_filter(in, name, f, options, where); };
}
template <class F, detail::step_option First, detail::step_option Second>
[[nodiscard]] auto filter(std::string name, F f, First first, Second second,
                          std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(first), std::move(second)),
          where]<class T>(const pcollection<T>& in) { return detail::add_filter(in, name, f, options, where); };
}

}  // namespace millrace
