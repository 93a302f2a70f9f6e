#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::tidy {

// The text with comments, preprocessor lines and the inside of literals replaced by blanks, line by line in place, so
// that what remains can be searched for words and braces and still knows its line numbers.
[[nodiscard]] std::string code_only(std::string_view text);

enum class block_kind { name_space, type, function, other };

// A pair of braces: what stands before the opening one, and the lines of both.
struct block {
  block_kind kind = block_kind::other;
  std::string head;
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};

// What ends in a semicolon, or opens a braced initialiser, directly in a block of the given kind.
struct statement {
  block_kind within = block_kind::name_space;
  std::string text;
  std::size_t line = 0;
};

struct outline {
  std::vector<block> blocks;
  std::vector<statement> statements;
};

// Blocks and statements of a source, found by its braces. It knows the shapes that the house style allows, not all of
// C++: good enough to measure functions and to see variables, and never the reason for a false alarm about a long file.
[[nodiscard]] outline outline_of(std::string_view text);

// `template <...>` and attributes in front of a declaration removed, blanks squeezed.
[[nodiscard]] std::string without_prefix(std::string_view declaration);

[[nodiscard]] bool contains_word(std::string_view text, std::string_view word);

}  // namespace millrace::tidy
