#include <millrace/transforms/transcripts/words.hpp>

#include <charconv>
#include <stdexcept>

namespace millrace::transcripts {

namespace {

[[noreturn]] void refuse(std::string_view word, const std::string& what) {
  throw std::invalid_argument("\"" + std::string(word) + "\" is no " + what);
}

template <class Number>
Number parsed(std::string_view word, const std::string& what) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) refuse(word, what);
  return number;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == std::string_view::npos) return words;
    text.remove_prefix(from);
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::int64_t number_of(std::string_view word) {
  return parsed<std::int64_t>(word, "whole number");
}

std::uint64_t count_from(std::string_view word) {
  return parsed<std::uint64_t>(word, "count");
}

duration duration_of(std::string_view word) {
  const auto millis = parsed<std::int64_t>(word, "whole number of milliseconds");
  if (timestamp{millis} < timestamp::min() || timestamp{millis} > timestamp::max()) refuse(word, "duration: too long");
  return duration{millis};
}

timestamp time_of(std::string_view word) {
  if (word == "min") return timestamp::min();
  if (word == "max") return timestamp::max();
  if (word == "gwmax") return timestamp::end_of_global_window();
  const timestamp t{parsed<std::int64_t>(word, "time: give milliseconds, min, max or gwmax")};
  if (t < timestamp::min() || t > timestamp::max()) refuse(word, "time: it is outside the bounds of time");
  return t;
}

window window_of(std::string_view word) {
  if (word == "global") return window::global();
  const std::size_t comma = word.find(',');
  if (word.size() < 5 || word.front() != '[' || word.back() != ')' || comma == std::string_view::npos)
    refuse(word, "window: write [start,end) or global");
  const timestamp start = time_of(word.substr(1, comma - 1));
  const timestamp end = time_of(word.substr(comma + 1, word.size() - comma - 2));
  if (end <= start) refuse(word, "window: it ends before it begins");
  return {start, end};
}

std::string time_text(timestamp t) {
  if (t == timestamp::min()) return "min";
  if (t == timestamp::max()) return "max";
  if (t == timestamp::end_of_global_window()) return "gwmax";
  return std::to_string(t.millis());
}

std::string window_word(const window& w) {
  if (w.is_global()) return "global";
  return "[" + std::to_string(w.start.millis()) + "," + std::to_string(w.end.millis()) + ")";
}

}  // namespace millrace::transcripts
