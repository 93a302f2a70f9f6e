#pragma once

#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/element_step.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {

// Stands for an output type that is to be found out.
struct deduced_output {};

// The elements of a range.
template <class R>
consteval auto element_of_range() {
  if constexpr (requires(const R& r) {
                  *r.begin();
                  r.end();
                })
    return std::type_identity<std::remove_cvref_t<decltype(*std::declval<const R&>().begin())>>{};
  else return std::type_identity<void>{};
}

template <class List>
struct only_output {
  using type = void;
};
template <class X>
struct only_output<output_list<X>> {
  using type = X;
};

// What F emits or returns a range of: `Out` if the user has said so, else what its emitter or its result tells; void if
// neither does.
template <class Out, class T, class F, class Traits>
consteval auto flat_map_output() {
  if constexpr (!std::is_same_v<Out, deduced_output>) return std::type_identity<Out>{};
  else if constexpr (!std::is_void_v<typename only_output<outputs_of<F>>::type>) return only_output<outputs_of<F>>{};
  else if constexpr (Traits::template callable<F, T>) {
    return element_of_range<std::remove_cvref_t<typename Traits::template result<F, T>>>();
  } else return std::type_identity<void>{};
}

// How a function gives its outputs. The second question is not asked after a yes: the body of a generic function would
// be compiled with a wrong argument.
enum class flat_map_form : std::uint8_t { emits, returns, neither };
template <class Traits, class F, class T, class Out>
consteval flat_map_form find_flat_map_form() {
  if constexpr (Traits::template callable<F, T, emitter<Out>&>) return flat_map_form::emits;
  else if constexpr (Traits::template callable<F, T>) return flat_map_form::returns;
  else return flat_map_form::neither;
}

template <class Asked, class T, class F, class Options>
auto add_flat_map(const pcollection<T>& in, const std::string& name, const F& f, const Options& options,
                  std::source_location where) {
  using traits = options_traits<Options>;
  using function = decltype(as_function(f));
  using out = typename decltype(flat_map_output<Asked, T, function, traits>())::type;
  static_assert(
      !std::is_void_v<out>,
      "millrace: flat_map: the function must take an element of the collection and an emitter<U>&, or return a "
      "range; where its parameters are auto, name the output: flat_map<U>(...)");
  if constexpr (!std::is_void_v<out>) {
    constexpr flat_map_form form = find_flat_map_form<traits, function, T, out>();
    static_assert(
        form != flat_map_form::neither,
        "millrace: flat_map: the function must be callable with an element of the collection (const T&), "
        "followed by the contents of its side inputs if it has some, and by an emitter<U>& unless it returns a "
        "range");
    if constexpr (form != flat_map_form::neither) {
      require_element<out>();
      using inner = flat_map_operator<T, out, typename traits::template call<function>, form == flat_map_form::emits>;
      return add_step<out>(in, name, step_spec<T, inner>(arrow_text<T, out>("flat_map"), in, as_function(f), options),
                           options, where);
    }
  }
}

}  // namespace detail

// Replaces each element by any number of elements: pcollection<T> -> pcollection<U>. The fast form of f is
// `void f(const T&, emitter<U>&)`; a function that returns a range costs that range for each element. Outputs have the
// stamp of their element. Takes the same options as map. Elements whose outputs fill more than one batch are not called
// again when f throws, since some of them have left.
template <class U = detail::deduced_output, class F>
[[nodiscard]] auto flat_map(std::string name, F f, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    return detail::add_flat_map<U>(in, name, f, detail::options_from(), where);
  };
}
template <class U = detail::deduced_output, class F, detail::step_option Option>
[[nodiscard]] auto flat_map(std::string name, F f, Option option,
                            std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(option)),
          where]<class T>(const pcollection<T>& in) { return detail::add_flat_map<U>(in, name, f, options, where); };
}
template <class U = detail::deduced_output, class F, detail::step_option First, detail::step_option Second>
[[nodiscard]] auto flat_map(std::string name, F f, First first, Second second,
                            std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), options = detail::options_from(std::move(first), std::move(second)),
          where]<class T>(const pcollection<T>& in) { return detail::add_flat_map<U>(in, name, f, options, where); };
}

}  // namespace millrace
