#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace millrace {

// What a value is in JSON.
enum class json_kind : std::uint8_t { boolean, number, text, optional, list, record };

struct json_type;

// A field of a record: its name, how to reach it in the record, and what it is.
struct json_field {
  std::string_view name;
  void* (*in)(void* record);
  const json_type* type;
};

// How a C++ type is filled from JSON, without the type itself, so that there is one parser for all of them. Only the
// members that belong to the kind are set. Values are passed by address.
struct json_type {
  json_kind kind;
  // Completes "expected …".
  std::string_view expected;
  // boolean: sets it.
  void (*set_boolean)(void* value, bool boolean) = nullptr;
  // number: sets it from its spelling. False if it is not what is expected.
  bool (*set_number)(void* value, std::string_view spelling) = nullptr;
  // text: sets it from its content. False if it is not what is expected.
  bool (*set_text)(void* value, std::string_view text) = nullptr;
  // optional and list: what is inside.
  const json_type* inner = nullptr;
  // optional: makes a value inside and returns its address.
  void* (*engage)(void* value) = nullptr;
  // optional and list: empties it.
  void (*clear)(void* value) = nullptr;
  // list: makes another value at its end and returns its address.
  void* (*append)(void* value) = nullptr;
  // record: its fields.
  std::span<const json_field> fields = {};
};

// What a reader of JSON lines puts up with.
struct json_options {
  // Fields that the struct does not have are skipped instead of refused.
  bool unknown_fields = false;
  // Of a key that comes twice the last value counts, instead of being refused.
  bool duplicate_keys = false;
};

// Fills a record from one line of JSON. False if that cannot be done; `why` then says why, and the record is left half
// filled.
[[nodiscard]] bool fill_from_json(std::string_view line, const json_type& type, void* record,
                                  const json_options& options, std::string& why);

// Appends a text in quotes. Throws std::invalid_argument if it is not valid UTF-8, which JSON cannot hold.
void append_json_text(std::string& out, std::string_view text);

// Appends the shortest spelling that reads back as the same number. Throws std::invalid_argument for infinity and NaN,
// which JSON cannot hold.
void append_json_number(std::string& out, double number);
void append_json_number(std::string& out, float number);

// Throws std::invalid_argument that says which field could not be written.
[[noreturn]] void refuse_json_field(std::string_view name, const std::exception& fault);

}  // namespace millrace
