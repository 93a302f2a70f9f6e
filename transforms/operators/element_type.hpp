#pragma once

#include <millrace/transforms/coders/any_coder.hpp>
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/operators/edge.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace millrace {

namespace detail {
// The type that keeps what T shows: T itself, except for views of text.
template <class T>
struct owning {
  using type = T;
};
template <>
struct owning<std::string_view> {
  using type = std::string;
};
template <class Value>
struct owning<kv<std::string_view, Value>> {
  using type = kv<std::string, Value>;
};
template <class T>
using owning_t = typename owning<T>::type;
}  // namespace detail

// Elements that are views of the text of other elements, such as the words of a line. They live within a stage, as long
// as a batch; a grouping keeps them as std::string.
template <class T>
inline constexpr bool is_text_view = !std::is_same_v<T, detail::owning_t<T>>;

namespace detail {

// A copy of an element that owns its text, and the element again as a view of such a copy.
template <class T>
owning_t<T> owned(const T& x) {
  if constexpr (is_text_view<T> && is_kv<T>) return {std::string(x.key), x.value};
  else return owning_t<T>(x);
}
template <class T>
  requires is_text_view<T>
T view_of(const owning_t<T>& x) {
  if constexpr (is_kv<T>) return {x.key, x.value};
  else return x;
}

}  // namespace detail

// Stops compilation with one sentence unless T can be the element type of a collection.
template <class T>
consteval void require_element() {
  if constexpr (is_text_view<T>) require_codable<detail::owning_t<T>>();
  else require_codable<T>();
}

// What a collection's element type can do without its C++ type being known: its coder, and the operators that move its
// elements between and within stages. One constant per type; a collection of opaque bytes has its own.
struct element_type {
  any_coder coder;
  bool leaves_stage;  // its elements can cross an edge as they are; text views cannot
  std::unique_ptr<edge_writer> (*make_writer)(const edge_environment&);
  std::unique_ptr<stage_operator> (*make_reader)(const operator_environment&);
  std::unique_ptr<stage_operator> (*make_tee)();

  template <class T>
  static const element_type& of();
};

namespace detail {
// Views of text have no bytes of their own that could travel.
[[noreturn]] inline void refuse_text_view() {
  throw std::invalid_argument("elements that are std::string_view cannot leave the stage that made them; map them to "
                              "std::string first");
}
template <class T>
std::unique_ptr<edge_writer> make_value_writer(const edge_environment& in) {
  if constexpr (is_text_view<T>) refuse_text_view();
  else return make_edge_writer<value_writer<T>>(in);
}
template <class T>
std::unique_ptr<stage_operator> make_bundle_reader(const operator_environment& in) {
  if constexpr (is_text_view<T>) refuse_text_view();
  else return make_operator<bundle_reader<T>>(in);
}
template <class T>
std::unique_ptr<stage_operator> make_tee() {
  return make_operator<tee_operator<T>>();
}
}  // namespace detail

template <class T>
const element_type& element_type::of() {
  static const element_type type{any_coder::of<detail::owning_t<T>>(), !is_text_view<T>, &detail::make_value_writer<T>,
                                 &detail::make_bundle_reader<T>, &detail::make_tee<T>};
  return type;
}

}  // namespace millrace
