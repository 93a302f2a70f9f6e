#include <millrace/io/file_set.hpp>
#include <millrace/io/text_source.hpp>
#include <millrace/io/utf8.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace millrace {

namespace {

constexpr std::uint64_t to_the_end = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t automatic_split_least = 256 * 1024;
constexpr std::uint64_t divided_least = 32 * 1024;  // fewer bytes are not worth the way to another shard
constexpr std::uint64_t automatic_split_most = 64 * 1024 * 1024;

// A reader that starts within such a file cannot tell where lines start.
bool read_whole(const std::string& path, const read_text_options& options) {
  return resolve(options.kind, path) != compression::none || overlaps_itself(options.delimiter);
}

text_range range_of(const text_split& of, const read_text_options& options, const line_limits& limits) {
  return {.path = of.path,
          .from = of.from,
          .to = read_whole(of.path, options) ? to_the_end : of.to,
          .delimiter = options.delimiter,
          .kind = options.kind,
          .limits = limits,
          .resume_at = of.resume_at};
}

}  // namespace

file_patterns file_patterns::literally(const std::string& path) {
  std::string pattern;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[') pattern += {'[', c, ']'};
    else if (c == '\\') pattern += "\\\\";
    else pattern += c;
  }
  // Without such a character it is no pattern, and a backslash stands for itself.
  return path.find_first_of("*?[") == std::string::npos ? file_patterns(path) : file_patterns(pattern);
}

text_split_reader::text_split_reader(const text_split& of, const read_text_options& options)
    : of_(of), limits_{.line_bytes_max = options.line_bytes_max, .validate_utf8 = true},
      reader_(range_of(of, options, limits_)) {}

std::string text_split_reader::describe(const text_line& line) const {
  return describe_fault(line, limits_, of_.path);
}

text_split text_split_reader::remaining() const {
  text_split left = of_;
  left.resume_at = reader_.position();
  return left;
}

std::optional<text_split> text_split_reader::try_split(double fraction) {
  const auto at = reader_.try_split(fraction, divided_least);
  if (!at) return std::nullopt;
  text_split given{of_.path, *at, of_.to};
  of_.to = *at;
  return given;
}

double weight_of(const text_split& of) {
  if (of.to == to_the_end) return 1;
  const std::uint64_t from = of.resume_at.value_or(of.from);
  return of.to > from ? static_cast<double>(of.to - from) : 0;
}

std::optional<text_split> divide_text(text_split& of, double fraction) {
  const std::uint64_t from = of.resume_at.value_or(of.from);
  if (of.to == to_the_end || from >= of.to) return std::nullopt;
  const std::uint64_t left = of.to - from;
  const auto kept = static_cast<std::uint64_t>(static_cast<double>(left) * fraction);
  if (kept < divided_least || kept >= left || left - kept < divided_least) return std::nullopt;
  text_split given{of.path, from + kept, of.to};
  of.to = given.from;
  return given;
}

std::vector<text_split> split_files(const file_patterns& patterns, const read_text_options& options,
                                    std::size_t desired) {
  std::vector<matched_file> files;
  for (const auto& pattern : patterns.all)
    for (auto& file : match_files(pattern)) files.push_back(std::move(file));
  std::uint64_t total = 0;
  for (const auto& f : files) total += f.size_bytes;
  const std::uint64_t piece = options.split_bytes > 0 ? options.split_bytes
                                                      : std::clamp(total / std::max<std::size_t>(1, desired),
                                                                   automatic_split_least, automatic_split_most);
  std::vector<text_split> all;
  for (const auto& f : files) {
    // Also under a name that promises compression: an output that was made before anything was written to it.
    if (f.size_bytes == 0) continue;
    if (read_whole(f.path.string(), options)) {
      all.push_back({f.path.string(), 0, to_the_end});
      continue;
    }
    // Equal parts, so that the last one is not a remnant.
    const std::uint64_t parts = f.size_bytes / piece + (f.size_bytes % piece == 0 ? 0 : 1);
    for (std::uint64_t i = 0, from = 0; i < parts; ++i) {
      const std::uint64_t to = from + f.size_bytes / parts + (i < f.size_bytes % parts ? 1 : 0);
      all.push_back({f.path.string(), from, to});
      from = to;
    }
  }
  return all;
}

std::string describe_text_source(const file_patterns& patterns, const read_text_options& options) {
  std::string named;
  for (const auto& pattern : patterns.all) named += (named.empty() ? "" : ", ") + pattern;
  return "lines of " + named + ", compression " + std::string(name_of(options.kind)) + ", at most "
         + std::to_string(options.line_bytes_max) + " bytes a line"
         + (options.delimiter.empty()
                ? ""
                : ", each ended by \"" + printable(options.delimiter, options.delimiter.size()) + "\"");
}

}  // namespace millrace
