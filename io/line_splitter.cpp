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

bool overlaps_itself(std::string_view delimiter) {
  for (std::size_t shared = 1; shared < delimiter.size(); ++shared)
    if (delimiter.ends_with(delimiter.substr(0, shared))) return true;
  return false;
}

void line_splitter::feed(std::string_view block) {
  check(!finished_, "no block follows the last one");
  check(at_ == block_.size(), "the lines of a block are taken before the next block");
  block_ = block;
  at_ = 0;
  by_newline_ = delimiter_.empty() ? block.size() : 0;
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
      take_newline(line);
      return true;
    }
  }
  if (!finished_ || carried_bytes_ == 0) return false;
  take_carried(line, carried_bytes_);
  return true;
}

bool line_splitter::next_delimited(text_line& line) {
  if (at_ < block_.size()) {
    if (const auto end = delimiter_end(); end != std::string_view::npos) {
      take_delimited(line, end);
      return true;
    }
    const auto rest = block_.substr(at_);
    if (finished_ && carried_bytes_ == 0) {
      take_last(line, rest);
      return true;
    }
    carry(rest);
    at_ = block_.size();
  }
  if (!finished_ || carried_bytes_ == 0) return false;
  take_carried(line, carried_bytes_);
  return true;
}

// Where in the block the first delimiter of the line ends.
std::size_t line_splitter::delimiter_end() const {
  const auto rest = block_.substr(at_);
  if (!carried_end_.empty()) {
    const std::string seam = carried_end_ + std::string(rest.substr(0, delimiter_.size() - 1));
    if (const auto begin = seam.find(delimiter_); begin != std::string::npos)
      return at_ + begin + delimiter_.size() - carried_end_.size();
  }
  const auto begin = rest.find(delimiter_);
  return begin == std::string_view::npos ? begin : at_ + begin + delimiter_.size();
}

// Takes the line whose delimiter ends at `end` of the block.
void line_splitter::take_delimited(text_line& line, std::size_t end) {
  const auto raw = block_.substr(at_, end - at_);
  at_ = end;
  if (carried_bytes_ > 0) {
    carry(raw);
    take_carried(line, carried_bytes_ - delimiter_.size());
    return;
  }
  line = {raw.substr(0, raw.size() - delimiter_.size()), position_, line_fault::none};
  position_ += raw.size();
  if (line.text.size() > limits_.line_bytes_max) cut_to_limit(line);
  else if (!known_valid_) validate(line);
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
  // What is beyond the limit is not needed: only what may belong to the line's end, and how long the line is.
  carried_ += part.substr(0, limits_.line_bytes_max - carried_.size());
  carried_bytes_ += part.size();
  carried_ends_with_return_ = part.back() == '\r';
  if (delimiter_.size() < 2) return;
  const std::size_t kept = delimiter_.size() - 1;
  carried_end_ += part.substr(part.size() - std::min(kept, part.size()));
  if (carried_end_.size() > kept) carried_end_.erase(0, carried_end_.size() - kept);
}

// The carried line, whose \n is in the block.
void line_splitter::take_newline(text_line& line) {
  take_carried(line, carried_bytes_ - (carried_ends_with_return_ ? 1 : 0));
  ++position_;
}

// Takes what was carried as a line; of it the first bytes are content.
void line_splitter::take_carried(text_line& line, std::uint64_t content_bytes) {
  joined_.swap(carried_);
  carried_.clear();
  line.offset = position_;
  line.fault = line_fault::none;
  line.text = std::string_view{joined_}.substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>(content_bytes, joined_.size())));
  position_ += carried_bytes_;
  carried_bytes_ = 0;
  carried_ends_with_return_ = false;
  carried_end_.clear();
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
