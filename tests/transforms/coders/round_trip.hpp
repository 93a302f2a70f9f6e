#pragma once

#include <millrace/transforms/coders/coder.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace millrace {

// Bytes written as numbers.
inline std::string bytes_of(std::initializer_list<unsigned> numbers) {
  std::string bytes;
  for (const unsigned number : numbers) bytes.push_back(static_cast<char>(number));
  return bytes;
}

// Whether decoding T from these bytes is refused with a decode_error. Any other exception fails the test.
template <class T>
bool refuses(std::string_view bytes) {
  try {
    static_cast<void>(decode_whole<T>(bytes));
    return false;
  } catch (const decode_error&) {
    return true;
  }
}

// Expects that the value survives, that bytes cut short at any length are refused, and that a byte too many is.
template <class T>
void expect_round_trip(const T& value) {
  const std::string bytes = encode_whole(value);
  ASSERT_FALSE(bytes.empty()) << coder<T>::name() << " writes at least one byte";
  EXPECT_EQ(decode_whole<T>(bytes), value) << coder<T>::name();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(refuses<T>(std::string_view{bytes}.substr(0, size))) << coder<T>::name() << " cut to " << size;
  EXPECT_TRUE(refuses<T>(bytes + '\0')) << coder<T>::name() << " with a byte too many";
}

}  // namespace millrace
