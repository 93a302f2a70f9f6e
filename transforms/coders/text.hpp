#pragma once

#include <millrace/transforms/coders/codable.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// Text: the length, then the characters as they are.
template <>
struct coder<std::string> {
  static void encode(writer& out, const std::string& value) {
    out.varint(value.size());
    out.put(std::string_view{value});
  }
  static std::string decode(reader& in) { return std::string{in.take(in.count())}; }
  static constexpr bool deterministic = true;
  static std::string name() { return "string"; }
};

// Bytes: the length, then the bytes as they are.
template <>
struct coder<std::vector<std::byte>> {
  static void encode(writer& out, const std::vector<std::byte>& value) {
    out.varint(value.size());
    out.put(std::span{value});
  }
  static std::vector<std::byte> decode(reader& in) {
    const std::string_view raw = in.take(in.count());
    std::vector<std::byte> value(raw.size());
    if (!raw.empty()) std::memcpy(value.data(), raw.data(), raw.size());
    return value;
  }
  static constexpr bool deterministic = true;
  static std::string name() { return "bytes"; }
};

}  // namespace millrace
