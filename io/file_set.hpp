#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// A file to be read, with its size when it was found.
struct matched_file {
  std::filesystem::path path;
  std::uint64_t size_bytes = 0;

  friend bool operator==(const matched_file&, const matched_file&) = default;
};

// What a pattern without a match means.
enum class no_match { refused, allowed };

// The files that a path or a glob pattern (`*`, `?`, `[...]`) names, sorted by path. Every one of them was opened for
// reading. A name that does not exist, is a folder, cannot be read or is no regular file is an error naming the path
// and the reason; the folders among the matches of a pattern are left out. `**` is refused, since it would silently
// mean `*`.
[[nodiscard]] std::vector<matched_file> match_files(const std::string& pattern,
                                                    no_match when_empty = no_match::refused);

// What `publish` found.
enum class publication { renamed, already_done };

// Gives a complete temporary file its final name so that it survives a power cut: syncs the file, renames it (a file of
// that name is replaced), syncs the folder. Repeating it is harmless: where the temporary is gone and the final file
// exists the work was already done. Where neither exists it throws.
publication publish(const std::filesystem::path& temporary, const std::filesystem::path& target);

// The beginning of the names of all temporary files of a job. Distinct jobs never share one, nor does one job's prefix
// begin another's names.
[[nodiscard]] std::string temporary_prefix(std::string_view job);

// Where a file is written before it is published: a hidden name in the target's own folder, so that the rename cannot
// cross a file system. `unique` tells the writers of one job apart and may hold letters, digits, '.', '_' and '-'.
[[nodiscard]] std::filesystem::path temporary_path(const std::filesystem::path& target, std::string_view job,
                                                   std::string_view unique);

// Removes the temporary files of a job from a folder, except those in `keep`, and returns what it removed, sorted. A
// folder that does not exist has none.
std::vector<std::filesystem::path> remove_temporaries(const std::filesystem::path& folder, std::string_view job,
                                                      std::span<const std::filesystem::path> keep = {});

// Throws an io_error that names both folders, which exist, unless files can be renamed from one to the other.
void require_one_file_system(const std::filesystem::path& temporaries, const std::filesystem::path& targets);

// Creates a folder and those above it where they are missing, durably.
void create_folders(const std::filesystem::path& folder);

}  // namespace millrace
