#pragma once

#include <millrace/io/text_files.hpp>
#include <millrace/transforms/bundles/outlet.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

// How files of lines are written.
struct write_text_options {
  // Files a window (or all in all); 0: one for each shard that writes.
  std::uint32_t shards = 0;
  std::string suffix = {};
  // `automatic` goes by the suffix; a chosen one adds its ending where the suffix lacks it.
  compression kind = compression::automatic;
  // The first line of every file.
  std::string header = {};
  file_naming naming = file_naming::short_panes;
  // A shard that gets no line makes no file, so that an empty input makes none. Else each shard makes one of input that
  // is not windowed; a window without lines never has files.
  bool skip_if_empty = false;
};

// Lines into files, as a sink: the writer of one shard is text_files.
class text_sink {
 public:
  using element = std::string;

  text_sink(text_files_options files, std::uint32_t shards) : files_(std::move(files)), shards_(shards) {}

  class line_writer {
   public:
    line_writer(const text_files_options& options, const operator_environment& in) : files_(options, in) {}
    void write(const std::string& line, timestamp /*at*/, const context& in) {
      for (const window& w : in.windows) files_.write(line, w, in.pane);
    }
    void prepare(std::uint64_t epoch) { files_.prepare(epoch); }
    void commit(std::uint64_t epoch) { files_.commit(epoch); }
    void abort() { files_.abort(); }
    void snapshot(writer& to) const { files_.snapshot(to); }
    void restore(reader& from) { files_.restore(from); }

   private:
    text_files files_;
  };

  [[nodiscard]] line_writer open(const operator_environment& in) const { return {files_, in}; }
  [[nodiscard]] std::optional<std::uint32_t> fixed_shards() const {
    return shards_ == 0 ? std::nullopt : std::optional(shards_);
  }
  [[nodiscard]] std::string describe() const;
  // Files that have been begun go on with another name, header or lateness, not with another compression.
  [[nodiscard]] state_schema state() const {
    return state_schema{}.text("compression", std::string(name_of(files_.kind)));
  }
  [[nodiscard]] operator_traits traits() const { return {.adds_only = true, .keeps_files = true}; }

 private:
  text_files_options files_;
  std::uint32_t shards_;
};

// Makes the sink for a collection windowed by `strategy`; throws pipeline_error where it cannot write it.
[[nodiscard]] text_sink make_text_sink(const std::string& step, const std::string& prefix,
                                       const write_text_options& options, const windowing_strategy& strategy,
                                       bool bounded);

// Writes lines to `prefix-SSSSS-of-NNNNN` + suffix, and where the input is windowed to files of each window:
// `lines | write_text("write", "out/counts", {.suffix = ".txt"})`. Exactly once: files appear under their names when
// the epoch in which they were completed is committed, and never in part. An empty input gives empty files, if it is
// not windowed (but see skip_if_empty). Unbounded input has to be windowed.
inline auto write_text(std::string name, std::string prefix, write_text_options options = {},
                       std::source_location where = std::source_location::current()) {
  return [name = std::move(name), prefix = std::move(prefix), options = std::move(options),
          where]<class T>(const pcollection<T>& in) -> written {
    static_assert(
        std::is_same_v<T, std::string>,
        "millrace: write_text takes a collection of std::string, a line each; map the elements to text first");
    if constexpr (std::is_same_v<T, std::string>)
      return in
             | write(name, make_text_sink(in.owner().path_of(name), prefix, options, in.windowing(), in.bounded()),
                     where);
    else return {};
  };
}

}  // namespace millrace
