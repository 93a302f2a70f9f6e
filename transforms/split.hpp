#pragma once

#include <millrace/transforms/operators/element_operator_split.hpp>
#include <millrace/transforms/operators/element_step.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace millrace {

namespace detail {

template <class T, class F, class... Outs>
auto add_split(const pcollection<T>& in, const std::string& name, const F& f, std::source_location where,
               std::type_identity<std::variant<Outs...>> /*of*/) {
  (require_element<Outs>(), ...);
  using operator_type = split_operator<T, user_function<F>, Outs...>;
  return add_step<Outs...>(in, name, make_element_spec<operator_type>(arrow_text<T, Outs...>("split"), f),
                           step_options<false>{}, where);
}

}  // namespace detail

// Sends each element where its result belongs: f returns a std::variant<A, B, ...> and the result is a tuple of
// collections, one for each alternative, in their order.
//   auto [good, bad] = lines | split("parse", [](const std::string& s) -> std::variant<order, bad_line> {...});
template <class F>
[[nodiscard]] auto split(std::string name, F f, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    using function = decltype(detail::as_function(f));
    constexpr bool callable = detail::callable_step<function, const T&>;
    static_assert(callable,
                  "millrace: split: the function must be callable with an element of the collection (const T&)");
    if constexpr (callable) {
      using result = std::remove_cvref_t<detail::step_result<function, const T&>>;
      static_assert(detail::is_variant<result>, "millrace: split: the function must return a std::variant");
      if constexpr (detail::is_variant<result>)
        return detail::add_split(in, name, detail::as_function(f), where, std::type_identity<result>{});
    }
  };
}

}  // namespace millrace
