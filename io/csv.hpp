#pragma once

#include <millrace/io/csv_schema.hpp>
#include <millrace/io/json_lines.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// Plain aggregates to and from records of CSV with a header, by the names of their fields: RFC 4180, with the delimiter
// of the options. A field may be a bool, an integer, a floating point number, a std::string, a timestamp (as
// 2026-01-01T00:00:00.123Z) or a std::optional of these. Columns may come in any order; those of optional fields may
// lack. Reading is strict: numbers must fit their type exactly, and there are neither blanks around them nor signs +.
// Nothing between two delimiters is no value of an optional field; "" in quotes is an empty text. Quoted fields may
// hold line ends.

namespace detail {

template <class T>
concept csv_scalar = std::same_as<T, bool> || json_integer<T> || json_float<T> || std::same_as<T, std::string>
                     || std::same_as<T, timestamp>;

template <class T>
consteval std::string_view csv_expected() {
  if constexpr (std::same_as<T, std::string>) return "text";
  else return json_description<T>.expected;
}

template <class T>
bool set_csv(void* to, const csv_value& from) {
  if constexpr (is_json_optional<T>) {
    auto& value = *static_cast<T*>(to);
    value.reset();
    if (from.text.empty() && !from.quoted) return true;
    return set_csv<typename T::value_type>(&value.emplace(), from);
  } else if constexpr (std::same_as<T, bool>) {
    *static_cast<bool*>(to) = from.text == "true";
    return from.text == "true" || from.text == "false";
  } else if constexpr (std::same_as<T, std::string>) {
    *static_cast<std::string*>(to) = from.text;
    return true;
  } else if constexpr (std::same_as<T, timestamp>) {
    const auto time = read_timestamp(from.text);
    if (time) *static_cast<timestamp*>(to) = *time;
    return time.has_value();
  } else {
    return set_json_number<T>(to, from.text);
  }
}

template <class T>
struct csv_value_of {
  using type = T;
};
template <class T>
struct csv_value_of<std::optional<T>> {
  using type = T;
};

template <class Record, std::size_t Index>
consteval csv_field describe_csv_field() {
  using field = std::tuple_element_t<Index, field_types<Record>>;
  using value = typename csv_value_of<field>::type;
  static_assert(csv_scalar<value>, "millrace: a field of a CSV record must be a bool, a number, a std::string, a "
                                   "timestamp, or an optional of these");
  if constexpr (csv_scalar<value>)
    return {.name = field_names<Record>[Index],
            .expected = csv_expected<value>(),
            .optional = is_json_optional<field>,
            .in = [](void* record) -> void* {
              return visit_fields(*static_cast<Record*>(record),
                                  [](auto&... fields) -> void* { return &std::get<Index>(std::tie(fields...)); });
            },
            .set = &set_csv<field>};
  else return {};
}

template <class Record, std::size_t... Indices>
consteval auto describe_csv_fields(std::index_sequence<Indices...> /*all*/) {
  return std::array<csv_field, sizeof...(Indices)>{describe_csv_field<Record, Indices>()...};
}

template <class Record>
inline constexpr auto csv_fields_of = describe_csv_fields<Record>(std::make_index_sequence<field_count<Record>>{});

template <class T>
void append_csv(std::string& out, const T& value, char delimiter) {
  if constexpr (is_json_optional<T>) {
    if (!value) return;
    if constexpr (std::same_as<typename T::value_type, std::string>)
      append_csv_text(out, *value, delimiter, value->empty());
    else append_csv(out, *value, delimiter);
  } else if constexpr (std::same_as<T, std::string>) append_csv_text(out, value, delimiter);
  else if constexpr (std::same_as<T, timestamp>) append_timestamp(out, value);
  else append_json(out, value);
}

}  // namespace detail

// The names of the fields of a struct as a header, without the line end.
template <plain_aggregate T>
[[nodiscard]] std::string csv_header(const csv_options& options = {}) {
  std::string header;
  for (const std::string_view name : field_names<T>) {
    if (!header.empty()) header += options.delimiter;
    header += name;
  }
  return header;
}

// Writes a struct as one record, without the line end. Throws std::invalid_argument naming the field if its value has
// no such form: infinity, NaN, a year without four digits.
template <plain_aggregate T>
[[nodiscard]] std::string to_csv_record(const T& value, const csv_options& options = {}) {
  static_assert(detail::csv_fields_of<T>.size() > 0, "millrace: a CSV record needs at least one field");
  std::string record;
  std::size_t index = 0;
  try {
    visit_fields(value, [&](const auto&... fields) {
      ((index > 0 ? void(record += options.delimiter) : void(), detail::append_csv(record, fields, options.delimiter),
        ++index),
       ...);
    });
  } catch (const std::exception& fault) {
    refuse_json_field(field_names<T>[index], fault);
  }
  if (record.empty()) record = "\"\"";  // not an empty line, which no record is
  return record;
}

}  // namespace millrace
