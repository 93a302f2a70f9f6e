#pragma once

#include <millrace/io/text_source.hpp>
#include <millrace/transforms/sources/read.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// A file that a pattern matched.
struct watched_file {
  std::string path;
  std::uint64_t size_bytes = 0;
  timestamp changed;  // when its content changed last

  friend bool operator==(const watched_file&, const watched_file&) = default;
};

// How often files are looked for, and until when.
struct watch_options {
  duration every{10000};
  // A file comes again when its size or the time of its last change is another.
  bool changes = false;
  // The source ends when it has watched this long, or this long after the last poll that found something. Without
  // either it never ends.
  std::optional<duration> stop_after = {};
  std::optional<duration> stop_after_silence = {};
};

// What a watch has come to: everything that a restart needs. Files it gave out are kept as 128-bit hashes.
struct watch_split {
  std::string pattern;
  std::vector<std::array<std::uint64_t, 2>> seen;
  std::vector<watched_file> waiting;  // found by the last poll, not given out yet
  std::optional<timestamp> begun = {};
  timestamp last_poll = timestamp::min();
  timestamp last_find = timestamp::min();

  friend bool operator==(const watch_split&, const watch_split&) = default;
};

// The files that match patterns as they appear, as an unbounded source: each file once, at the processing time of the
// poll that found it, which is also the watermark. A file counts as complete when it is seen: write it under a hidden
// name and rename it. Temporary files of Millrace are hidden.
class watch_source {
 public:
  using element = watched_file;
  using split = watch_split;

  watch_source(file_patterns patterns, watch_options options) : patterns_(std::move(patterns)), options_(options) {}

  [[nodiscard]] bool bounded() const { return false; }
  [[nodiscard]] std::vector<watch_split> splits(std::size_t desired) const;
  [[nodiscard]] std::string describe() const;

  // Polls for one pattern.
  class poller {
   public:
    poller(watch_split of, watch_options options);

    read_status read(source_output<watched_file>& out, timestamp now);
    [[nodiscard]] watch_split remaining() const;
    [[nodiscard]] watermark promise() const { return {at_.last_poll, false}; }
    [[nodiscard]] timestamp next_read() const;

   private:
    void poll(timestamp now);
    [[nodiscard]] bool ended(timestamp now) const;

    watch_split at_;  // without `seen`
    watch_options options_;
    std::set<std::array<std::uint64_t, 2>> seen_;
    std::size_t given_ = 0;  // of at_.waiting
  };
  [[nodiscard]] poller open(const watch_split& of) const { return {of, options_}; }

 private:
  file_patterns patterns_;
  watch_options options_;
};

// The files that match a path, a glob pattern or a list of such, each as soon as a poll finds it (see watch_source):
//   p | watch_files("new logs", "in/*.log", {.every = 5s}) | read_lines("lines")
// Exactly once per file: what was given out is part of the checkpoint.
[[nodiscard]] inline auto watch_files(std::string name, file_patterns patterns, watch_options options = {},
                                      std::source_location where = std::source_location::current()) {
  if (options.every.count() <= 0)
    throw pipeline_error(name, "files are looked for every " + std::to_string(options.every.count())
                                   + " ms; set .every to more than 0");
  return read(std::move(name), watch_source(std::move(patterns), options), where);
}

}  // namespace millrace
