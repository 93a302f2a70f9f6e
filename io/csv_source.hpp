#pragma once

#include <millrace/io/csv.hpp>
#include <millrace/io/text_source.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace millrace {

// Reads the records of one CSV file: matches its header with the fields of a struct, joins the lines of records whose
// quoted fields hold line ends (which all become \n), and fills structs. A file is read by one reader from its
// beginning, since nobody can tell from the middle whether a quote is open there.
class csv_file_reader {
 public:
  csv_file_reader(const text_split& of, const csv_options& options, std::span<const csv_field> fields);

  // Takes the next record, empty lines left out. False at the end.
  bool next();
  // Fills a struct from it. False if it is faulty: then fault() says why, naming file and offset.
  [[nodiscard]] bool fill(void* into);
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // The record as it was written.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] text_split remaining() const { return lines_.remaining(); }

 private:
  // Takes a record of whole lines from `from`. False at the end.
  bool take(text_split_reader& from);
  void read_header(text_split_reader& from);
  void fail(const std::string& why);

  std::string path_;
  csv_options options_;
  std::span<const csv_field> fields_;
  text_split_reader lines_;
  csv_columns columns_;
  std::string header_fault_;   // why no record of this file can be read
  std::string untold_header_;  // the header that is at fault, until a record has told
  std::string text_;
  std::uint64_t offset_ = 0;
  std::string fault_;
};

// Everything of CSV files that does not depend on the struct.
[[nodiscard]] std::vector<text_split> split_csv_files(const file_patterns& patterns, const csv_options& options);
[[nodiscard]] std::string describe_csv_source(const file_patterns& patterns, const csv_options& options);

// Records of CSV files as a source of structs. A faulty record is an error that names file and offset: it fails the
// job, or where Faults is set becomes an element of its own, a `failed` of the step with the record as it was written.
template <class T, bool Faults>
class csv_source {
 public:
  using element = std::conditional_t<Faults, std::variant<T, failed<std::string>>, T>;
  using split = text_split;

  csv_source(file_patterns patterns, csv_options options, std::string step)
      : patterns_(std::move(patterns)), options_(options), step_(std::move(step)) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<text_split> splits(std::size_t /*desired*/) const {
    return split_csv_files(patterns_, options_);
  }
  [[nodiscard]] std::string describe() const { return describe_csv_source(patterns_, options_); }

 private:
  class record_reader {
   public:
    record_reader(const text_split& of, const csv_source& source)
        : step_(source.step_), file_(of, source.options_, detail::csv_fields_of<T>) {}

    read_status read(source_output<element>& out, timestamp /*now*/) {
      while (!out.full()) {
        if (!file_.next()) return read_status::ended;
        T record{};
        if (file_.fill(&record)) out.slot() = std::move(record);
        else if constexpr (Faults) out.slot() = failed<std::string>{file_.text(), step_, file_.fault(), 1};
        else throw io_error(file_.fault());
        out.placed(timestamp::min());
      }
      return read_status::more;
    }
    [[nodiscard]] text_split remaining() const { return file_.remaining(); }
    [[nodiscard]] watermark promise() const { return {}; }
    [[nodiscard]] timestamp next_read() const { return timestamp::min(); }

   private:
    std::string step_;
    csv_file_reader file_;
  };

 public:
  [[nodiscard]] record_reader open(const text_split& of) const { return {of, *this}; }

 private:
  file_patterns patterns_;
  csv_options options_;
  std::string step_;
};

}  // namespace millrace
