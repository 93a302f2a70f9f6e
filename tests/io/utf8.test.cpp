#include <millrace/io/utf8.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace millrace::utf8_test {
namespace {

constexpr auto valid = std::string_view::npos;

// The encoding of any number as the patterns of UTF-8 have it, legal or not.
std::string encoded(std::uint32_t code) {
  const auto tail = [&](unsigned int shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | (code >> 6U)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | (code >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (code >> 18U)), tail(12), tail(6), tail(0)};
}

TEST(first_invalid_utf8, accepts_exactly_the_code_points_of_unicode) {
  for (std::uint32_t code = 0; code < 0x1FFFFF; ++code) {
    const bool legal = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    ASSERT_EQ(first_invalid_utf8(encoded(code)), legal ? valid : 0U) << std::hex << code;
  }
}

TEST(first_invalid_utf8, refuses_longer_forms_than_needed) {
  EXPECT_EQ(first_invalid_utf8("a\xc0\x80"), 1U);
  EXPECT_EQ(first_invalid_utf8("a\xc1\xbf"), 1U);
  EXPECT_EQ(first_invalid_utf8("a\xe0\x9f\xbf"), 1U);
  EXPECT_EQ(first_invalid_utf8("a\xf0\x8f\xbf\xbf"), 1U);
}

TEST(first_invalid_utf8, finds_cut_off_and_stray_bytes_at_any_position) {
  const std::string ascii(100, 'x');
  for (std::size_t at = 0; at < 40; ++at) {
    auto text = ascii;
    text[at] = '\xe2';
    EXPECT_EQ(first_invalid_utf8(text), at);
    EXPECT_FALSE(is_ascii(text));
    text[at] = '\x80';
    EXPECT_EQ(first_invalid_utf8(text), at);
  }
  EXPECT_EQ(first_invalid_utf8("ab\xe2\x82"), 2U);
  EXPECT_EQ(first_invalid_utf8("ab\xe2\x82\xac"), valid);
}

TEST(is_ascii, looks_at_every_byte) {
  for (std::size_t size = 0; size < 150; ++size) {
    EXPECT_TRUE(is_ascii(std::string(size, '\x7f')));
    EXPECT_FALSE(is_ascii(std::string(size, 'a') + '\x80'));
  }
}

TEST(printable, shows_what_can_be_shown_and_cuts_between_characters) {
  EXPECT_EQ(printable("a\tb\xff\xc3\xa9"), "a\\x09b\\xff\xc3\xa9");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\xc3\xa9", 3), "ab...");
  EXPECT_EQ(printable("ab\xc3\xa9", 4), "ab\xc3\xa9");
}

}  // namespace
}  // namespace millrace::utf8_test
