#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::tidy {

// A file under judgement: its path from the root of the tree, with slashes, and its text.
struct source {
  std::string path;
  std::string text;
};

// What is wrong, and where.
struct offence {
  std::string path;
  std::size_t line = 0;
  std::string what;
};

using offences = std::vector<offence>;

// Who may include whom: the table of docs/architecture.md.
[[nodiscard]] offences wrong_includes(const source& file);

// Files of more than 400 lines, functions of more than 60.
[[nodiscard]] offences too_long(const source& file);

// Locks, atomics, threads and mutable globals in transforms/ and actors/, except behind the inlet's door.
[[nodiscard]] offences shared_state(const source& file);

// Words that name nothing, in the name of the file or of a type it defines; a header that does not start with
// `#pragma once`.
[[nodiscard]] offences bad_names(const source& file);

// A test whose names are not in a namespace named after its file (`joins_test` in joins.test.cpp): tests beside each
// other are compiled as one unit. The reference engine's are not.
[[nodiscard]] offences shared_namespace(const source& file);

// A source of a library or an example that the list in its folder's CMakeLists.txt does not name.
[[nodiscard]] offences unlisted(const source& file, std::string_view cmake_list);

}  // namespace millrace::tidy
