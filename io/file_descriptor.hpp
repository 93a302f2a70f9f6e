#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace millrace {

// Sole owner of an open file descriptor; closes it at the end of its life. The close is silent, so whoever wrote
// through it must have synced before.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept;
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() { close(); }

  // The number that system calls take, or -1 if nothing is open.
  [[nodiscard]] int number() const { return number_; }
  // Closes early. Does nothing if nothing is open.
  void close() noexcept;

 private:
  int number_ = -1;
};

// Opens a file for reading. A folder is refused here rather than at the first read.
[[nodiscard]] file_descriptor open_for_reading(const std::filesystem::path& path);

// Reads at an offset until the buffer is full or the file ends; returns the number of bytes read. Throws io_error
// naming the path and the offset.
std::size_t read_at(const file_descriptor& file, std::uint64_t offset, std::span<char> buffer,
                    const std::filesystem::path& path);

// Makes what happened to the names in a folder (creations, renames, removals) survive a power cut.
void sync_folder(const std::filesystem::path& folder);

// The folder that a path lies in; "." for a bare name.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace millrace
