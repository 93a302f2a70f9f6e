#pragma once

#include <millrace/io/io_error.hpp>
#include <millrace/io/text_range_reader.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/sources/source.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace millrace {

// How lines are read.
struct read_text_options {
  // A longer line is a fault.
  std::size_t line_bytes_max = 16 * 1024 * 1024;
  // `automatic` goes by the ending of each file's name.
  compression kind = compression::automatic;
  // The size of the parts into which a file is divided; 0 chooses one so that every shard has something to do.
  // Compressed files are read whole.
  std::uint64_t split_bytes = 0;
  // What ends a line; empty for \n and \r\n. Occurrences are found from the front of a file, each behind the one
  // before, and a \r before it is content. A file whose delimiter overlaps itself, as "AA" and "ABA" do, is read whole.
  std::string delimiter = {};
};

// The files to read: a path, a glob pattern, or a list of such. A file that several of them name is read several times.
struct file_patterns {
  template <class Text>
    requires std::is_convertible_v<Text, std::string>
  file_patterns(Text&& pattern)
      : all{std::string(std::forward<Text>(pattern))} {}                          // NOLINT(google-explicit-constructor)
  file_patterns(std::vector<std::string> patterns) : all(std::move(patterns)) {}  // NOLINT(google-explicit-constructor)
  // The file of this very path, whatever characters it has.
  [[nodiscard]] static file_patterns literally(const std::string& path);

  std::vector<std::string> all;
};

// A part of a file that is still to be read: the lines that start in [from, to), without those before `resume_at`.
struct text_split {
  std::string path;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::optional<std::uint64_t> resume_at = {};

  friend bool operator==(const text_split&, const text_split&) = default;
};

// Reads the lines of one split into a batch.
class text_split_reader {
 public:
  text_split_reader(const text_split& of, const read_text_options& options);

  // Takes the next line; a fault is left in `line`. False at the end.
  bool next(text_line& line) { return reader_.next(line); }
  // A sentence about a faulty line.
  [[nodiscard]] std::string describe(const text_line& line) const;
  [[nodiscard]] text_split remaining() const;
  // Gives the end of what is left to another reader; nullopt if that is little, or the file is read whole.
  std::optional<text_split> try_split(double fraction);

 private:
  text_split of_;
  line_limits limits_;
  text_range_reader reader_;
};

// The splits of all files that the patterns match now. Files without a byte have none.
[[nodiscard]] std::vector<text_split> split_files(const file_patterns& patterns, const read_text_options& options,
                                                  std::size_t desired);
// The bytes that a split has left; a file that is read whole counts as one.
[[nodiscard]] double weight_of(const text_split& of);
// Keeps `fraction` of what a split has left and gives away what is behind; nullopt if that is little, or the file is
// read whole.
std::optional<text_split> divide_text(text_split& of, double fraction);
// Readable and exact, for the description of a step.
[[nodiscard]] std::string describe_text_source(const file_patterns& patterns, const read_text_options& options);

// Lines of files as a source. A line that is too long or not valid UTF-8 is an error that names file and offset: it
// fails the job, or where Faults is set becomes an element of its own, a `failed` of the step.
template <bool Faults>
class basic_text_source {
 public:
  using element = std::conditional_t<Faults, std::variant<std::string, failed<std::string>>, std::string>;
  using split = text_split;

  // `step` is the path that faulty lines are attributed to.
  explicit basic_text_source(file_patterns patterns, read_text_options options = {}, std::string step = {})
      : patterns_(std::move(patterns)), step_(std::move(step)), options_(std::move(options)) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<text_split> splits(std::size_t desired) const {
    return split_files(patterns_, options_, desired);
  }
  [[nodiscard]] std::string describe() const { return describe_text_source(patterns_, options_); }
  // Splits are divided while they are read.
  [[nodiscard]] static bool divides() { return true; }
  [[nodiscard]] static double weight(const text_split& of) { return weight_of(of); }
  // The same for a split that nobody is reading.
  static std::optional<text_split> divide(text_split& of, double fraction) { return divide_text(of, fraction); }
  [[nodiscard]] static std::string name_of(const text_split& of) { return of.path; }

 private:
  class line_reader {
   public:
    line_reader(const text_split& of, const basic_text_source& source)
        : step_(source.step_), reader_(of, source.options_) {}

    read_status read(source_output<element>& out, timestamp /*now*/) {
      text_line line;
      while (!out.full()) {
        if (!reader_.next(line)) return read_status::ended;
        if (line.fault == line_fault::none) [[likely]]
          assign(out.slot(), line);
        else refuse(out.slot(), line);
        out.placed(timestamp::min());
      }
      return read_status::more;
    }
    [[nodiscard]] text_split remaining() const { return reader_.remaining(); }
    std::optional<text_split> try_split(double fraction) { return reader_.try_split(fraction); }
    [[nodiscard]] watermark promise() const { return {}; }
    [[nodiscard]] timestamp next_read() const { return timestamp::min(); }

   private:
    static void assign(std::string& to, const text_line& line) { to.assign(line.text); }
    static void assign(std::variant<std::string, failed<std::string>>& to, const text_line& line) {
      if (auto* text = std::get_if<std::string>(&to)) text->assign(line.text);
      else to.template emplace<std::string>(line.text);
    }
    void refuse(std::string& /*to*/, const text_line& line) const { throw_fault(line); }
    void refuse(std::variant<std::string, failed<std::string>>& to, const text_line& line) const {
      to = failed<std::string>{std::string(line.text), step_, reader_.describe(line), 1};
    }
    [[noreturn]] void throw_fault(const text_line& line) const { throw io_error(reader_.describe(line)); }

    std::string step_;
    text_split_reader reader_;
  };

 public:
  [[nodiscard]] line_reader open(const text_split& of) const { return {of, *this}; }

 private:
  file_patterns patterns_;
  std::string step_;
  read_text_options options_;
};

// Lines of files; a faulty one fails the job.
using text_source = basic_text_source<false>;

}  // namespace millrace
