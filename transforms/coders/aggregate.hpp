#pragma once

#include <millrace/transforms/coders/codable.hpp>
#include <millrace/transforms/coders/fields.hpp>
#include <millrace/transforms/coders/type_name.hpp>
#include <millrace/transforms/coders/type_schema.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace millrace {

// What the coder of an aggregate knows of the types of its fields.
template <class Fields>
struct field_properties;

template <class... Fields>
struct field_properties<std::tuple<Fields...>> {
  static constexpr bool codable = (millrace::codable<Fields> && ...);
  // Asked only if all are codable.
  static constexpr bool deterministic() { return (coder<Fields>::deterministic && ...); }
  static constexpr memory_form memory() {
    memory_form weakest = memory_form::key;
    ((weakest = weaker(weakest, memory_of<Fields>)), ...);
    return weakest;
  }
  static std::vector<type_schema> schemas() { return {schema_of<Fields>()...}; }
};

// Plain aggregates code themselves: the length in bytes of what follows, the number of fields, the fields in order.
// Fields may be appended in a later version of the struct: bytes with fewer fields leave the last ones as T{} makes
// them, bytes with more are read up to the last known field and the rest is skipped. Fields must not be removed,
// reordered or retyped, and appending one changes the bytes of a key. The name is the struct's alone, so that it
// survives an appended field; the schema lists the types of the fields. A field that is appended while state is kept
// should be an optional, so that old values do not get one that nobody gave them: an update refuses others.
template <plain_aggregate T>
  requires field_properties<field_types<T>>::codable
struct coder<T> {
  static void encode(writer& out, const T& value) {
    const std::size_t opened = out.open();
    out.varint(field_count<T>);
    visit_fields(value,
                 [&out]<class... Fields>(const Fields&... fields) { (coder<Fields>::encode(out, fields), ...); });
    out.close(opened);
  }
  static T decode(reader& in) {
    reader body = in.section();
    const reader::nested level{body};
    const std::size_t written = body.count();
    T value{};
    visit_fields(value, [&body, written]<class... Fields>(Fields&... fields) {
      [[maybe_unused]] std::size_t index = 0;
      ((index++ < written ? static_cast<void>(fields = coder<Fields>::decode(body)) : static_cast<void>(0)), ...);
    });
    if (written <= field_count<T>) body.expect_end();
    return value;
  }
  static constexpr bool deterministic = field_properties<field_types<T>>::deterministic();
  static constexpr memory_form memory = form_of_parts<T>(field_properties<field_types<T>>::memory());
  static std::string name() { return type_name<T>(); }
  static type_schema schema() {
    return {.name = name(), .is = type_schema::form::fields, .parts = field_properties<field_types<T>>::schemas()};
  }
};

}  // namespace millrace
