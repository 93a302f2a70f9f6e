#pragma once

#include <millrace/transforms/operators/element_step.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {

template <class T, class F, class Options>
auto add_map(const pcollection<T>& in, const std::string& name, const F& f, const Options& options,
             std::source_location where) {
  using traits = options_traits<Options>;
  if constexpr (std::is_member_object_pointer_v<F> && !std::is_invocable_v<F, const T&>) {
    static_assert(std::is_invocable_v<F, const T&>,
                  "millrace: map: the member is not one of the collection's elements");
  } else if constexpr (std::is_member_object_pointer_v<F> && !Options::errors) {
    using member = std::remove_cvref_t<std::invoke_result_t<F, const T&>>;
    require_element<member>();
    return add_step<member>(in, name, make_element_spec<member_operator<T, member>>(arrow_text<T, member>("member"), f),
                            options, where);
  } else {
    using function = decltype(as_function(f));
    static_assert(traits::template callable<function, T>,
                  "millrace: map: the function must be callable with an element of the collection (const T&), followed "
                  "by the contents of its side inputs if it has some");
    if constexpr (traits::template callable<function, T>) {
      using out = std::remove_cvref_t<typename traits::template result<function, T>>;
      static_assert(!std::is_void_v<out>, "millrace: map: the function must return the new element, not void");
      if constexpr (!std::is_void_v<out>) {
        require_element<out>();
        using inner = map_operator<T, out, typename traits::template call<function>>;
        return add_step<out>(in, name, step_spec<T, inner>(arrow_text<T, out>("map"), in, as_function(f), options),
                             options, where);
      }
    }
  }
}

}  // namespace detail

// Replaces each element by f(element): pcollection<T> -> pcollection<U>. A pointer to a member gives that member of
// each element without copying it. Stamps stay. With `with_errors` the result is a tuple: the new elements, and the
// elements for which f threw. With `with(views...)` f gets the contents of the views too. A last parameter
// `metric_board&` of f receives the metrics of the step.
template <class F>
[[nodiscard]] auto map(std::string name, F f, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    return detail::add_map(in, name, f, detail::options_from(), where);
  };
}
template <class F, detail::step_option Option>
[[nodiscard]] auto map(std::string name, F f, Option option,
                       std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(option)),
          where]<class T>(const pcollection<T>& in) { return detail::add_map(in, name, f, options, where); };
}
template <class F, detail::step_option First, detail::step_option Second>
[[nodiscard]] auto map(std::string name, F f, First first, Second second,
                       std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(first), std::move(second)),
          where]<class T>(const pcollection<T>& in) { return detail::add_map(in, name, f, options, where); };
}

}  // namespace millrace
