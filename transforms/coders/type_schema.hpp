#pragma once

#include <millrace/transforms/coders/codable.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace millrace {

// What the bytes of a coder hold, as data: so that one program can tell whether it reads what another has written.
struct type_schema {
  enum class form : std::uint8_t {
    value,        // as the coder of this name writes it
    parts,        // a container or tuple of this name, of parts
    fields,       // an aggregate: fields may be appended
    alternatives  // a variant: alternatives may be appended
  };

  std::string name;  // of fields, and of an enum of one part, for people alone: bytes do not depend on it
  form is = form::value;
  std::vector<type_schema> parts = {};

  friend bool operator==(const type_schema&, const type_schema&) = default;
};

// The name of the enums' form, whose one part is what they are coded as.
[[nodiscard]] type_schema enum_schema(std::string name, type_schema underlying);

// Readable: "shop::order{int64,optional<string>}", "vector<double>", "color(int32)".
[[nodiscard]] std::string to_text(const type_schema& of);

// Whether values that were written with `old` have the same bytes with `now`: as keys need them.
[[nodiscard]] bool same_bytes(const type_schema& old, const type_schema& now);

// Whether values that were written with `old` can be read with `now` without making anything up: the same types, where
// aggregates may have more fields at their end, each an optional, and variants more alternatives.
[[nodiscard]] bool reads(const type_schema& now, const type_schema& old);

// The schema of T's coder: what its schema() says, or else a value of the coder's name.
template <codable T>
[[nodiscard]] type_schema schema_of() {
  if constexpr (requires { coder<T>::schema(); }) return coder<T>::schema();
  else return {.name = coder<T>::name()};
}

// A container or tuple of these parts.
template <codable... Parts>
[[nodiscard]] type_schema schema_of_parts(std::string name) {
  return {.name = std::move(name), .is = type_schema::form::parts, .parts = {schema_of<Parts>()...}};
}

// Schemas in checkpoints. Reading fails beyond the nesting that a reader allows.
template <>
struct coder<type_schema> {
  static void encode(writer& out, const type_schema& value);
  static type_schema decode(reader& in);
  static constexpr bool deterministic = true;
  static std::string name() { return "type_schema"; }
};

}  // namespace millrace
