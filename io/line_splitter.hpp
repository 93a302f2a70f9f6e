#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// What is wrong with a line.
enum class line_fault : std::uint8_t { none, too_long, invalid_utf8 };

// A line without its end. Of a line that is too long only the first bytes, as many as the limit, are in `text`.
struct text_line {
  std::string_view text;
  // Where the line starts in the stream.
  std::uint64_t offset = 0;
  line_fault fault = line_fault::none;
};

// What lines are acceptable. Both faults are reported with the line; whoever takes the lines decides what to do.
struct line_limits {
  std::size_t line_bytes_max = 16 * 1024 * 1024;
  bool validate_utf8 = false;
};

// A sentence about a faulty line for users: file, offset, and what is wrong.
[[nodiscard]] std::string describe_fault(const text_line& line, const line_limits& limits, std::string_view file);

// Whether a text may begin within an occurrence of itself, as "AA" and "ABA" do and "ABC" does not. Which occurrences
// of such a delimiter end lines can only be told from the front of a file: a reader that starts elsewhere may see
// others.
[[nodiscard]] bool overlaps_itself(std::string_view delimiter);

// Cuts a stream of bytes, fed block by block, into lines. A line ends with \n or \r\n, and a \r elsewhere is content;
// or with a delimiter, of which each occurrence that follows the one before ends a line. The last line may lack its
// end. Lines are views into the block, except that a line which straddles blocks is joined in memory of the splitter,
// of which it holds no more than the line limit. How the stream is cut into blocks never shows. A view stays valid
// until the next `feed` or `finish`, provided that the block does.
class line_splitter {
 public:
  // `offset` is the position in the stream of the first byte that will be fed.
  // An empty delimiter stands for \n and \r\n.
  explicit line_splitter(line_limits limits = {}, std::uint64_t offset = 0, std::string delimiter = {})
      : limits_(limits), position_(offset), known_valid_(!limits.validate_utf8), delimiter_(std::move(delimiter)) {}

  // Gives the next block. All lines of the block before must have been taken: `next` returned false.
  void feed(std::string_view block);
  // Says that no block follows, so that what is left is the last line.
  void finish();

  // Takes the next line. False means that another block is needed, or after `finish` that there are no more lines.
  bool next(text_line& line) {
    if (carried_bytes_ == 0 && at_ < by_newline_) [[likely]] {
      const auto* begin = block_.data() + at_;
      if (const void* end = std::memchr(begin, '\n', by_newline_ - at_)) {
        take_whole(line, {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)});
        return true;
      }
    }
    return delimiter_.empty() ? next_straddling(line) : next_delimited(line);
  }

  // Where the next line starts: everything before was returned by `next`.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  // Takes a line that lies in the block whole; `raw` may still end with \r.
  void take_whole(text_line& line, std::string_view raw) {
    line.offset = position_;
    at_ += raw.size() + 1;
    position_ += raw.size() + 1;
    if (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
    line.text = raw;
    line.fault = line_fault::none;
    if (raw.size() > limits_.line_bytes_max) [[unlikely]]
      cut_to_limit(line);
    else if (!known_valid_) [[unlikely]] validate(line);
  }
  bool next_straddling(text_line& line);
  bool next_delimited(text_line& line);
  void take_delimited(text_line& line, std::size_t end);
  [[nodiscard]] std::size_t delimiter_end() const;
  void take_last(text_line& line, std::string_view text);
  void carry(std::string_view part);
  void take_newline(text_line& line);
  void take_carried(text_line& line, std::uint64_t content_bytes);
  void cut_to_limit(text_line& line) const;
  static void validate(text_line& line);

  line_limits limits_;
  std::string_view block_;
  std::size_t at_ = 0;
  std::size_t by_newline_ = 0;  // the size of the block, or 0 where lines end with a delimiter
  std::uint64_t position_ = 0;
  // Nothing in the block needs validation: none is wanted, or all of it is ASCII.
  bool known_valid_;
  bool finished_ = false;
  bool carried_ends_with_return_ = false;
  // The beginning of the straddling line, how long it is really, and the last such line that was handed out.
  std::string carried_;
  std::uint64_t carried_bytes_ = 0;
  std::string joined_;
  std::string delimiter_;
  // The last bytes of what was carried, also beyond the limit: they may belong to the line's end. Fewer than the end
  // has.
  std::string carried_end_;
};

}  // namespace millrace
