#include <millrace/io/utf8.hpp>

#include <cstdint>
#include <cstring>

namespace millrace {

namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080U;

std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::size_t ascii_prefix(std::string_view text, std::size_t from) {
  while (from + 8 <= text.size() && (word_at(text.data() + from) & high_bits) == 0) from += 8;
  while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80) ++from;
  return from;
}

// The length of the well-formed sequence of two to four bytes that the text begins with, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i, unsigned char least, unsigned char most) {
    return i < text.size() && byte(i) >= least && byte(i) <= most;
  };
  const auto first = byte(0);
  if (first >= 0xC2 && first <= 0xDF) return continues(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned char least = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned char most = first == 0xED ? 0x9F : 0xBF;
    return continues(1, least, most) && continues(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned char least = first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, least, most) && continues(2, 0x80, 0xBF) && continues(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_ascii(std::string_view text) {
  constexpr std::size_t stride = 64;
  std::size_t at = 0;
  for (; at + stride <= text.size(); at += stride) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < stride; i += 8) any |= word_at(text.data() + at + i);
    if ((any & high_bits) != 0) return false;
  }
  return ascii_prefix(text, at) == text.size();
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    at = ascii_prefix(text, at);
    if (at == text.size()) return std::string_view::npos;
    const auto length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
}

std::string printable(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < bytes_max) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F) {
      result += text[at++];
      continue;
    }
    const auto length = byte < 0x80 ? 0 : sequence_length(text.substr(at));
    if (length != 0 && at + length > bytes_max) break;
    if (length != 0) result += text.substr(at, length);
    else result += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    at += length != 0 ? length : 1;
  }
  if (at < text.size()) result += "...";
  return result;
}

}  // namespace millrace
