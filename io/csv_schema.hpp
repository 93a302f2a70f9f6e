#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// How CSV is spelled.
struct csv_options {
  char delimiter = ',';
  // Columns without a field of their name are skipped instead of refused.
  bool ignore_unknown = false;
  // A longer record, or header, is a fault.
  std::size_t record_bytes_max = 16 * 1024 * 1024;
};

// One field of a record as it was written.
struct csv_value {
  std::string text;
  bool quoted = false;
};

// What the parser must know of a field of a struct.
struct csv_field {
  std::string_view name;
  std::string_view expected;  // what it may hold, for messages
  bool optional = false;      // its column may lack, and nothing at all in its place means that it has no value
  void* (*in)(void* record) = nullptr;
  // Sets the field from a text; false if it does not fit.
  bool (*set)(void* value, const csv_value& from) = nullptr;
};

// Which field each column of a file belongs to.
using csv_columns = std::vector<std::size_t>;
inline constexpr std::size_t no_csv_field = static_cast<std::size_t>(-1);

// Cuts a record into fields. A field is quoted if it begins with a quote, and two quotes inside it stand for one; other
// fields hold no quote. False if it is not one; `why` then says why.
[[nodiscard]] bool split_csv_record(std::string_view record, char delimiter, std::vector<csv_value>& into,
                                    std::string& why);

// Tells whether a record goes on behind a line, since a quoted field is open at its end. Fed with one line after the
// other. A quote inside a field that does not begin with one opens nothing.
class csv_quotes {
 public:
  explicit csv_quotes(char delimiter) : delimiter_(delimiter) {}
  // Returns whether a quoted field is open at the end of the line.
  bool feed(std::string_view line);

 private:
  enum class place : std::uint8_t { field_start, plain, quoted, closing };
  char delimiter_;
  place at_ = place::field_start;
};

// Matches the columns of a header with fields, by name and in any order. False if a column lacks, repeats or is
// unknown; `why` then says which.
[[nodiscard]] bool match_csv_header(std::string_view header, std::span<const csv_field> fields,
                                    const csv_options& options, csv_columns& into, std::string& why);

// Fills a struct from a record. False if the record does not fit; `why` then names the column, the value and what was
// expected, and the struct is half filled.
[[nodiscard]] bool fill_from_csv(std::string_view record, std::span<const csv_field> fields, const csv_columns& columns,
                                 char delimiter, void* into, std::string& why);

// Appends a text as a field, in quotes where it needs them or where `quoted` asks for them.
void append_csv_text(std::string& out, std::string_view text, char delimiter, bool quoted = false);

}  // namespace millrace
