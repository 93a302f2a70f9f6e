#include <millrace/actors/protocol/compression.hpp>
#include <millrace/transforms/element/check.hpp>

#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace millrace {

std::string frame_codec::pack(std::string_view bytes) const {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> packing(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  check(packing != nullptr, "zstd has memory for a context");
  ZSTD_CCtx_setParameter(packing.get(), ZSTD_c_compressionLevel, level_);
  ZSTD_CCtx_setParameter(packing.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(packing.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  check(ZSTD_isError(size) == 0, "zstd packs into a buffer of its own bound");
  frame.resize(size);
  return frame;
}

std::string frame_codec::unpack(std::string_view frame, std::size_t bytes_max) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    throw std::runtime_error("a packed bundle is not a zstd frame with a known size");
  if (size > bytes_max)
    throw std::runtime_error("a packed bundle claims " + std::to_string(size) + " bytes; the limit is "
                             + std::to_string(bytes_max));
  std::string bytes(size, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size)
    throw std::runtime_error(std::string("a packed bundle is damaged: ") + ZSTD_getErrorName(got));
  return bytes;
}

}  // namespace millrace
