#include <millrace/io/csv_source.hpp>
#include <millrace/io/utf8.hpp>

#include <limits>
#include <utility>

namespace millrace {

namespace {

read_text_options lines_of(const csv_options& options) {
  return {.line_bytes_max = options.record_bytes_max, .split_bytes = std::numeric_limits<std::uint64_t>::max()};
}

}  // namespace

csv_file_reader::csv_file_reader(const text_split& of, const csv_options& options, std::span<const csv_field> fields)
    : path_(of.path), options_(options), fields_(fields), lines_(of, lines_of(options)) {
  if (!of.resume_at) {
    read_header(lines_);
    return;
  }
  text_split_reader beginning({of.path, of.from, of.to}, lines_of(options));
  read_header(beginning);
  untold_header_.clear();
}

void csv_file_reader::read_header(text_split_reader& from) {
  if (!take(from)) header_fault_ = path_ + ": there is no header";
  else if (!fault_.empty()) header_fault_ = fault_;
  else if (std::string why; !match_csv_header(text_, fields_, options_, columns_, why))
    header_fault_ = path_ + ": " + why;
  untold_header_ = header_fault_.empty() ? "" : text_;
}

// A header that no record of the file can be read by is told at its end, if no record has done so.
bool csv_file_reader::next() {
  const bool more = take(lines_);
  const std::string header = std::exchange(untold_header_, {});
  if (more || header.empty()) return more;
  text_ = header;
  return true;
}

bool csv_file_reader::take(text_split_reader& from) {
  text_.clear();
  fault_.clear();
  text_line line;
  do {
    if (!from.next(line)) return false;
  } while (line.fault == line_fault::none && line.text.empty());
  offset_ = line.offset;
  csv_quotes quotes(options_.delimiter);
  for (;;) {
    text_ += line.text;
    if (line.fault != line_fault::none) {
      fault_ = from.describe(line);
      return true;
    }
    if (!quotes.feed(line.text)) return true;
    text_ += '\n';
    if (text_.size() > options_.record_bytes_max) {
      fail("the record is longer than " + std::to_string(options_.record_bytes_max) + " bytes; is a quote not closed?");
      return true;
    }
    if (from.next(line)) continue;
    fail("a quoted field is not closed before the end of the file");
    return true;
  }
}

bool csv_file_reader::fill(void* into) {
  if (!header_fault_.empty()) fault_ = header_fault_;
  if (!fault_.empty()) return false;
  std::string why;
  if (fill_from_csv(text_, fields_, columns_, options_.delimiter, into, why)) return true;
  fail(why);
  return false;
}

void csv_file_reader::fail(const std::string& why) {
  fault_ = path_ + ", offset " + std::to_string(offset_) + ": " + why;
}

std::vector<text_split> split_csv_files(const file_patterns& patterns, const csv_options& options) {
  return split_files(patterns, lines_of(options), 1);
}

std::string describe_csv_source(const file_patterns& patterns, const csv_options& options) {
  return "CSV records, delimiter " + printable({&options.delimiter, 1})
         + (options.ignore_unknown ? ", unknown columns ignored" : "") + ", from "
         + describe_text_source(patterns, lines_of(options));
}

}  // namespace millrace
