#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace millrace {

// How the bytes of a file are compressed. `automatic` goes by the ending of its name: `.gz`, `.zst`, else none.
enum class compression { automatic, none, gzip, zstd };

// What `automatic` stands for with a file of this name; anything else stands for itself.
[[nodiscard]] compression resolve(compression wanted, const std::filesystem::path& path);

// "gzip", "zstd", "none" or "automatic".
[[nodiscard]] std::string_view name_of(compression kind);

// Turns compressed bytes back, block by block, and checks them to the end: every checksum and length, that nothing is
// missing and that nothing foreign follows. Several gzip members or zstd frames in a row are one stream; zero bytes
// after the last gzip member are legal padding. A zstd window may take 128 MiB of memory at most. What it hands out
// before a fault is found has not been checked yet, so a caller that meets the fault must discard what came of the
// stream.
class decompressor {
 public:
  // How far one step came.
  struct progress {
    std::size_t consumed_bytes = 0;
    std::size_t produced_bytes = 0;
  };

  // `kind` is gzip or zstd. `name` is the path for messages.
  decompressor(compression kind, std::string name);
  ~decompressor();
  decompressor(decompressor&&) noexcept;
  decompressor& operator=(decompressor&&) noexcept;

  // Consumes some input and produces some output. It makes progress whenever there is input, and room for output;
  // with empty input it hands out what it still holds. Throws io_error naming path, offset and fault.
  progress step(std::span<const char> in, std::span<char> out);
  // To be called once the input has ended and a step with empty input produced nothing. Throws if the stream is cut
  // off.
  void finish() const;

 private:
  struct codec;
  std::unique_ptr<codec> codec_;
};

// Compresses bytes so that the output can be cut: what was produced up to the end of a frame (a gzip member) is a whole
// file by itself, and a file made of several frames reads as one stream.
class compressor {
 public:
  // `kind` is gzip or zstd. A level of 0 takes the usual one (gzip 6, zstd 3).
  explicit compressor(compression kind, int level = 0);
  ~compressor();
  compressor(compressor&&) noexcept;
  compressor& operator=(compressor&&) noexcept;

  // Compresses; appends what is ready to `out`.
  void write(std::string_view bytes, std::string& out);
  // Ends the frame and appends the rest of it to `out`; does nothing if nothing was written since the last frame ended.
  void end_frame(std::string& out);
  // Appends a frame without content, which makes an empty file a valid one.
  void empty_frame(std::string& out);

 private:
  struct codec;
  std::unique_ptr<codec> codec_;
};

}  // namespace millrace
