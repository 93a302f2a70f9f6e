#pragma once

#include <millrace/io/compressed_file.hpp>
#include <millrace/io/file_descriptor.hpp>
#include <millrace/io/text_file_names.hpp>
#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/operators/environment.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// What the files of a text sink look like.
struct text_files_options {
  std::string prefix = {};
  std::string suffix = {};
  std::string header = {};  // the first line of every file, if not empty
  compression kind = compression::none;
  file_naming naming = file_naming::short_panes;
  duration allowed_lateness{0};
  bool unwindowed = false;     // the whole collection is in the global window: even an empty one gives a file
  bool skip_if_empty = false;  // but not if this is wanted
};

// The files that one shard writes: one for each window and pane, under a temporary name until nothing more can come
// into it. Whoever owns it calls prepare(n), snapshot and commit(n) in the order of epochs. What an epoch covers is on
// disk at its prepare, so that a restore cuts every temporary back to that length and removes those that it does not
// know. A file gets its final name at the commit of the epoch in which the output watermark had passed the end of its
// window plus the allowed lateness; elements that come for the window afterwards are late and dropped, as at any
// grouping.
class text_files {
 public:
  text_files(text_files_options options, const operator_environment& in);

  void write(std::string_view line, const window& in, const pane_info& pane);
  void prepare(std::uint64_t epoch);
  void commit(std::uint64_t epoch);
  // Removes everything that has no final name yet: the job has failed, and nobody will resume it.
  void abort();
  void snapshot(writer& to) const;
  // Goes on with the files of a snapshot, up to the length that it knows. Those of another step, place or job, which a
  // changed program or a new job starts from, are copied first, as are those that were published since. Throws io_error
  // for one that is gone.
  void restore(reader& from);

 private:
  using file_key = std::pair<window, pane_info>;
  // A file that may still grow.
  struct growing {
    std::filesystem::path temporary;
    std::uint64_t length_bytes = 0;  // as of the last cut
    bool unsynced = true;            // bytes were written since the last prepare
    std::uint64_t used = 0;          // when it was last written, for choosing what to close
    std::unique_ptr<compressed_writer> open = {};
  };
  // A file that is complete and waits for the commit of its epoch.
  struct complete {
    std::uint64_t epoch = 0;
    std::string temporary;
    std::string target;
  };

  [[nodiscard]] growing& file_of(const file_key& key);
  [[nodiscard]] growing begin_file();
  [[nodiscard]] compressed_writer& opened(growing& file);
  void close_least_used();
  void finish(const file_key& key, growing& file, std::uint64_t epoch);
  [[nodiscard]] bool closed(const window& w, timestamp mark) const;
  [[nodiscard]] std::filesystem::path target_of(const file_key& key) const;
  [[nodiscard]] std::filesystem::path temporaries() const { return folder_of(temporary_beside_); }
  // Whose files a snapshot has.
  struct origin {
    std::string owner;
    std::string job;
    std::filesystem::path folder;
  };
  // Where the bytes of a file of a snapshot are: under its temporary name, or published since. Throws io_error if they
  // are gone.
  [[nodiscard]] std::filesystem::path found(const file_key& key, const growing& file) const;
  // Makes the files of a snapshot its own: those of another owner as copies.
  void take_growing(bool own);
  void remove_temporaries_except(const std::vector<std::filesystem::path>& kept);
  void clean_once();

  text_files_options options_;
  operator_environment in_;
  std::string owner_;                       // names the temporaries of this step and shard
  std::filesystem::path temporary_beside_;  // a path in the folder of temporaries
  std::map<file_key, growing> growing_;
  std::vector<complete> complete_;
  std::uint64_t created_ = 0;
  std::uint64_t writes_ = 0;
  std::size_t open_count_ = 0;
  timestamp closed_to_ = timestamp::min();  // the output watermark at the last prepare
  bool cleaned_ = false;
  // An earlier program's files, until an epoch of this one is committed that does without them.
  std::optional<origin> left_behind_;
  std::optional<std::uint64_t> restored_epoch_;
};

}  // namespace millrace
