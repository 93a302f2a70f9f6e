#pragma once

#include <millrace/transforms/operators/bundle_operator.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/stable_rows.hpp>
#include <millrace/transforms/operators/stateful.hpp>
#include <millrace/transforms/splittable/splittable_fn.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {

template <class T, class Fn, class Options, class... Outs>
auto add_stateless(const pcollection<T>& in, const std::string& name, const Fn& fn, const Options& options,
                   std::source_location where, output_list<Outs...> /*outputs*/) {
  using traits = options_traits<Options>;
  constexpr bool callable =
      traits::template callable<Fn, T, emitter<Outs>&...> || traits::template finalizes<Fn, T, emitter<Outs>&...>;
  static_assert(callable,
                "millrace: par_do: process must be callable with an element of the collection (const T&), the "
                "contents of its side inputs if it has some, and an emitter<X>& for each type X of its output");
  if constexpr (callable) {
    (require_element<Outs>(), ...);
    emissions<Outs...>::template require_calls<Fn>();
    using inner = par_do_operator_for<T, typename traits::template call<Fn>, Outs...>;
    return add_step<Outs...>(stable_where_asked<Fn>(in, name, where), name,
                             step_spec<T, inner>(arrow_text<T, Outs...>("par_do"), in, fn, options), options, where);
  }
}

template <class T, class Fn, class Options>
auto add_par_do(const pcollection<T>& in, const std::string& name, const Fn& fn, const Options& options,
                std::source_location where) {
  constexpr bool divides = splittable_function<Fn, owning_t<T>>;
  static_assert(!divides,
                "millrace: par_do: a function with initial_restriction(const T&) is splittable; apply it with "
                "par_do_splittable");
  if constexpr (divides) {
    return in;
  } else if constexpr (stateful_function<Fn>) {
    return add_stateful(in, name, fn, where, options);
  } else {
    using outputs = outputs_of<Fn>;
    static_assert(outputs::size > 0,
                  "millrace: par_do: the function must name its output (using output = X;) or take an emitter<X>& in a "
                  "parameter that is not auto");
    if constexpr (outputs::size > 0) return add_stateless(in, name, fn, options, where, outputs{});
  }
}

}  // namespace detail

// Applies a do_fn (see functions/do_fn.hpp), which sees the stamp of each element and may keep resources for a shard or
// a bundle. With one output the result is its collection, with several (`using output = std::tuple<A, B>`) a tuple of
// them. An element in several windows is processed once for each. A function object with `cells()` is stateful: its
// elements are kv, and it keeps state and timers per key and window. Takes the same options as map. An object whose
// process throws is called again with the same element, so it must not have changed itself before by what it cannot
// repeat.
template <class Fn>
[[nodiscard]] auto par_do(std::string name, Fn fn, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), where]<class T>(const pcollection<T>& in) {
    return detail::add_par_do(in, name, fn, detail::options_from(), where);
  };
}
template <class Fn, detail::step_option Option>
[[nodiscard]] auto par_do(std::string name, Fn fn, Option option,
                          std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), options = detail::options_from(std::move(option)),
          where]<class T>(const pcollection<T>& in) { return detail::add_par_do(in, name, fn, options, where); };
}
template <class Fn, detail::step_option First, detail::step_option Second>
[[nodiscard]] auto par_do(std::string name, Fn fn, First first, Second second,
                          std::source_location where = std::source_location::current()) {
  return
      [name = std::move(name), fn = std::move(fn), options = detail::options_from(std::move(first), std::move(second)),
       where]<class T>(const pcollection<T>& in) { return detail::add_par_do(in, name, fn, options, where); };
}

}  // namespace millrace
