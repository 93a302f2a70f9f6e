#pragma once

#include <millrace/transforms/element/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace millrace {

// Reads a UTC time as RFC 3339 has it: 2026-01-01T00:00:00Z, with one to nine digits of a second where there are some,
// which are floored to milliseconds. Anything else gives nothing: another offset than Z, small letters, a leap second,
// a day that its month does not have.
[[nodiscard]] std::optional<timestamp> read_timestamp(std::string_view text);

// The same, but throws parse_error naming the text and what was expected.
[[nodiscard]] timestamp parse_timestamp(std::string_view text);

// Appends a time with three digits of a second: 2026-01-01T00:00:00.123Z. Years that do not have four digits have no
// such form and are refused with std::out_of_range.
void append_timestamp(std::string& out, timestamp time);

// The same as a text of its own.
[[nodiscard]] std::string format_timestamp(timestamp time);

}  // namespace millrace
