#pragma once

#include <millrace/transforms/coders/coder.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

// The accumulator and the result of a combine function.
template <class Fn>
using accumulator_of = std::remove_cvref_t<decltype(std::declval<const Fn&>().create())>;
template <class Fn>
using combined_by =
    std::remove_cvref_t<decltype(std::declval<const Fn&>().extract(std::declval<const accumulator_of<Fn>&>()))>;

// Folds values of type In in any order and grouping: add and merge are associative and commutative. A plain value:
//   create() -> Acc                       of no values
//   add(Acc&, const In&)                  one more value
//   merge(Acc&, const Acc&)               all values of another accumulator
//   extract(const Acc&) -> Out            the result
//   compact(Acc&)                         optional: makes it smaller before it travels
//   has_result(const Acc&) -> bool        optional: false where there is nothing to give out, as for the least of none
//   name() -> std::string                 optional: for descriptions
// The accumulator has a coder, since it is state and crosses edges.
template <class Fn, class In>
concept combine_fn =
    std::copy_constructible<Fn> && codable<accumulator_of<Fn>>
    && requires(const Fn fn, accumulator_of<Fn>& to, const accumulator_of<Fn>& other, const In& value) {
         fn.add(to, value);
         fn.merge(to, other);
         fn.extract(other);
       };

// What an edge carries for a combine that was begun before it: an accumulator and how many elements it stands for, so
// that dropped elements are counted alike whether or not elements were combined early.
template <class Acc>
struct partial {
  std::uint64_t elements = 0;
  Acc accumulator;
};

template <codable Acc>
struct coder<partial<Acc>> {
  static void encode(writer& out, const partial<Acc>& value) {
    out.varint(value.elements);
    coder<Acc>::encode(out, value.accumulator);
  }
  static partial<Acc> decode(reader& in) {
    const std::uint64_t elements = in.varint();
    return {elements, coder<Acc>::decode(in)};
  }
  static constexpr bool deterministic = coder<Acc>::deterministic;
  static constexpr memory_form memory = form_of_parts<partial<Acc>>(memory_of<Acc>);
  static std::string name() { return "partial<" + std::string(coder<Acc>::name()) + ">"; }
};

namespace detail {

// The combine function for values of type In that a user's argument stands for: itself, what its for_input<In>() makes
// (a combiner that fits many types), or either of those from a function without parameters, as in `mr::sum`.
template <class In, class Fn>
auto combine_fn_for(const Fn& fn) {
  if constexpr (requires { fn.template for_input<In>(); }) return fn.template for_input<In>();
  else if constexpr (std::is_invocable_v<const Fn&>) return combine_fn_for<In>(fn());
  else return fn;
}
template <class In, class Fn>
using combine_fn_for_t = decltype(combine_fn_for<In>(std::declval<const Fn&>()));

// Whether there is a result to give out.
template <class Fn>
bool has_result(const Fn& fn, const accumulator_of<Fn>& of) {
  if constexpr (requires { fn.has_result(of); }) return fn.has_result(of);
  else return true;
}

template <class Fn>
void compact(const Fn& fn, accumulator_of<Fn>& to) {
  if constexpr (requires { fn.compact(to); }) fn.compact(to);
}

// How descriptions and fingerprints call a combine function.
template <class Fn>
std::string combine_fn_name(const Fn& fn) {
  if constexpr (requires { fn.name(); }) return fn.name();
  else return type_name<Fn>();
}

}  // namespace detail

}  // namespace millrace
