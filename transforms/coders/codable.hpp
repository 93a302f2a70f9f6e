#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

// Turns values of T into bytes and back. Scalars, text, standard containers and plain aggregates have one; for another
// type, specialise it next to the type, with
//   static void encode(writer& out, const T& value);   // at least one byte, always the same for one value
//   static T decode(reader& in);                       // reads exactly those bytes, or throws decode_error
//   static constexpr bool deterministic;               // equal values always give equal bytes, so T can be a key
//   static std::string name();                         // stable, readable; in fingerprints and errors
// and, where a value's memory may stand for it, `static constexpr memory_form memory` (see there); and, if its bytes
// can change while state is kept, `static type_schema schema()`, else a later program reads what it wrote if its name
// is the same.
template <class T>
struct coder;

// What the memory of a value is worth, as its coder says: a trait cannot tell, since a pointer's memory looks like a
// number's. `none`: only the coder's bytes carry the value. `value`: copying the memory inside one process copies the
// value. `key`: moreover equal values have equal memory, in every process, and any bytes are a valid value.
enum class memory_form : std::uint8_t { none, value, key };

// T has a coder: its values can be elements, keys and state.
template <class T>
concept codable = std::is_object_v<T> && requires(writer& out, reader& in, const T& value) {
  { coder<T>::encode(out, value) } -> std::same_as<void>;
  { coder<T>::decode(in) } -> std::same_as<T>;
  { coder<T>::deterministic } -> std::convertible_to<bool>;
  { coder<T>::name() } -> std::convertible_to<std::string>;
};

// T can be a key: equal values give equal bytes. Floating point and unordered containers, at any depth, do not.
template <class T>
concept deterministic_key = codable<T> && coder<T>::deterministic;

// What the coder of T says of its memory; `none` where it says nothing.
template <codable T>
inline constexpr memory_form memory_of = [] {
  if constexpr (requires { coder<T>::memory; }) return coder<T>::memory;
  else return memory_form::none;
}();

// The weaker of two forms: that of a value made of both.
constexpr memory_form weaker(memory_form a, memory_form b) {
  return a < b ? a : b;
}

// The form of a trivially copyable T made of parts that are all at least `parts`: padding spoils a key.
template <class T>
constexpr memory_form form_of_parts(memory_form parts) {
  if (!std::is_trivially_copyable_v<T>) return memory_form::none;
  return std::has_unique_object_representations_v<T> ? parts : weaker(parts, memory_form::value);
}

// Stops compilation with one sentence unless T has a coder.
template <class T>
consteval void require_codable() {
  if constexpr (std::is_same_v<T, std::string_view>)
    static_assert(codable<T>, "millrace: a string_view does not own its characters; use std::string in elements");
  else if constexpr (std::is_pointer_v<T>)
    static_assert(codable<T>, "millrace: a pointer means nothing in another process; let the element hold the value");
  else if constexpr (std::is_reference_v<T> || std::is_const_v<T> || std::is_volatile_v<T>)
    static_assert(codable<T>, "millrace: an element type is a plain value type, without reference, const or volatile");
  else
    static_assert(codable<T>, "millrace: this element type has no coder; make it a plain aggregate of codable fields "
                              "or specialise millrace::coder<T>");
}

// Stops compilation with one sentence unless T can be a key.
template <class T>
consteval void require_key() {
  require_codable<T>();
  if constexpr (codable<T>)
    static_assert(deterministic_key<T>,
                  "millrace: this type cannot be a key, since equal values may have different bytes (floating point or "
                  "an unordered container is inside); use an integer, text or an ordered container");
}

}  // namespace millrace
