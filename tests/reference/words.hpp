#pragma once

#include "program.hpp"
#include "transcript.hpp"
#include "values.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace reference {

// The words of a line, taken one after the other. What is not as it should be is thrown as bad_transcript.
class word_reader {
 public:
  explicit word_reader(std::string_view line) : rest_(line) { skip_space(); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  // The next word, which stays there.
  [[nodiscard]] std::string peek() const {
    std::size_t end = 0;
    while (end < rest_.size() && !is_space(rest_[end])) ++end;
    return std::string(rest_.substr(0, end));
  }

  std::string next() {
    std::string word = peek();
    if (word.empty()) throw bad_transcript("a word is missing at the end");
    rest_.remove_prefix(word.size());
    skip_space();
    return word;
  }

  // Takes the next word if it is the given one.
  bool take(std::string_view word) {
    if (peek() != word) return false;
    next();
    return true;
  }

  instant next_instant() {
    const std::string word = next();
    const auto value = instant_of(word);
    if (!value) throw bad_transcript("not a time: " + word);
    return *value;
  }

  // All that is left of the line.
  std::string remaining() {
    std::string all(rest_);
    rest_ = {};
    return all;
  }

  void expect_end() const {
    if (!at_end()) throw bad_transcript("not understood: " + std::string(rest_));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void skip_space() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// Lines of a transcript within a case; each throws bad_transcript where it cannot read the line.
void parse_setting(transcript_case& into, step& of, const std::string& line);
[[nodiscard]] bool is_event(const std::string& line);
[[nodiscard]] event parse_event(const std::string& line);
void parse_expectation(expectations& into, const std::string& line);

}  // namespace reference
