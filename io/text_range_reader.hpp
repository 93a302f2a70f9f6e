#pragma once

#include <millrace/io/compressed_file.hpp>
#include <millrace/io/compression.hpp>
#include <millrace/io/file_descriptor.hpp>
#include <millrace/io/line_splitter.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// A part of a text file, and how to read it.
struct text_range {
  std::filesystem::path path;
  // The lines that start in [from, to). A compressed file can only be read whole: from = 0 and no end.
  std::uint64_t from = 0;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
  // What ends a line; empty for \n and \r\n. With one that overlaps itself a file can only be read whole, too.
  std::string delimiter = {};
  compression kind = compression::automatic;
  line_limits limits = {};
  // A `position` of an earlier reader of the same range: the lines before it are left out.
  std::optional<std::uint64_t> resume_at = std::nullopt;
  std::size_t buffer_bytes = 256 * 1024;
};

// Reads the lines of a byte range of one file. A line belongs to the range in which it starts, so ranges that cover a
// file give each of its lines exactly once, wherever they meet. A byte order mark at the front of a file is no part of
// its first line. The position is the offset of the next line in the
// (decompressed) file; a reader can be replaced at any position by another one that resumes there. A compressed file is
// then read again from its front and what was delivered is skipped.
class text_range_reader {
 public:
  // Opens the file and goes to the first line. Throws io_error if that cannot be done, or if the position to resume at
  // cannot be one of this file, which must have been changed then.
  explicit text_range_reader(text_range range);

  // Takes the next line, which stays valid until the next call. False at the end of the range.
  bool next(text_line& line);
  // Replaces the content of `lines` by the next lines, at most `lines_max` of them, all valid until the next call.
  // There is at least one unless the range has ended. Returns how many.
  std::size_t fill(std::vector<text_line>& lines, std::size_t lines_max);

  // Where the next line starts. To be recorded in checkpoints.
  [[nodiscard]] std::uint64_t position() const { return std::max(splitter_.position(), range_.from); }
  // Keeps the lines before `fraction` of what is left and ends there; gives the offset from which on they are somebody
  // else's. Nothing happens where fewer than `least` bytes would be left on a side, or the file can only be read whole.
  std::optional<std::uint64_t> try_split(double fraction, std::uint64_t least);
  // How many bytes of the file were read: an estimate of progress, for compressed files as well.
  [[nodiscard]] std::uint64_t bytes_read() const;
  // What was asked for, with the compression resolved.
  [[nodiscard]] const text_range& range() const { return range_; }

 private:
  void resume_plain(std::uint64_t position);
  void resume_compressed(std::uint64_t position);
  [[nodiscard]] bool whole() const { return range_.from == 0 && range_.to == text_range{}.to; }
  // What every line but the last one ends with.
  [[nodiscard]] std::string_view line_end() const {
    return range_.delimiter.empty() ? std::string_view("\n") : std::string_view(range_.delimiter);
  }
  bool refill();
  [[noreturn]] void refuse_position(std::uint64_t position) const;

  text_range range_;
  file_descriptor plain_;
  std::optional<compressed_reader> compressed_;
  std::vector<char> buffer_;
  std::uint64_t start_ = 0;
  std::uint64_t read_offset_ = 0;
  bool at_end_ = false;
  line_splitter splitter_;
};

}  // namespace millrace
