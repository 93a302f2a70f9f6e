#pragma once

#include <millrace/io/csv_source.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/sources/read.hpp>
#include <millrace/transforms/split.hpp>

#include <source_location>
#include <string>
#include <utility>

namespace millrace {

// The records of CSV files with a header, as structs whose fields are named as the columns (see csv.hpp):
// `p | read_csv<order>("read", "orders/*.csv")`. Files are named and unpacked as by read_text; each is read by one
// reader. A record that does not fit, or a header without a column that a field needs, fails the job, naming file,
// offset, column and value. Exactly once: a restart goes on at the record it had come to.
template <plain_aggregate T>
[[nodiscard]] auto read_csv(std::string name, file_patterns patterns, csv_options options = {},
                            std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)](pipeline& p) {
    return p | read(name, csv_source<T, false>(patterns, options, p.description().path_of(name)), where);
  };
}

// The same with an error output: gives {structs, failed records}. A faulty record is there as it was written, and so
// is every record of a file whose header does not fit.
template <plain_aggregate T>
[[nodiscard]] auto read_csv(std::string name, file_patterns patterns, csv_options options, error_output /*wanted*/,
                            std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)](pipeline& p) {
    using source = csv_source<T, true>;
    const source records(patterns, options, p.description().path_of(name));
    return p | composite(name, [&](pipeline& inside) {
             return inside | read("read", records, where)
                    | split("sort out", [](const typename source::element& record) { return record; }, where);
           });
  };
}
template <plain_aggregate T>
[[nodiscard]] auto read_csv(std::string name, file_patterns patterns, error_output wanted,
                            std::source_location where = std::source_location::current()) {
  return read_csv<T>(std::move(name), std::move(patterns), csv_options{}, wanted, where);
}

// Writes structs as CSV files with a header, named and committed as by write_text; a header in the options is replaced.
[[nodiscard]] inline auto write_csv(std::string name, std::string prefix, write_text_options files = {.suffix = ".csv"},
                                    csv_options options = {},
                                    std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    static_assert(plain_aggregate<T>, "millrace: write_csv takes a collection of plain aggregates");
    if constexpr (plain_aggregate<T>) {
      write_text_options with_header = files;
      with_header.header = csv_header<T>(options);
      const auto body = [&](const pcollection<T>& all) {
        return all
               | map(
                   "records", [options](const T& x) { return to_csv_record(x, options); }, where)
               | write_text("write", prefix, with_header, where);
      };
      return composite(name, body)(in);
    }
  };
}

}  // namespace millrace
