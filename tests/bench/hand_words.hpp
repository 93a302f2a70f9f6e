#pragma once

#include <cstdint>
#include <string>

namespace millrace::bench {

// Counts the words of a text file as one does by hand: the file mapped into memory, separators found 64 bytes at a
// time, a table whose slots hold the first 16 bytes of a word. Returns the sum of hash times count over the words.
[[nodiscard]] std::uint64_t count_words_by_hand(const std::string& path);

}  // namespace millrace::bench
