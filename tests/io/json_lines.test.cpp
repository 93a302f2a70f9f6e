#include "temporary_folder.hpp"

#include <millrace/io/json_lines.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace millrace::json_lines_test {
namespace {

using ::testing::HasSubstr;

struct reading {
  std::string device;
  std::string region;
  timestamp time;
  double celsius = 0;

  friend bool operator==(const reading&, const reading&) = default;
};

struct point {
  int x = 0;
  int y = 0;

  friend bool operator==(const point&, const point&) = default;
};

struct everything {
  bool flag = false;
  std::int8_t tiny = 0;
  std::uint64_t huge = 0;
  std::int64_t least = 0;
  float single = 0;
  std::optional<std::string> note;
  std::optional<point> place;
  std::vector<point> path;
  std::vector<std::vector<int>> table;
  std::vector<std::optional<double>> gaps;

  friend bool operator==(const everything&, const everything&) = default;
};

template <class T>
struct only {
  T value{};
};

struct nothing {};

constexpr auto telemetry_line =
    R"({"device":"s-00017","region":"eu-west","time":"2026-01-01T00:00:00.123Z","celsius":21.5})";

const reading telemetry_reading{"s-00017", "eu-west", timestamp{1767225600123}, 21.5};

template <class T>
std::string refusal(std::string_view line, const json_options& options = {}) {
  return message_of<parse_error>([&] { (void)parse_json_line<T>(line, options); });
}

template <class T>
std::string value_refusal(std::string_view value) {
  return refusal<only<T>>("{\"value\":" + std::string(value) + "}");
}

template <class T>
T value_of(std::string_view value) {
  return parse_json_line<only<T>>("{\"value\":" + std::string(value) + "}").value;
}

TEST(parse_json_line, reads_the_telemetry_record) {
  EXPECT_EQ(parse_json_line<reading>(telemetry_line), telemetry_reading);
}

TEST(parse_json_line, takes_fields_in_any_order_and_with_spaces) {
  EXPECT_EQ(parse_json_line<reading>("  { \"celsius\" : 21.5 ,\t\"time\":\"2026-01-01T00:00:00.123Z\","
                                     "\"region\":\"eu-west\",\"device\":\"s-00017\" }  \r"),
            telemetry_reading);
}

TEST(parse_json_line, reads_every_kind_of_field) {
  const auto value = parse_json_line<everything>(
      R"({"flag":true,"tiny":-128,"huge":18446744073709551615,"least":-9223372036854775808,"single":0.1,)"
      R"("note":"a\"b\\\u00e9\n\ud83d\ude00","place":{"x":1,"y":-2},"path":[{"x":3,"y":4},{"y":6,"x":5}],)"
      R"("table":[[],[1],[2,3]],"gaps":[1.5,null,2]})");
  const everything expected{.flag = true,
                            .tiny = -128,
                            .huge = 18446744073709551615U,
                            .least = std::numeric_limits<std::int64_t>::min(),
                            .single = 0.1F,
                            .note = "a\"b\\\xc3\xa9\n\xf0\x9f\x98\x80",
                            .place = point{1, -2},
                            .path = {{3, 4}, {5, 6}},
                            .table = {{}, {1}, {2, 3}},
                            .gaps = {1.5, std::nullopt, 2.0}};
  EXPECT_EQ(value, expected);
}

TEST(parse_json_line, leaves_optional_fields_empty_that_lack_or_are_null) {
  struct two {
    std::optional<int> a = 7;
    std::optional<int> b = 7;
  };
  const auto value = parse_json_line<two>(R"({"b":null})");
  EXPECT_EQ(value.a, std::nullopt);
  EXPECT_EQ(value.b, std::nullopt);
}

TEST(parse_json_line, reads_doubles_exactly) {
  std::mt19937_64 random{1};
  for (int i = 0; i < 50'000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    std::string text;
    append_json_number(text, number);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value_of<double>(text)), std::bit_cast<std::uint64_t>(number)) << text;
  }
  EXPECT_EQ(value_of<double>("9007199254740993.00000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(value_of<double>("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(value_of<double>("1E2"), 100.0);
  EXPECT_TRUE(std::signbit(value_of<double>("-0")));
}

TEST(parse_json_line, refuses_numbers_that_do_not_fit) {
  EXPECT_EQ(value_refusal<double>("1e400"), "field 'value': expected a number that a double can hold, found 1e400");
  EXPECT_EQ(value_refusal<float>("1e39"), "field 'value': expected a number that a float can hold, found 1e39");
  EXPECT_EQ(value_refusal<std::uint8_t>("256"), "field 'value': expected an integer from 0 to 255, found 256");
  EXPECT_EQ(value_refusal<std::uint8_t>("-1"), "field 'value': expected an integer from 0 to 255, found -1");
  EXPECT_EQ(value_refusal<int>("1.0"), "field 'value': expected an integer from -2147483648 to 2147483647, found 1.0");
  EXPECT_EQ(value_refusal<int>("1e2"), "field 'value': expected an integer from -2147483648 to 2147483647, found 1e2");
  EXPECT_THAT(value_refusal<std::uint64_t>("18446744073709551616"), HasSubstr("found 18446744073709551616"));
  EXPECT_THAT(value_refusal<std::int64_t>("9223372036854775808"), HasSubstr("found 9223372036854775808"));
  EXPECT_EQ(value_of<std::int64_t>("9223372036854775807"), 9223372036854775807);
}

TEST(parse_json_line, refuses_values_of_another_kind) {
  EXPECT_EQ(value_refusal<double>("\"abc\""), "field 'value': expected a number that a double can hold, found \"abc\"");
  EXPECT_EQ(value_refusal<std::string>("1"), "field 'value': expected a string, found 1");
  EXPECT_EQ(value_refusal<bool>("null"), "field 'value': expected true or false, found null");
  EXPECT_EQ(value_refusal<bool>("[true]"), "field 'value': expected true or false, found a list");
  EXPECT_EQ(value_refusal<std::vector<int>>("{}"), "field 'value': expected a list, found an object");
  EXPECT_EQ(value_refusal<point>("false"), "field 'value': expected an object, found false");
  EXPECT_EQ(value_refusal<timestamp>("\"2026-02-30T00:00:00Z\""),
            "field 'value': expected a UTC time such as 2026-01-01T00:00:00.123Z, found \"2026-02-30T00:00:00Z\"");
  EXPECT_EQ(refusal<point>("[1,2]"), "expected an object, found a list");
  EXPECT_EQ(refusal<point>("3"), "expected an object, found 3");
}

TEST(parse_json_line, refuses_missing_unknown_and_repeated_fields) {
  EXPECT_EQ(refusal<point>(R"({"x":1})"), "field 'y': it is missing");
  EXPECT_EQ(refusal<point>(R"({"x":1,"y":2,"z":3})"), "unknown field 'z'");
  EXPECT_EQ(refusal<point>(R"({"x":1,"x":1,"y":2})"), "field 'x': it comes twice");
  EXPECT_EQ(refusal<point>(R"({"X":1,"y":2})"), "unknown field 'X'");
}

TEST(parse_json_line, skips_unknown_fields_if_allowed_whatever_is_in_them) {
  const json_options options{.unknown_fields = true};
  EXPECT_EQ(parse_json_line<point>(R"({"z":{"x":[9,{"y":8,"y":7}],"x":1e999},"x":1,"w":[[]],"v":"t","u":null,"y":2})",
                                   options),
            (point{1, 2}));
  EXPECT_EQ(refusal<point>(R"({"z":{"y":2},"x":1})", options), "field 'y': it is missing");
}

TEST(parse_json_line, takes_the_last_of_repeated_keys_if_allowed) {
  struct with_list {
    std::vector<int> list;
    std::optional<int> maybe;
  };
  const auto value =
      parse_json_line<with_list>(R"({"list":[1,2],"maybe":1,"list":[3],"maybe":null})", {.duplicate_keys = true});
  EXPECT_EQ(value.list, std::vector<int>{3});
  EXPECT_EQ(value.maybe, std::nullopt);
}

TEST(parse_json_line, says_where_inside_a_nested_value_the_fault_is) {
  EXPECT_EQ(value_refusal<std::vector<point>>(R"([{"x":1,"y":2},{"x":1,"y":"2"}])"),
            "field 'value[1].y': expected an integer from -2147483648 to 2147483647, found \"2\"");
  EXPECT_EQ(value_refusal<std::vector<std::vector<int>>>("[[],[1,null]]"),
            "field 'value[1][1]': expected an integer from -2147483648 to 2147483647, found null");
  EXPECT_EQ(value_refusal<std::optional<point>>(R"({"x":1})"), "field 'value.y': it is missing");
  EXPECT_EQ(value_refusal<std::vector<point>>(R"([{"x":1,"y":2,"z":3}])"), "field 'value[0]': unknown field 'z'");
}

TEST(parse_json_line, refuses_what_is_not_json_with_the_place) {
  EXPECT_THAT(refusal<point>(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal<point>("{\"x\":1,"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal<point>("{\"x\":01}"), HasSubstr("at character 7: {\"x\":01}"));
  EXPECT_THAT(refusal<point>("{\"x\":1,\"y\":2} {"), HasSubstr("more text follows the object at character 15"));
  EXPECT_THAT(refusal<point>("{'x':1}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal<point>("{\"x\":1,\"y\":2,}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal<point>("{\"x\":NaN,\"y\":2}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal<point>("\xef\xbb\xbf{\"x\":1,\"y\":2}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(value_refusal<std::string>("\"\xff\""), HasSubstr("not valid JSON"));
  EXPECT_THAT(value_refusal<std::string>("\"\\ud800\""), HasSubstr("not valid JSON"));
}

TEST(parse_json_line, refuses_too_many_levels) {
  const std::string deep(1000, '[');
  EXPECT_THAT(refusal<point>("{\"z\":" + deep, {.unknown_fields = true}), HasSubstr("not valid JSON"));
}

TEST(parse_json_line, survives_every_cut_and_every_changed_byte) {
  const std::string line = telemetry_line;
  for (std::size_t at = 0; at < line.size(); ++at) {
    EXPECT_NE(refusal<reading>(std::string_view{line}.substr(0, at)), "");
    for (const char byte : {'\0', '"', '\\', '{', '[', '9', '\x80', '\xff'}) {
      auto changed = line;
      changed[at] = byte;
      (void)refusal<reading>(changed);
    }
  }
}

TEST(parse_json_line, cuts_long_values_in_messages) {
  EXPECT_LT(value_refusal<int>('"' + std::string(100'000, 'x') + '"').size(), 200U);
  EXPECT_LT(refusal<point>(std::string(100'000, 'x')).size(), 200U);
}

TEST(read_json_line, says_why_without_an_exception) {
  point value;
  std::string why;
  EXPECT_TRUE(read_json_line(R"({"x":1,"y":2})", value, why));
  EXPECT_EQ(value, (point{1, 2}));
  EXPECT_FALSE(read_json_line(R"({"x":1})", value, why));
  EXPECT_EQ(why, "field 'y': it is missing");
}

TEST(to_json_line, writes_the_telemetry_record) {
  EXPECT_EQ(to_json_line(telemetry_reading), telemetry_line);
}

TEST(to_json_line, writes_every_kind_of_field) {
  const everything value{.flag = true,
                         .tiny = -128,
                         .huge = 18446744073709551615U,
                         .least = std::numeric_limits<std::int64_t>::min(),
                         .single = 0.1F,
                         .note = "a\"b\\\xc3\xa9\n\t\x01",
                         .place = std::nullopt,
                         .path = {{3, 4}, {5, 6}},
                         .table = {{}, {1}},
                         .gaps = {1.0, std::nullopt}};
  const auto* line =
      R"({"flag":true,"tiny":-128,"huge":18446744073709551615,"least":-9223372036854775808,"single":0.1,)"
      "\"note\":\"a\\\"b\\\\\xc3\xa9\\n\\t\\u0001\","
      R"("place":null,"path":[{"x":3,"y":4},{"x":5,"y":6}],"table":[[],[1]],"gaps":[1,null]})";
  EXPECT_EQ(to_json_line(value), line);
  EXPECT_EQ(parse_json_line<everything>(line), value);
  EXPECT_EQ(to_json_line(everything{}),
            R"({"flag":false,"tiny":0,"huge":0,"least":0,"single":0,"note":null,"place":null,)"
            R"("path":[],"table":[],"gaps":[]})");
}

TEST(to_json_line, writes_an_empty_struct) {
  EXPECT_EQ(to_json_line(nothing{}), "{}");
  EXPECT_EQ(refusal<nothing>("{}"), "");
}

TEST(to_json_line, refuses_what_json_cannot_hold_and_names_the_field) {
  const auto refused = [](const auto& value) {
    return message_of<std::invalid_argument>([&] { (void)to_json_line(value); });
  };
  EXPECT_EQ(refused(only<double>{std::nan("")}), "field 'value': JSON cannot hold NaN");
  EXPECT_EQ(refused(only<double>{-INFINITY}), "field 'value': JSON cannot hold infinity");
  EXPECT_EQ(refused(only<std::string>{"a\xff"}),
            "field 'value': JSON cannot hold text that is not valid UTF-8: a\\xff");
  EXPECT_THAT(refused(only<only<timestamp>>{{timestamp::max()}}),
              HasSubstr("field 'value': field 'value': the time 922"));
}

}  // namespace
}  // namespace millrace::json_lines_test
