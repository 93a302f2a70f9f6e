#include <millrace/io/line_splitter.hpp>
#include <millrace/io/utf8.hpp>
#include <millrace/transforms/element/check.hpp>

#include <algorithm>

namespace millrace {

std::string describe_fault(const text_line& line, const line_limits& limits, std::string_view file) {
  const std::string path(file);
  const auto start = std::to_string(line.offset);
  switch (line.fault) {
  case line_fault::none:
    break;
  case line_fault::too_long:
    return "the line at offset " + start + " of " + path + " is longer than the limit of "
           + std::to_string(limits.line_bytes_max) + " bytes; it begins: " + printable(line.text);
  case line_fault::invalid_utf8: {
    const auto at = first_invalid_utf8(line.text);
    return "the line at offset " + start + " of " + path + " is not valid UTF-8 from offset "
           + std::to_string(line.offset + at) + " on: " + printable(line.text.substr(at));
  }
  }
  return "the line at offset " + start + " of " + path + " is well formed";
}

void line_splitter::feed(std::string_view block) {
  check(!finished_, "no block follows the last one");
  check(at_ == block_.size(), "the lines of a block are taken before the next block");
  block_ = block;
  at_ = 0;
  known_valid_ = !limits_.validate_utf8 || is_ascii(block);
}

void line_splitter::finish() {
  finished_ = true;
}

// The block has no complete line at its front, or a line was carried into it from the block before.
bool line_splitter::next_straddling(text_line& line) {
  if (at_ < block_.size()) {
    const auto rest = block_.substr(at_);
    if (finished_ && carried_bytes_ == 0) {
      take_last(line, rest);
      return true;
    }
    const auto end = rest.find('\n');
    const bool terminated = end != std::string_view::npos;
    carry(rest.substr(0, end));
    at_ = terminated ? at_ + end + 1 : block_.size();
    if (terminated) {
      take_carried(line, true);
      return true;
    }
  }
  if (!finished_ || carried_bytes_ == 0) return false;
  take_carried(line, false);
  return true;
}

// Takes a last line without an end that lies in the block whole.
void line_splitter::take_last(text_line& line, std::string_view text) {
  line = {text, position_, line_fault::none};
  at_ = block_.size();
  position_ += text.size();
  if (text.size() > limits_.line_bytes_max) cut_to_limit(line);
  else if (!known_valid_) validate(line);
}

void line_splitter::carry(std::string_view part) {
  if (part.empty()) return;
  // What is beyond the limit is not needed: only whether a \r comes last, and how long the line is.
  carried_ += part.substr(0, limits_.line_bytes_max - carried_.size());
  carried_bytes_ += part.size();
  carried_ends_with_return_ = part.back() == '\r';
}

void line_splitter::take_carried(text_line& line, bool terminated) {
  const bool drop_return = terminated && carried_ends_with_return_;
  const auto content_bytes = carried_bytes_ - (drop_return ? 1 : 0);
  joined_.swap(carried_);
  carried_.clear();
  line.offset = position_;
  line.fault = line_fault::none;
  line.text = std::string_view{joined_}.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(content_bytes, joined_.size())));
  position_ += carried_bytes_ + (terminated ? 1 : 0);
  carried_bytes_ = 0;
  carried_ends_with_return_ = false;
  if (content_bytes > limits_.line_bytes_max) cut_to_limit(line);
  else if (limits_.validate_utf8) validate(line);
}

void line_splitter::cut_to_limit(text_line& line) const {
  line.text = line.text.substr(0, limits_.line_bytes_max);
  line.fault = line_fault::too_long;
}

void line_splitter::validate(text_line& line) {
  if (first_invalid_utf8(line.text) != std::string_view::npos) line.fault = line_fault::invalid_utf8;
}

}  // namespace millrace
