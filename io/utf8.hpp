#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace {

// Whether all bytes are below 0x80. Looks at many bytes at a time.
[[nodiscard]] bool is_ascii(std::string_view text);

// The position of the first byte that does not continue or begin a well-formed UTF-8 sequence (RFC 3629: shortest forms
// only, no surrogates, nothing above U+10FFFF; a cut-off sequence counts from its first byte), or npos if all is well.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

// The beginning of a text for a message: at most `bytes_max` bytes with dots where something was left out, and every
// byte that is not printable ASCII or part of well-formed UTF-8 written as \xhh.
[[nodiscard]] std::string printable(std::string_view text, std::size_t bytes_max = 64);

}  // namespace millrace
