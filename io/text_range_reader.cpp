#include <millrace/io/io_error.hpp>
#include <millrace/io/text_range_reader.hpp>
#include <millrace/transforms/element/check.hpp>

#include <cerrno>
#include <string>
#include <sys/stat.h>

namespace millrace {

text_range_reader::text_range_reader(text_range range) : range_(std::move(range)) {
  range_.kind = resolve(range_.kind, range_.path);
  check(range_.buffer_bytes > 0, "a reader has a buffer");
  check(whole() || !overlaps_itself(range_.delimiter), "a file whose delimiter overlaps itself is read whole");
  buffer_.resize(range_.buffer_bytes);
  if (range_.kind == compression::none) {
    plain_ = open_for_reading(range_.path);
    if (range_.resume_at) resume_plain(*range_.resume_at);
    // A line that starts at `from` or behind it follows a delimiter that begins here at the earliest.
    else start_ = range_.from - std::min<std::uint64_t>(range_.from, line_end().size());
  } else {
    check(whole(), "a compressed file is read whole");
    compressed_.emplace(range_.path, range_.kind);
    if (range_.resume_at) resume_compressed(*range_.resume_at);
  }
  read_offset_ = start_;
  splitter_ = line_splitter(range_.limits, start_, range_.delimiter);
  if (range_.from > 0 && !range_.resume_at) {
    // The line that begins or goes on before the range is somebody else's; nothing of it is left if the range begins
    // one.
    text_line partial;
    while (!splitter_.next(partial) && refill()) {
    }
  }
}

bool text_range_reader::next(text_line& line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  while (splitter_.position() < range_.to) {
    if (splitter_.next(line)) {
      if (line.offset > 0 || !line.text.starts_with(byte_order_mark)) return true;
      line.text.remove_prefix(byte_order_mark.size());
      if (splitter_.position() > byte_order_mark.size()) return true;  // else there is no line behind it
    } else if (!refill()) {
      return false;
    }
  }
  return false;
}

std::size_t text_range_reader::fill(std::vector<text_line>& lines, std::size_t lines_max) {
  lines.clear();
  text_line line;
  // Only the first line may need another block: it would take the others' bytes away.
  if (lines_max == 0 || !next(line)) return 0;
  lines.push_back(line);
  while (lines.size() < lines_max && splitter_.position() < range_.to && splitter_.next(line)) lines.push_back(line);
  return lines.size();
}

std::optional<std::uint64_t> text_range_reader::try_split(double fraction, std::uint64_t least) {
  const std::uint64_t from = position();
  if (range_.to == text_range{}.to || from >= range_.to) return std::nullopt;
  const std::uint64_t left = range_.to - from;
  const auto kept = static_cast<std::uint64_t>(static_cast<double>(left) * fraction);
  if (kept < std::max<std::uint64_t>(1, least) || kept >= left || left - kept < least) return std::nullopt;
  range_.to = from + kept;
  return range_.to;
}

std::uint64_t text_range_reader::bytes_read() const {
  return compressed_ ? compressed_->compressed_position() : read_offset_ - start_;
}

// A position is the start of the file, follows the end of a line, or is the end of a file whose last line has no end.
void text_range_reader::resume_plain(std::uint64_t position) {
  start_ = position;
  if (position == 0 || position == range_.from) return;
  struct stat status{};
  if (::fstat(plain_.number(), &status) != 0) throw system_failure("inspect " + range_.path.string(), errno);
  if (position == static_cast<std::uint64_t>(status.st_size)) return;
  const std::string_view end = line_end();
  std::string before(end.size(), 0);
  if (position < end.size() || read_at(plain_, position - end.size(), before, range_.path) != end.size()
      || before != end)
    refuse_position(position);
}

void text_range_reader::resume_compressed(std::uint64_t position) {
  start_ = position;
  const std::string_view end = line_end();
  std::string last(position == 0 ? end : "");  // no more of what was skipped than could be the end of a line
  std::uint64_t skipped = 0;
  while (skipped < position) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), position - skipped));
    const auto count = compressed_->read({buffer_.data(), wanted});
    const auto kept = std::min(count, end.size());
    last.append(buffer_.data() + (count - kept), kept);
    if (last.size() > end.size()) last.erase(0, last.size() - end.size());
    skipped += count;
    if (count < wanted) refuse_position(position);
  }
  if (last == end) return;
  // Only the last line may lack its end.
  if (compressed_->read({buffer_.data(), 1}) != 0) refuse_position(position);
}

bool text_range_reader::refill() {
  if (at_end_) return false;
  const auto count = compressed_ ? compressed_->read(buffer_) : read_at(plain_, read_offset_, buffer_, range_.path);
  read_offset_ += count;
  splitter_.feed({buffer_.data(), count});
  at_end_ = count < buffer_.size();
  if (at_end_) splitter_.finish();
  return true;
}

void text_range_reader::refuse_position(std::uint64_t position) const {
  throw io_error("cannot resume reading " + range_.path.string() + " at offset " + std::to_string(position)
                 + ": no line starts there, so the file was changed since it was first read");
}

}  // namespace millrace
