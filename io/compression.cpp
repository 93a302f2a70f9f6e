#include <millrace/io/compression.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/transforms/element/check.hpp>

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace millrace {

namespace {

constexpr int zstd_window_log_max = 27;  // 128 MiB
constexpr std::uint64_t magic_bytes = 4;
constexpr int gzip_window_bits = 15 + 16;
constexpr std::size_t output_step_bytes = 64 * 1024;

// zlib counts in 32 bits.
unsigned int bounded(std::size_t bytes) {
  return static_cast<unsigned int>(std::min<std::size_t>(bytes, std::numeric_limits<unsigned int>::max()));
}

struct zstd_reader_closer {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
struct zstd_writer_closer {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

void check_kind(compression kind) {
  check(kind == compression::gzip || kind == compression::zstd, "a codec is made for gzip or zstd");
}

}  // namespace

compression resolve(compression wanted, const std::filesystem::path& path) {
  if (wanted != compression::automatic) return wanted;
  const std::string name = path.filename().string();  // which may be nothing but the ending
  if (name.ends_with(".gz")) return compression::gzip;
  if (name.ends_with(".zst")) return compression::zstd;
  return compression::none;
}

std::string_view name_of(compression kind) {
  switch (kind) {
  case compression::automatic:
    return "automatic";
  case compression::none:
    return "none";
  case compression::gzip:
    return "gzip";
  case compression::zstd:
    return "zstd";
  }
  return "unknown";
}

// The state of either format. `between` says that the input could end here: a frame is complete and none has begun.
struct decompressor::codec {
  codec(compression wanted, std::string path) : kind(wanted), name(std::move(path)) {
    check_kind(kind);
    if (kind == compression::gzip) {
      check(inflateInit2(&gzip, gzip_window_bits) == Z_OK, "zlib can start");
      return;
    }
    zstd.reset(ZSTD_createDCtx());
    check(zstd != nullptr, "zstd can start");
    ZSTD_DCtx_setParameter(zstd.get(), ZSTD_d_windowLogMax, zstd_window_log_max);
  }
  codec(const codec&) = delete;
  codec& operator=(const codec&) = delete;
  ~codec() {
    if (kind == compression::gzip) inflateEnd(&gzip);
  }

  [[noreturn]] void refuse(const std::string& fault) const {
    throw io_error("cannot decompress " + name + " as " + std::string(name_of(kind)) + ": " + fault
                   + " at compressed offset " + std::to_string(offset));
  }

  progress inflate_step(std::span<const char> in, std::span<char> out);
  progress zstd_step(std::span<const char> in, std::span<char> out);
  std::size_t skip_padding(std::span<const char> in);

  compression kind;
  std::string name;
  z_stream gzip{};
  std::unique_ptr<ZSTD_DCtx, zstd_reader_closer> zstd;
  std::uint64_t offset = 0;
  std::uint64_t frames = 0;
  std::uint64_t frame_bytes = 0;
  bool between = true;
  bool padding = false;
};

decompressor::decompressor(compression kind, std::string name)
    : codec_(std::make_unique<codec>(kind, std::move(name))) {}
decompressor::~decompressor() = default;
decompressor::decompressor(decompressor&&) noexcept = default;
decompressor& decompressor::operator=(decompressor&&) noexcept = default;

decompressor::progress decompressor::step(std::span<const char> in, std::span<char> out) {
  auto& state = *codec_;
  const auto made = state.kind == compression::gzip ? state.inflate_step(in, out) : state.zstd_step(in, out);
  state.offset += made.consumed_bytes;
  return made;
}

void decompressor::finish() const {
  if (codec_->frames == 0 && codec_->between) codec_->refuse("it is empty");
  if (!codec_->between) codec_->refuse("it is cut off: the end is missing");
}

// Zero bytes after a member are padding up to the end of the file; anything else must be another member.
std::size_t decompressor::codec::skip_padding(std::span<const char> in) {
  const auto end = std::find_if(in.begin(), in.end(), [](char c) { return c != '\0'; });
  const auto zeros = static_cast<std::size_t>(end - in.begin());
  padding = padding || zeros > 0;
  if (padding && zeros < in.size()) {
    offset += zeros;
    refuse("something other than zero padding follows the last member");
  }
  return zeros;
}

decompressor::progress decompressor::codec::inflate_step(std::span<const char> in, std::span<char> out) {
  if (between && in.empty()) return {};
  if (between && frames > 0) {
    if (const auto zeros = skip_padding(in); zeros > 0) return {zeros, 0};
    check(inflateReset(&gzip) == Z_OK, "zlib can start another member");
  }
  between = false;
  gzip.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  gzip.avail_in = bounded(in.size());
  gzip.next_out = reinterpret_cast<Bytef*>(out.data());
  gzip.avail_out = bounded(out.size());
  const auto offered = gzip.avail_in;
  const auto room = gzip.avail_out;
  const auto at_start = gzip.total_in;
  const int result = inflate(&gzip, Z_NO_FLUSH);
  const progress made{offered - gzip.avail_in, room - gzip.avail_out};
  if (result == Z_STREAM_END) {
    between = true;
    ++frames;
  } else if (result == Z_MEM_ERROR) {
    throw io_error("cannot decompress " + name + ": out of memory");
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    const bool no_header = at_start < 2 && gzip.total_in <= 2;
    if (no_header && frames > 0) refuse("something other than another member follows the last member");
    if (no_header) refuse("it is not a gzip file");
    offset += made.consumed_bytes;
    refuse(std::string("it is damaged (") + (gzip.msg != nullptr ? gzip.msg : "unknown fault") + ')');
  }
  return made;
}

decompressor::progress decompressor::codec::zstd_step(std::span<const char> in, std::span<char> out) {
  if (between && in.empty()) return {};
  ZSTD_inBuffer source{in.data(), in.size(), 0};
  ZSTD_outBuffer target{out.data(), out.size(), 0};
  const auto result = ZSTD_decompressStream(zstd.get(), &target, &source);
  if (ZSTD_isError(result) != 0) {
    const std::string reason = ZSTD_getErrorName(result);
    const bool no_header = frame_bytes < magic_bytes && reason == "Unknown frame descriptor";
    if (no_header && frames == 0) refuse("it is not a zstd file");
    if (no_header) refuse("something other than another frame follows the last frame");
    offset += source.pos;
    refuse("it is damaged or beyond the limits (" + reason + ')');
  }
  frame_bytes += source.pos;
  between = result == 0;
  if (between) {
    ++frames;
    frame_bytes = 0;
  }
  return {source.pos, target.pos};
}

struct compressor::codec {
  codec(compression wanted, int level) : kind(wanted) {
    check_kind(kind);
    if (kind == compression::gzip) {
      constexpr int memory_level = 8;
      const int result = deflateInit2(&gzip, level == 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED, gzip_window_bits,
                                      memory_level, Z_DEFAULT_STRATEGY);
      if (result != Z_OK) throw io_error("cannot compress with gzip at level " + std::to_string(level));
      return;
    }
    zstd.reset(ZSTD_createCCtx());
    check(zstd != nullptr, "zstd can start");
    const auto bounds = ZSTD_cParam_getBounds(ZSTD_c_compressionLevel);
    if (level < bounds.lowerBound || level > bounds.upperBound) {
      throw io_error("cannot compress with zstd at level " + std::to_string(level));
    }
    ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_checksumFlag, 1);
  }
  codec(const codec&) = delete;
  codec& operator=(const codec&) = delete;
  ~codec() {
    if (kind == compression::gzip) deflateEnd(&gzip);
  }

  void run_gzip(std::string_view bytes, bool end, std::string& out);
  void run_zstd(std::string_view bytes, bool end, std::string& out);
  void run(std::string_view bytes, bool end, std::string& out) {
    if (kind == compression::gzip) run_gzip(bytes, end, out);
    else run_zstd(bytes, end, out);
  }

  compression kind;
  z_stream gzip{};
  std::unique_ptr<ZSTD_CCtx, zstd_writer_closer> zstd;
  std::vector<char> room = std::vector<char>(output_step_bytes);
  bool open_frame = false;
};

compressor::compressor(compression kind, int level) : codec_(std::make_unique<codec>(kind, level)) {}
compressor::~compressor() = default;
compressor::compressor(compressor&&) noexcept = default;
compressor& compressor::operator=(compressor&&) noexcept = default;

void compressor::write(std::string_view bytes, std::string& out) {
  if (bytes.empty()) return;
  codec_->open_frame = true;
  codec_->run(bytes, false, out);
}

void compressor::end_frame(std::string& out) {
  if (codec_->open_frame) empty_frame(out);
}

void compressor::empty_frame(std::string& out) {
  codec_->run({}, true, out);
  codec_->open_frame = false;
}

void compressor::codec::run_gzip(std::string_view bytes, bool end, std::string& out) {
  std::size_t left = bytes.size();
  gzip.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  for (;;) {
    gzip.avail_in = bounded(left);
    const auto offered = gzip.avail_in;
    gzip.next_out = reinterpret_cast<Bytef*>(room.data());
    gzip.avail_out = output_step_bytes;
    const int result = deflate(&gzip, end ? Z_FINISH : Z_NO_FLUSH);
    out.append(room.data(), output_step_bytes - gzip.avail_out);
    left -= offered - gzip.avail_in;
    check(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, "zlib can compress");
    if (result == Z_STREAM_END) {
      check(deflateReset(&gzip) == Z_OK, "zlib can start another member");
      return;
    }
    if (!end && left == 0 && gzip.avail_out != 0) return;
  }
}

void compressor::codec::run_zstd(std::string_view bytes, bool end, std::string& out) {
  ZSTD_inBuffer source{bytes.data(), bytes.size(), 0};
  for (;;) {
    ZSTD_outBuffer target{room.data(), room.size(), 0};
    const auto left = ZSTD_compressStream2(zstd.get(), &target, &source, end ? ZSTD_e_end : ZSTD_e_continue);
    out.append(room.data(), target.pos);
    if (ZSTD_isError(left) != 0) throw io_error(std::string("cannot compress with zstd: ") + ZSTD_getErrorName(left));
    if (end ? left == 0 : source.pos == source.size) return;
  }
}

}  // namespace millrace
