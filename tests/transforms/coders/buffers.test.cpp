#include <millrace/tests/transforms/coders/round_trip.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace millrace::buffers_test {
namespace {

TEST(writer, puts_fixed_numbers_least_byte_first) {
  writer out;
  out.fixed(std::uint32_t{0x01020304});
  out.fixed(std::int16_t{-2});
  EXPECT_EQ(out.bytes(), bytes_of({4, 3, 2, 1, 0xfe, 0xff}));
}

TEST(writer, puts_varints_in_groups_of_seven_bits) {
  writer out;
  out.varint(0);
  out.varint(127);
  out.varint(128);
  out.varint(300);
  EXPECT_EQ(out.bytes(), bytes_of({0, 0x7f, 0x80, 0x01, 0xac, 0x02}));
  out.clear();
  out.varint(UINT64_MAX);
  EXPECT_EQ(out.bytes(), bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}));
}

TEST(writer, starts_again_after_clear_and_after_it_was_moved_from) {
  writer out;
  out.put(std::string_view{"first"});
  out.clear();
  EXPECT_TRUE(out.empty());
  out.put(std::string_view{"second"});
  const writer taken{std::move(out)};
  EXPECT_EQ(taken.bytes(), "second");
  out.put(std::string_view{"third"});  // NOLINT(bugprone-use-after-move): a moved-from writer is empty
  EXPECT_EQ(out.bytes(), "third");
}

TEST(writer, truncates_to_a_size_and_never_grows_by_it) {
  writer out;
  out.put(std::string_view{"abcdef"});
  out.truncate(2);
  EXPECT_EQ(out.bytes(), "ab");
  out.truncate(9);
  EXPECT_EQ(out.bytes(), "ab");
}

TEST(writer, precedes_a_section_with_its_length) {
  writer out;
  const std::size_t outer = out.open();
  out.put(std::string_view{"a"});
  const std::size_t inner = out.open();
  out.put(std::string_view{"bc"});
  out.close(inner);
  out.close(outer);
  EXPECT_EQ(out.bytes(), bytes_of({4, 'a', 2, 'b', 'c'}));
}

TEST(writer, makes_room_for_a_length_however_full_it_is) {
  for (std::size_t size = 0; size < 1'100; ++size) {  // passes the capacities 64 to 1024
    writer out;
    const std::size_t opened = out.open();
    out.put(std::string(size, 'x'));
    out.close(opened);
    reader in{out.bytes()};
    EXPECT_EQ(in.section().remaining(), size);
    EXPECT_TRUE(in.at_end());
  }
}

RC_GTEST_PROP(writer, keeps_nested_sections_whole_at_any_length, ()) {
  const std::string before(*rc::gen::inRange<std::size_t>(0, 300), 'x');
  const std::string inside(*rc::gen::inRange<std::size_t>(0, 40'000), 'y');
  const std::string after(*rc::gen::inRange<std::size_t>(0, 300), 'z');
  writer out;
  const std::size_t outer = out.open();
  out.put(before);
  const std::size_t inner = out.open();
  out.put(inside);
  out.close(inner);
  out.put(after);
  out.close(outer);

  reader in{out.bytes()};
  reader whole = in.section();
  in.expect_end();
  RC_ASSERT(whole.take(before.size()) == before);
  reader part = whole.section();
  RC_ASSERT(part.take(part.remaining()) == inside);
  RC_ASSERT(whole.take(whole.remaining()) == after);
}

RC_GTEST_PROP(reader, reads_back_every_varint, (std::uint64_t number, std::uint8_t shift)) {
  number >>= shift % 64;
  writer out;
  out.varint(number);
  reader in{out.bytes()};
  RC_ASSERT(in.varint() == number);
  RC_ASSERT(in.at_end());
}

TEST(reader, refuses_varints_that_are_too_long) {
  const auto refused = [](const std::string& bytes) {
    reader in{bytes};
    EXPECT_THROW(static_cast<void>(in.varint()), decode_error) << bytes.size();
  };
  refused(bytes_of({}));
  refused(bytes_of({0x80}));
  refused(bytes_of({0x80, 0x00}));                                                     // zero in two bytes
  refused(bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}));        // 65 bits
  refused(bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0}));  // eleven bytes
}

TEST(reader, compares_a_count_with_the_bytes_that_remain) {
  reader enough{std::string_view{"\x02 abcd", 6}};
  EXPECT_EQ(enough.count(2), 2U);
  reader too_few{std::string_view{"\x03 abcd", 6}};
  EXPECT_THROW(static_cast<void>(too_few.count(2)), decode_error);
}

TEST(reader, names_the_position_in_the_outermost_value) {
  reader in{std::string_view{"\x01q\x02pq", 5}};
  static_cast<void>(in.section());
  reader second = in.section();
  static_cast<void>(second.take(1));
  try {
    static_cast<void>(second.fixed<std::uint32_t>());
    FAIL() << "four bytes were read where one remains";
  } catch (const decode_error& error) {
    EXPECT_EQ(error.position(), 4U);
    EXPECT_STREQ(error.what(), "cannot decode, at byte 4: 4 bytes are needed and 1 remain");
  }
}

TEST(reader, lets_no_section_pass_its_end) {
  reader in{std::string_view{"\x01qrest", 6}};
  reader part = in.section();
  static_cast<void>(part.take(1));
  EXPECT_TRUE(part.at_end());
  EXPECT_THROW(static_cast<void>(part.take(1)), decode_error);
  EXPECT_EQ(in.remaining(), 4U);
}

}  // namespace
}  // namespace millrace::buffers_test
