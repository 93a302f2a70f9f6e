#pragma once

#include <millrace/io/text_source.hpp>
#include <millrace/transforms/sources/read.hpp>
#include <millrace/transforms/split.hpp>

#include <source_location>
#include <string>
#include <utility>
#include <variant>

namespace millrace {

// The lines of all files that a path or a glob pattern names, or a list of such, gzip and zstd included:
// `p | read_text("read", "logs/*.gz")`. Files are matched when the job starts. Lines have no event time (see
// with_timestamps). A line over the limit or with invalid UTF-8 fails the job, naming file and offset. Exactly once: a
// restart goes on at the line it had come to. Other ends of lines than \n and \r\n are an option, a `delimiter`. A byte
// order mark at the front of a file is left out.
inline auto read_text(std::string name, file_patterns patterns, read_text_options options = {},
                      std::source_location where = std::source_location::current()) {
  return read(std::move(name), text_source(std::move(patterns), std::move(options)), where);
}

// The same with an error output: gives {lines, failed lines}, and a faulty line fails nothing.
inline auto read_text(std::string name, file_patterns patterns, read_text_options options, error_output /*wanted*/,
                      std::source_location where = std::source_location::current()) {
  return [name = std::move(name), patterns = std::move(patterns), options = std::move(options), where](pipeline& p) {
    using source = basic_text_source<true>;
    const source lines(patterns, options, p.description().path_of(name));
    return p | composite(name, [&](pipeline& inside) {
             return inside | read("read", lines, where)
                    | split("sort out", [](const source::element& line) { return line; }, where);
           });
  };
}
inline auto read_text(std::string name, file_patterns patterns, error_output wanted,
                      std::source_location where = std::source_location::current()) {
  return read_text(std::move(name), std::move(patterns), {}, wanted, where);
}

}  // namespace millrace
