#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace {

// Packs and unpacks whole frames with zstd. A frame says its unpacked size, which is bounded before it is believed, and
// carries a checksum.
class frame_codec {
 public:
  // `level` as zstd defines it; 1 is its fast end.
  explicit frame_codec(int level = 1) : level_(level) {}

  [[nodiscard]] std::string pack(std::string_view bytes) const;
  // Throws std::runtime_error when the frame is damaged or would unpack to more than `bytes_max`.
  [[nodiscard]] static std::string unpack(std::string_view frame, std::size_t bytes_max);

 private:
  int level_;
};

}  // namespace millrace
