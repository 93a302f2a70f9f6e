#include <millrace/transforms/coders/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace {

decode_error::decode_error(std::size_t position, std::string_view what)
    : std::runtime_error("cannot decode, at byte " + std::to_string(position) + ": " + std::string(what)),
      position_(position) {}

std::uint64_t reader::long_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto group = fixed<std::uint8_t>();
    if (shift == 63 && group > 1) fail("a number has more than 64 bits");
    value |= static_cast<std::uint64_t>(group & 0x7f) << shift;
    if (group < 0x80) {
      if (group == 0 && shift > 0) fail("a number is written longer than it needs");
      return value;
    }
  }
  fail("a number has more than 64 bits");
}

void reader::fail(std::string_view what) const {
  throw decode_error(position(), what);
}

void reader::fail_short(std::size_t wanted) const {
  fail(std::to_string(wanted) + " bytes are needed and " + std::to_string(remaining()) + " remain");
}

void reader::fail_count(std::size_t position, std::uint64_t counted, std::size_t bytes_each) {
  throw decode_error(position, "a count of " + std::to_string(counted) + ", of at least " + std::to_string(bytes_each)
                                   + " bytes each, is more than the bytes that remain");
}

void reader::fail_end() const {
  fail(std::to_string(remaining()) + " bytes follow the end of the value");
}

void reader::fail_depth() const {
  fail("more than " + std::to_string(depth_max) + " containers are inside each other");
}

}  // namespace millrace
