#pragma once

#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/operators/combine_spec.hpp>
#include <millrace/transforms/operators/global_combine.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

// The key of each row, as a function or a member: by(&event::device).
template <class F>
struct key_function {
  [[no_unique_address]] F f;
  template <class Row>
    requires std::is_invocable_v<const F&, const Row&>
  decltype(auto) operator()(const Row& row) const {
    return std::invoke(f, row);
  }
};
// The value of each row, as a function or a member: of(&event::celsius).
template <class F>
struct value_function {
  [[no_unique_address]] F f;
  template <class Row>
    requires std::is_invocable_v<const F&, const Row&>
  decltype(auto) operator()(const Row& row) const {
    return std::invoke(f, row);
  }
};
template <class F>
[[nodiscard]] key_function<F> by(F f) {
  return {std::move(f)};
}
template <class F>
[[nodiscard]] value_function<F> of(F f) {
  return {std::move(f)};
}

// combine_globally gives nothing for an empty input, and may be used with any windows.
struct without_defaults_option {};
inline constexpr without_defaults_option without_defaults{};

namespace detail {

template <class Row, class KeyOf, class ValueOf, class Fn>
auto add_combine(const pcollection<Row>& in, const std::string& name, combine_parts<KeyOf, ValueOf, Fn> parts,
                 std::source_location where) {
  using spec = combine_spec<Row, KeyOf, ValueOf, Fn>;
  refuse_unsound_grouping(in, name);
  return add_grouping<typename spec::output>(in, name, make_spec<spec>(in.windowing(), std::move(parts)), where);
}

// Stops compilation with one sentence where there is no combine function for the values.
template <class Row, class KeyOf, class ValueOf, class Fn>
consteval void require_combine() {
  if constexpr (!std::is_invocable_v<KeyOf, const Row&>) {
    static_assert(std::is_invocable_v<KeyOf, const Row&>,
                  "millrace: combine_per_key: by(...) must take an element of the collection");
  } else if constexpr (!std::is_invocable_v<ValueOf, const Row&>) {
    static_assert(std::is_invocable_v<ValueOf, const Row&>,
                  "millrace: combine_per_key: of(...) must take an element of the collection");
  } else {
    require_group_key<row_part<KeyOf, Row>>();
    require_codable<row_part<ValueOf, Row>>();
    static_assert(combine_fn<combine_fn_for_t<row_part<ValueOf, Row>, Fn>, row_part<ValueOf, Row>>,
                  "millrace: this is no combine function for the values: it needs create(), add(acc, value), "
                  "merge(acc, acc) and extract(acc), with an accumulator that has a coder");
  }
}

}  // namespace detail

// One result for each key (and window): pcollection<kv<K, V>> -> pcollection<kv<K, Out>>.
template <class Fn>
[[nodiscard]] auto combine_per_key(std::string name, Fn fn,
                                   std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: combine_per_key takes a collection of kv, or key and value functions: "
                            "combine_per_key(name, by(key), of(value), fn)");
    if constexpr (is_kv<T>) {
      detail::require_combine<T, key_member, value_member, Fn>();
      using value = detail::row_part<value_member, T>;
      return detail::add_combine(
          in, name, detail::combine_parts{key_member{}, value_member{}, detail::combine_fn_for<value>(fn)}, where);
    }
  };
}

// The same over elements of any type, whose key and value are given by functions: no pair is built for them.
//   readings | combine_per_key("hottest", by(&reading::device), of(&reading::celsius), mr::max)
template <class By, class Of, class Fn>
[[nodiscard]] auto combine_per_key(std::string name, key_function<By> key_of, value_function<Of> value_of, Fn fn,
                                   std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    detail::require_combine<T, key_function<By>, value_function<Of>, Fn>();
    using value = detail::row_part<value_function<Of>, T>;
    return detail::add_combine(in, name, detail::combine_parts{key_of, value_of, detail::combine_fn_for<value>(fn)},
                               where);
  };
}

namespace detail {

template <class Fn, class T>
auto add_global_combine(const pcollection<T>& in, const std::string& name, const Fn& fn, bool defaults,
                        std::source_location where) {
  using combined = combine_fn_for_t<T, Fn>;
  static_assert(combine_fn<combined, T>,
                "millrace: this is no combine function for the elements: it needs create(), add(acc, value), "
                "merge(acc, acc) and extract(acc), with an accumulator that has a coder");
  if constexpr (combine_fn<combined, T>) {
    if (defaults && !in.windowing().into.global())
      throw pipeline_error(in.owner().path_of(name),
                           "a global combine gives its default for an empty input, which windows do not have; "
                           "pass without_defaults to get nothing for an empty window");
    refuse_unsound_grouping(in, name);
    return add_grouping<combined_by<combined>>(
        in, name, make_spec<global_combine_spec<T, combined>>(in.windowing(), combine_fn_for<T>(fn), defaults), where);
  }
}

}  // namespace detail

// One result for all elements. An empty input in the global window gives what no elements give (a sum of 0), once, at
// the end of the input; a function without a result for no elements (min, max, mean) gives nothing.
template <class Fn>
[[nodiscard]] auto combine_globally(std::string name, Fn fn,
                                    std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), where]<class T>(const pcollection<T>& in) {
    return detail::add_global_combine(in, name, fn, true, where);
  };
}

// One result for all elements of each window that has some.
template <class Fn>
[[nodiscard]] auto combine_globally(std::string name, Fn fn, without_defaults_option /*option*/,
                                    std::source_location where = std::source_location::current()) {
  return [name = std::move(name), fn = std::move(fn), where]<class T>(const pcollection<T>& in) {
    return detail::add_global_combine(in, name, fn, false, where);
  };
}

}  // namespace millrace
