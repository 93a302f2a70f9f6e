#include <millrace/tests/transforms/coders/round_trip.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace millrace::scalar_test {
namespace {

enum class color : std::uint8_t { red, green = 7 };
enum class answer : bool { no, yes };
enum plain { first = -1, second = 70'000 };

template <class Number>
void expect_ends_survive() {
  expect_round_trip(std::numeric_limits<Number>::lowest());
  expect_round_trip(std::numeric_limits<Number>::max());
  expect_round_trip(Number{0});
  expect_round_trip(Number{1});
}

TEST(scalar_coder, keeps_every_kind_of_number) {
  expect_ends_survive<std::int8_t>();
  expect_ends_survive<std::uint8_t>();
  expect_ends_survive<std::int16_t>();
  expect_ends_survive<std::uint16_t>();
  expect_ends_survive<std::int32_t>();
  expect_ends_survive<std::uint32_t>();
  expect_ends_survive<std::int64_t>();
  expect_ends_survive<std::uint64_t>();
  expect_ends_survive<long long>();
  expect_ends_survive<char>();
  expect_ends_survive<wchar_t>();
  expect_ends_survive<char8_t>();
  expect_ends_survive<char16_t>();
  expect_ends_survive<char32_t>();
  expect_ends_survive<float>();
  expect_ends_survive<double>();
}

TEST(scalar_coder, keeps_what_compares_oddly) {
  EXPECT_TRUE(std::isnan(decode_whole<double>(encode_whole(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_TRUE(std::signbit(decode_whole<double>(encode_whole(-0.0))));
  expect_round_trip(-std::numeric_limits<float>::infinity());
}

TEST(scalar_coder, writes_integers_least_byte_first) {
  EXPECT_EQ(encode_whole(std::int32_t{-2}), bytes_of({0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(encode_whole(std::uint16_t{0x0102}), bytes_of({2, 1}));
  EXPECT_EQ(encode_whole(1.0), bytes_of({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
}

TEST(scalar_coder, refuses_a_bool_that_is_neither) {
  expect_round_trip(true);
  expect_round_trip(false);
  EXPECT_TRUE(refuses<bool>(bytes_of({2})));
  EXPECT_TRUE(refuses<answer>(bytes_of({2})));
}

TEST(scalar_coder, writes_enums_as_their_integer) {
  expect_round_trip(color::green);
  expect_round_trip(answer::yes);
  expect_round_trip(first);
  expect_round_trip(second);
  expect_round_trip(std::byte{0xab});
  EXPECT_EQ(encode_whole(color::green), bytes_of({7}));
}

TEST(scalar_coder, keeps_times) {
  using namespace std::chrono;
  expect_round_trip(milliseconds{-5});
  expect_round_trip(nanoseconds::max());
  expect_round_trip(std::chrono::duration<double>{0.25});
  expect_round_trip(sys_days{2026y / January / 1});
  expect_round_trip(system_clock::time_point{123'456'789ns});
  EXPECT_EQ(encode_whole(seconds{3}), encode_whole(std::int64_t{3}));
}

TEST(scalar_coder, keeps_model_time_and_refuses_what_is_beyond_it) {
  expect_round_trip(timestamp::min());
  expect_round_trip(timestamp::max());
  expect_round_trip(timestamp{1});
  EXPECT_TRUE(refuses<timestamp>(encode_whole(timestamp::max().millis() + 1)));
  EXPECT_TRUE(refuses<timestamp>(encode_whole(timestamp::min().millis() - 1)));
}

TEST(scalar_coder, keeps_windows_and_refuses_one_that_ends_before_its_start) {
  expect_round_trip(window::global());
  expect_round_trip(window{timestamp{-60'000}, timestamp{0}});
  EXPECT_TRUE(refuses<window>(encode_whole(std::int64_t{5}) + encode_whole(std::int64_t{4})));
}

TEST(scalar_coder, keeps_panes) {
  expect_round_trip(pane_info{});
  expect_round_trip(pane_info{
      .index = 3, .non_speculative_index = -1, .timing = pane_timing::early, .is_first = false, .is_last = false});
  expect_round_trip(pane_info{.index = UINT32_MAX,
                              .non_speculative_index = INT32_MAX,
                              .timing = pane_timing::late,
                              .is_first = false,
                              .is_last = true});
  // unknown (3), first (4) and last (8); index 0; non-speculative index 0 as 1
  EXPECT_EQ(encode_whole(pane_info{}), bytes_of({15, 0, 1}));
  EXPECT_TRUE(refuses<pane_info>(bytes_of({16, 0, 1})));
  EXPECT_TRUE(refuses<pane_info>(bytes_of({15, 0, 0x81, 0x80, 0x80, 0x80, 0x08})));  // INT32_MAX + 2
}

RC_GTEST_PROP(scalar_coder, keeps_any_integer_and_double, (std::int64_t integer, double number)) {
  RC_ASSERT(decode_whole<std::int64_t>(encode_whole(integer)) == integer);
  RC_ASSERT(decode_whole<double>(encode_whole(number)) == number);
}

TEST(scalar_coder, has_names_that_tell_the_width) {
  EXPECT_EQ(coder<bool>::name(), "bool");
  EXPECT_EQ(coder<char>::name(), "char");
  EXPECT_EQ(coder<std::int8_t>::name(), "int8");
  EXPECT_EQ(coder<long>::name(), "int64");
  EXPECT_EQ(coder<long long>::name(), "int64");
  EXPECT_EQ(coder<unsigned>::name(), "uint32");
  EXPECT_EQ(coder<char32_t>::name(), "char32");
  EXPECT_EQ(coder<float>::name(), "float");
  EXPECT_EQ(coder<double>::name(), "double");
  EXPECT_EQ(coder<color>::name(), "millrace::scalar_test::(anonymous namespace)::color");
  EXPECT_EQ(coder<std::byte>::name(), "std::byte");
  EXPECT_EQ(coder<std::chrono::milliseconds>::name(), "duration<int64,1/1000>");
  EXPECT_EQ(coder<std::chrono::sys_seconds>::name(), "time_point<duration<int64,1/1>>");
  EXPECT_EQ(coder<timestamp>::name(), "timestamp");
  EXPECT_EQ(coder<window>::name(), "window");
  EXPECT_EQ(coder<pane_info>::name(), "pane_info");
}

}  // namespace
}  // namespace millrace::scalar_test
