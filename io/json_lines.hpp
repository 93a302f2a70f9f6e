#pragma once

#include <millrace/io/field_names.hpp>
#include <millrace/io/json_schema.hpp>
#include <millrace/io/parse_error.hpp>
#include <millrace/io/timestamps.hpp>
#include <millrace/transforms/coders/fields.hpp>
#include <millrace/transforms/element/time.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// Plain aggregates to and from lines of JSON, each line one object, by the names of their fields. A field may be a
// bool, an integer, a floating point number, a std::string, a timestamp (as 2026-01-01T00:00:00.123Z), a std::optional
// or std::vector of these, or another plain aggregate. Reading is strict: every field must be there (an optional one
// may lack or be null), numbers must fit their type exactly, and keys neither repeat nor are unknown unless allowed.
// Doubles survive unchanged.

template <class T>
inline constexpr bool is_json_optional = false;
template <class T>
inline constexpr bool is_json_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_json_list = false;
template <class T>
inline constexpr bool is_json_list<std::vector<T>> = !std::same_as<T, bool>;

// The integers that are numbers, as opposed to characters.
template <class T>
concept json_integer =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t>
    && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t> && sizeof(T) <= 8;

template <class T>
concept json_float = std::same_as<T, float> || std::same_as<T, double>;

// Sets a number from its spelling if it fits.
template <class Number>
bool set_json_number(void* value, std::string_view spelling) {
  const auto* end = spelling.data() + spelling.size();
  const auto [stop, fault] = std::from_chars(spelling.data(), end, *static_cast<Number*>(value));
  return fault == std::errc{} && stop == end;
}

template <json_integer T>
consteval std::string_view expected_integer() {
  if constexpr (std::signed_integral<T>) {
    if constexpr (sizeof(T) == 1) return "an integer from -128 to 127";
    else if constexpr (sizeof(T) == 2) return "an integer from -32768 to 32767";
    else if constexpr (sizeof(T) == 4) return "an integer from -2147483648 to 2147483647";
    else return "an integer from -9223372036854775808 to 9223372036854775807";
  } else {
    if constexpr (sizeof(T) == 1) return "an integer from 0 to 255";
    else if constexpr (sizeof(T) == 2) return "an integer from 0 to 65535";
    else if constexpr (sizeof(T) == 4) return "an integer from 0 to 4294967295";
    else return "an integer from 0 to 18446744073709551615";
  }
}

template <class T>
struct json_type_of;

// The description of a type for the parser.
template <class T>
inline constexpr json_type json_description = json_type_of<T>::describe();

template <class Record, std::size_t... Indices>
consteval auto describe_json_fields(std::index_sequence<Indices...> /*all*/) {
  return std::array<json_field, sizeof...(Indices)>{
      json_field{.name = field_names<Record>[Indices],
                 .in = [](void* record) -> void* {
                   return visit_fields(*static_cast<Record*>(record), [](auto&... fields) -> void* {
                     return &std::get<Indices>(std::tie(fields...));
                   });
                 },
                 .type = &json_description<std::tuple_element_t<Indices, field_types<Record>>>}...};
}

template <class Record>
inline constexpr auto json_fields_of = describe_json_fields<Record>(std::make_index_sequence<field_count<Record>>{});

template <class T>
struct json_type_of {
  static consteval json_type describe() {
    if constexpr (std::same_as<T, bool>) {
      return {.kind = json_kind::boolean, .expected = "true or false", .set_boolean = [](void* value, bool boolean) {
                *static_cast<bool*>(value) = boolean;
              }};
    } else if constexpr (json_integer<T>) {
      return {.kind = json_kind::number, .expected = expected_integer<T>(), .set_number = &set_json_number<T>};
    } else if constexpr (json_float<T>) {
      return {.kind = json_kind::number,
              .expected = std::same_as<T, float> ? "a number that a float can hold" : "a number that a double can hold",
              .set_number = &set_json_number<T>};
    } else if constexpr (std::same_as<T, std::string>) {
      return {.kind = json_kind::text, .expected = "a string", .set_text = [](void* value, std::string_view text) {
                static_cast<std::string*>(value)->assign(text);
                return true;
              }};
    } else if constexpr (std::same_as<T, timestamp>) {
      return {.kind = json_kind::text,
              .expected = "a UTC time such as 2026-01-01T00:00:00.123Z",
              .set_text = [](void* value, std::string_view text) {
                const auto time = read_timestamp(text);
                if (time) *static_cast<timestamp*>(value) = *time;
                return time.has_value();
              }};
    } else if constexpr (is_json_optional<T>) {
      return {.kind = json_kind::optional,
              .expected = json_description<typename T::value_type>.expected,
              .inner = &json_description<typename T::value_type>,
              .engage = [](void* value) -> void* { return &static_cast<T*>(value)->emplace(); },
              .clear = [](void* value) { static_cast<T*>(value)->reset(); }};
    } else if constexpr (is_json_list<T>) {
      return {.kind = json_kind::list,
              .expected = "a list",
              .inner = &json_description<typename T::value_type>,
              .clear = [](void* value) { static_cast<T*>(value)->clear(); },
              .append = [](void* value) -> void* { return &static_cast<T*>(value)->emplace_back(); }};
    } else if constexpr (plain_aggregate<T>) {
      return {.kind = json_kind::record, .expected = "an object", .fields = json_fields_of<T>};
    } else {
      static_assert(plain_aggregate<T>,
                    "a field of a JSON line must be a bool, a number, a std::string, a timestamp, an "
                    "optional or vector (not of bool) of these, or a plain aggregate");
    }
  }
};

// Appends a value as JSON.
template <class T>
void append_json(std::string& out, const T& value) {
  if constexpr (std::same_as<T, bool>) out += value ? "true" : "false";
  else if constexpr (json_integer<T>) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  } else if constexpr (json_float<T>) append_json_number(out, value);
  else if constexpr (std::same_as<T, std::string>) append_json_text(out, value);
  else if constexpr (std::same_as<T, timestamp>) {
    out += '"';
    append_timestamp(out, value);
    out += '"';
  } else if constexpr (is_json_optional<T>) {
    if (value) append_json(out, *value);
    else out += "null";
  } else if constexpr (is_json_list<T>) {
    char before = '[';
    for (const auto& element : value) {
      out += std::exchange(before, ',');
      append_json(out, element);
    }
    out += before == '[' ? "[]" : "]";
  } else {
    static_assert(json_description<T>.kind == json_kind::record);
    std::size_t index = 0;
    try {
      visit_fields(value, [&](const auto&... fields) {
        ((out += index == 0 ? "{\"" : ",\"", out += field_names<T>[index], out += "\":", append_json(out, fields),
          ++index),
         ...);
      });
    } catch (const std::exception& fault) {
      refuse_json_field(field_names<T>[index], fault);
    }
    out += field_count<T> == 0 ? "{}" : "}";
  }
}

// Writes a struct as one line of JSON, without the line end. Throws std::invalid_argument naming the field if JSON
// cannot hold its value: infinity, NaN, text that is not UTF-8, a year without four digits.
template <plain_aggregate T>
[[nodiscard]] std::string to_json_line(const T& value) {
  std::string line;
  append_json(line, value);
  return line;
}

// Reads a struct from one line of JSON. False if the line is not one; `why` then says why, and `into` is half filled.
template <plain_aggregate T>
[[nodiscard]] bool read_json_line(std::string_view line, T& into, std::string& why, const json_options& options = {}) {
  return fill_from_json(line, json_description<T>, &into, options, why);
}

// Reads a struct from one line of JSON. Throws parse_error naming the field, the value, and what was expected.
template <plain_aggregate T>
[[nodiscard]] T parse_json_line(std::string_view line, const json_options& options = {}) {
  T value{};
  std::string why;
  if (!read_json_line(line, value, why, options)) throw parse_error(why);
  return value;
}

}  // namespace millrace
