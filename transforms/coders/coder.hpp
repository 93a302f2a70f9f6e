#pragma once

#include <millrace/transforms/coders/aggregate.hpp>  // IWYU pragma: export
#include <millrace/transforms/coders/codable.hpp>    // IWYU pragma: export
#include <millrace/transforms/coders/container.hpp>  // IWYU pragma: export
#include <millrace/transforms/coders/reader.hpp>     // IWYU pragma: export
#include <millrace/transforms/coders/scalar.hpp>     // IWYU pragma: export
#include <millrace/transforms/coders/text.hpp>       // IWYU pragma: export
#include <millrace/transforms/coders/writer.hpp>     // IWYU pragma: export

#include <string>
#include <string_view>

// All coders of the project. Include this one rather than its parts, so that `codable` has the same answer everywhere.

namespace millrace {

// The bytes of one value.
template <codable T>
std::string encode_whole(const T& value) {
  writer out;
  coder<T>::encode(out, value);
  return std::string{out.bytes()};
}

// The value whose bytes are exactly these: bytes that are left over are refused as missing ones are.
template <codable T>
T decode_whole(std::string_view bytes) {
  reader in{bytes};
  T value = coder<T>::decode(in);
  in.expect_end();
  return value;
}

}  // namespace millrace
