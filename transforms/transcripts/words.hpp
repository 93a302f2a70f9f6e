#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::transcripts {

// A file of transcripts that cannot be read, or a line of it that means nothing. The message names file and line.
class transcript_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The words of a line, which spaces divide.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

// Each throws std::invalid_argument naming the word if it is none of that kind.
[[nodiscard]] std::int64_t number_of(std::string_view word);
[[nodiscard]] std::uint64_t count_from(std::string_view word);
[[nodiscard]] duration duration_of(std::string_view word);
// Milliseconds, `min`, `max` or `gwmax`.
[[nodiscard]] timestamp time_of(std::string_view word);
// `[start,end)` or `global`.
[[nodiscard]] window window_of(std::string_view word);

// How a time and a window are written.
[[nodiscard]] std::string time_text(timestamp t);
[[nodiscard]] std::string window_word(const window& w);

}  // namespace millrace::transcripts
