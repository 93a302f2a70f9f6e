#include <millrace/io/file_descriptor.hpp>
#include <millrace/io/file_set.hpp>
#include <millrace/io/io_error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <glob.h>
#include <optional>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <system_error>
#include <unistd.h>

namespace millrace {

namespace {

constexpr std::string_view temporary_ending = ".tmp";

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// The paths that the C library's glob finds; nothing if there is none.
std::vector<std::string> glob_paths(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  const int cause = errno;
  std::vector<std::string> paths;
  if (result == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw system_failure("expand the pattern " + pattern, ENOMEM);
  if (result == GLOB_ABORTED) throw system_failure("expand the pattern " + pattern, cause);
  return paths;
}

// Opens and inspects one file. Nothing for a folder if folders are to be skipped.
std::optional<matched_file> inspect(const std::string& path, bool skip_folder) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) throw system_failure("read " + path, errno);
  if (S_ISDIR(status.st_mode) && skip_folder) return std::nullopt;
  const bool is_dev_null = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  const auto file = open_for_reading(path);
  if (!S_ISREG(status.st_mode) && !is_dev_null) {
    throw io_error("cannot read " + path + ": it is not a regular file (copy a pipe or a device to a file first)");
  }
  if (status.st_size == 0) {
    // Files that the kernel makes up claim to be empty; they would be read as nothing.
    char probe = 0;
    if (read_at(file, 0, {&probe, 1}, path) != 0) {
      throw io_error("cannot read " + path + ": its size is unknown (copy it to a regular file first)");
    }
  }
  return matched_file{path, static_cast<std::uint64_t>(status.st_size)};
}

void sync_file(const std::filesystem::path& path) {
  const file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number() < 0) throw system_failure("open " + path.string(), errno);
  if (::fsync(file.number()) != 0) throw system_failure("sync " + path.string(), errno);
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

}  // namespace

std::vector<matched_file> match_files(const std::string& pattern, no_match when_empty) {
  if (pattern.empty()) throw io_error("cannot read a file: its path is empty");
  if (pattern.find('\0') != std::string::npos) throw io_error("cannot read a file: its path contains a zero byte");
  if (pattern.find("**") != std::string::npos) {
    throw io_error("cannot expand the pattern " + pattern + ": '**' is not supported, name each folder level with '*'");
  }
  std::vector<std::string> paths;
  bool from_pattern = is_pattern(pattern);
  if (from_pattern) {
    paths = glob_paths(pattern);
    // A file whose own name contains such characters can still be named plainly.
    if (paths.empty() && ::access(pattern.c_str(), F_OK) == 0) {
      paths.push_back(pattern);
      from_pattern = false;
    }
  } else {
    paths.push_back(pattern);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<matched_file> files;
  for (const auto& path : paths) {
    if (auto file = inspect(path, from_pattern)) files.push_back(std::move(*file));
  }
  if (files.empty() && when_empty == no_match::refused) throw io_error("no file matches the pattern " + pattern);
  return files;
}

publication publish(const std::filesystem::path& temporary, const std::filesystem::path& target) {
  struct stat status{};
  if (::lstat(temporary.c_str(), &status) != 0) {
    if (errno != ENOENT) throw system_failure("inspect " + temporary.string(), errno);
    if (::lstat(target.c_str(), &status) != 0) {
      throw io_error("cannot publish " + target.string() + ": neither it nor its temporary " + temporary.string()
                     + " exists");
    }
    // The process may have died between the rename and the sync of the folder.
    sync_folder(folder_of(target));
    return publication::already_done;
  }
  sync_file(temporary);
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    throw system_failure("rename " + temporary.string() + " to " + target.string(), errno);
  }
  sync_folder(folder_of(target));
  return publication::renamed;
}

std::string temporary_prefix(std::string_view job) {
  // Everything that is not plain becomes %xx, the dash too, so that the dash after the name ends it without doubt.
  constexpr std::string_view digits = "0123456789abcdef";
  std::string prefix = ".millrace-";
  for (const char c : job) {
    if (is_plain(c)) prefix += c;
    else {
      const auto byte = static_cast<unsigned char>(c);
      prefix += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return prefix + '-';
}

std::filesystem::path temporary_path(const std::filesystem::path& target, std::string_view job,
                                     std::string_view unique) {
  for (const char c : unique) {
    if (!is_plain(c) && c != '-')
      throw io_error("cannot name a temporary file: bad character in " + std::string(unique));
  }
  return target.parent_path() / (temporary_prefix(job) + std::string(unique) + std::string(temporary_ending));
}

std::vector<std::filesystem::path> remove_temporaries(const std::filesystem::path& folder, std::string_view job,
                                                      std::span<const std::filesystem::path> keep) {
  const auto prefix = temporary_prefix(job);
  std::error_code error;
  if (!std::filesystem::exists(folder, error) && !error) return {};
  std::vector<std::filesystem::path> removed;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(temporary_ending)) continue;
    const bool kept = std::any_of(keep.begin(), keep.end(), [&](const auto& path) {
      std::error_code unknown;
      return path.filename() == entry->path().filename()
             && std::filesystem::equivalent(folder_of(path), folder, unknown) && !unknown;
    });
    if (!kept) removed.push_back(entry->path());
  }
  if (error) throw system_failure("list the folder " + folder.string(), error.value());
  std::sort(removed.begin(), removed.end());
  for (const auto& path : removed) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw system_failure("remove " + path.string(), errno);
  }
  if (!removed.empty()) sync_folder(folder);
  return removed;
}

void require_one_file_system(const std::filesystem::path& temporaries, const std::filesystem::path& targets) {
  struct stat from{};
  struct stat to{};
  if (::stat(temporaries.c_str(), &from) != 0) throw system_failure("inspect " + temporaries.string(), errno);
  if (::stat(targets.c_str(), &to) != 0) throw system_failure("inspect " + targets.string(), errno);
  if (from.st_dev == to.st_dev) return;
  throw io_error("the folder for temporary files, " + temporaries.string() + ", is not on the file system of "
                 + targets.string()
                 + ", so a complete file could not take its name at once; give a temp_location there, or none");
}

void create_folders(const std::filesystem::path& folder) {
  std::error_code unknown;
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return;
  const auto above = folder_of(folder);
  if (above != folder) create_folders(above);
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    throw system_failure("create the folder " + folder.string(), errno);
  }
  if (!std::filesystem::is_directory(folder, unknown))
    throw system_failure("create the folder " + folder.string(), ENOTDIR);
  sync_folder(above);
}

}  // namespace millrace
