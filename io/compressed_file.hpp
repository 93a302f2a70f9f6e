#pragma once

#include <millrace/io/compression.hpp>
#include <millrace/io/durable_file.hpp>
#include <millrace/io/file_descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// Reads a compressed file as one stream of bytes, front to back. A file that is cut off, damaged, or not compressed in
// the format it should be is an error naming the path and the compressed offset; the end of the stream is reported only
// after everything was checked.
class compressed_reader {
 public:
  // `kind` is gzip or zstd.
  compressed_reader(std::filesystem::path path, compression kind);

  // Fills the buffer as far as the stream goes; fewer bytes than asked for mean that the end was reached.
  std::size_t read(std::span<char> buffer);
  // How much of the compressed file was read, for progress.
  [[nodiscard]] std::uint64_t compressed_position() const { return offset_; }

 private:
  void refill();

  std::filesystem::path path_;
  file_descriptor file_;
  decompressor decompressor_;
  std::vector<char> buffer_;
  std::span<const char> pending_;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
};

// How a compressed_writer compresses.
struct compressed_writer_options {
  // `automatic` goes by the name of the file, which for a temporary is not the name that matters: say what it is.
  compression kind = compression::automatic;
  // 0 takes the usual level of the format.
  int level = 0;
};

// Writes a file, compressed or plain, that can be cut at chosen places: after `cut` everything written so far is on its
// way to the file as whole frames, and its length can go into a checkpoint. A recovery opens the file at such a
// length and goes on. After an error the writer is of no more use: reopen the file at the last cut or abandon it.
class compressed_writer {
 public:
  // Creates the file; one that exists is emptied.
  [[nodiscard]] static compressed_writer create(std::filesystem::path path, compressed_writer_options options = {});
  // Continues a file at a length that `cut` returned.
  [[nodiscard]] static compressed_writer reopen(std::filesystem::path path, std::uint64_t length_bytes,
                                                compressed_writer_options options = {});

  // Adds bytes. They reach the file in larger pieces.
  void write(std::string_view bytes);
  // Ends the frame and hands everything to the operating system. Returns the length up to which the file is valid.
  std::uint64_t cut();
  // `cut`, then returns when all of it would survive a power cut.
  std::uint64_t cut_and_sync();
  // Ends the file, which is then valid even if nothing was written, syncs and closes it. Nothing may be called
  // afterwards. Returns the length of the file.
  std::uint64_t finish();

 private:
  compressed_writer(durable_file file, compressed_writer_options options);
  void flush();

  durable_file file_;
  std::optional<compressor> compressor_;
  std::string collected_;
  std::string compressed_;
};

}  // namespace millrace
