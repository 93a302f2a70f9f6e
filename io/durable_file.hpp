#pragma once

#include <millrace/io/file_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace millrace {

// A file that only grows, and whose length is known exactly at every moment, so that a checkpoint can record a length
// and a recovery can cut the file back to it. An append either happens whole or leaves the position where it was (the
// bytes beyond it do not count). After a failed sync nothing more is accepted, because the kernel may have dropped the
// bytes that it could not write. The writer of the file owns it alone.
class durable_file {
 public:
  // Creates the file; one that exists is emptied. The folder must exist.
  [[nodiscard]] static durable_file create(std::filesystem::path path);
  // Opens a file that exists and cuts it to a length that was recorded before. A file that is shorter has lost bytes,
  // which is an error.
  [[nodiscard]] static durable_file reopen(std::filesystem::path path, std::uint64_t length_bytes);

  // Writes all the bytes at the end. A full disk is an error naming the path and the bytes wanted.
  void append(std::string_view bytes);
  // Returns when everything appended so far would survive a power cut.
  void sync();
  // Cuts the file to its position, syncs, and closes it. Nothing may be called afterwards.
  void close();

  // The length of the file as far as it counts.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  durable_file(file_descriptor file, std::filesystem::path path, std::uint64_t position)
      : file_(std::move(file)), path_(std::move(path)), position_(position) {}
  void refuse_unless_usable() const;
  void cut_to_position();

  file_descriptor file_;
  std::filesystem::path path_;
  std::uint64_t position_ = 0;
  bool partial_append_ = false;
  bool failed_ = false;
};

}  // namespace millrace
