#pragma once

#include <millrace/io/csv_source.hpp>
#include <millrace/io/text_source.hpp>
#include <millrace/io/watch_files.hpp>
#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/sources/read_each.hpp>
#include <millrace/transforms/split.hpp>

#include <concepts>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// The files that an element names: the one that was watched, or those of a path or glob pattern.
[[nodiscard]] inline file_patterns files_of(const watched_file& of) {
  return file_patterns::literally(of.path);
}
[[nodiscard]] inline file_patterns files_of(const std::string& of) {
  return of;
}

struct lines_of_files {
  read_text_options options;
  template <class Named>
  text_source operator()(const Named& of) const {
    return text_source(files_of(of), options);
  }
};
struct checked_lines_of_files {
  read_text_options options;
  std::string step;
  template <class Named>
  basic_text_source<true> operator()(const Named& of) const {
    return basic_text_source<true>(files_of(of), options, step);
  }
};
template <class Record>
struct records_of_files {
  csv_options options;
  std::string step;
  template <class Named>
  csv_source<Record, false> operator()(const Named& of) const {
    return csv_source<Record, false>(files_of(of), options, step);
  }
};

template <class T>
consteval bool require_names_of_files() {
  constexpr bool names_files = std::same_as<T, watched_file> || std::same_as<T, std::string>;
  static_assert(names_files, "millrace: files are read of a collection of std::string, paths or patterns, or of "
                             "watched_file, which watch_files gives");
  return names_files;
}

}  // namespace detail

// The lines of the files that each element names, a path, a glob pattern or a file that watch_files found:
//   p | watch_files("new logs", "in/*.log", {.every = 5s}) | read_lines("lines")
// A splittable function: files are dealt out to the shards, parts of big ones too, and idle shards take over what is
// left. Lines have the stamp of the element. A line over the limit or with invalid UTF-8 fails the job, naming file and
// offset. Exactly once: a restart goes on at the line it had come to.
[[nodiscard]] inline auto read_lines(std::string name, read_text_options options = {},
                                     std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_names_of_files<T>())
      return in | read_each(name, detail::lines_of_files{options}, where);
  };
}

// The same with an error output: gives {lines, failed lines}, and a faulty line fails nothing. A file that cannot be
// read does.
[[nodiscard]] inline auto read_lines(std::string name, read_text_options options, error_output /*wanted*/,
                                     std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_names_of_files<T>()) {
      using source = basic_text_source<true>;
      const detail::checked_lines_of_files lines{options, in.owner().path_of(name)};
      const auto body = [&](const pcollection<T>& files) {
        return files | read_each("read", lines, where)
               | split("sort out", [](const source::element& line) { return line; }, where);
      };
      return composite(name, body)(in);
    }
  };
}

// The records of the CSV files that each element names, as structs (see read_csv): a splittable function too, in which
// a file is read by one shard, the rest of it by another if that has nothing to do.
template <plain_aggregate Record>
[[nodiscard]] auto read_csv_records(std::string name, csv_options options = {},
                                    std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    if constexpr (detail::require_names_of_files<T>())
      return in | read_each(name, detail::records_of_files<Record>{options, in.owner().path_of(name)}, where);
  };
}

}  // namespace millrace
