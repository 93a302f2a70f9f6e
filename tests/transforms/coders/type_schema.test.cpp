#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/coders/type_schema.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace millrace::type_schema_test {
namespace {

enum class color : std::uint8_t { red, green };
enum class shade : std::uint8_t { dark };
enum class wide : std::uint16_t { yes };
struct point {
  std::int32_t x = 0;
  std::int32_t y = 0;
};
struct place {
  std::int32_t x = 0;
  std::int32_t y = 0;
};
struct point_with_name {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::optional<std::string> name;
};
struct point_with_height {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
};
template <class Point>
struct path {
  std::vector<Point> points;
  std::map<std::string, Point> named;
};

template <class Now, class Old>
bool read_by() {
  return reads(schema_of<Now>(), schema_of<Old>());
}
template <class Old, class Now>
bool same() {
  return same_bytes(schema_of<Old>(), schema_of<Now>());
}

TEST(type_schema, lists_what_a_type_is_made_of) {
  EXPECT_EQ(to_text(schema_of<std::int64_t>()), "int64");
  EXPECT_EQ(to_text(schema_of<kv<std::string, std::vector<double>>>()), "kv<string,vector<double>>");
  EXPECT_EQ(to_text(schema_of<std::optional<std::uint8_t>>()), "optional<uint8>");
  EXPECT_TRUE(to_text(schema_of<point_with_name>()).ends_with("point_with_name{int32,int32,optional<string>}"));
  EXPECT_TRUE(to_text(schema_of<color>()).ends_with("color<uint8>"));
  EXPECT_EQ(to_text(schema_of<std::array<std::int16_t, 3>>()), "array3<int16>");
}

TEST(type_schema, bytes_are_the_same_whatever_a_struct_or_enum_is_called) {
  EXPECT_TRUE((same<point, place>()));
  EXPECT_TRUE((same<color, shade>()));
  EXPECT_FALSE((same<color, wide>()));
  EXPECT_FALSE((same<color, std::uint8_t>())) << "a number may be any value";
  EXPECT_FALSE((same<point, point_with_name>()));
  EXPECT_FALSE((same<std::int32_t, std::int64_t>()));
  EXPECT_FALSE((same<std::tuple<std::int32_t, std::int32_t>, point>()));
  EXPECT_FALSE((same<std::array<std::int16_t, 3>, std::array<std::int16_t, 4>>()));
}

TEST(type_schema, fields_may_be_appended_that_are_optional) {
  EXPECT_TRUE((read_by<point_with_name, point>()));
  EXPECT_FALSE((read_by<point, point_with_name>())) << "a field would be lost";
  EXPECT_FALSE((read_by<point_with_height, point>())) << "nobody gave it a value";
  EXPECT_TRUE((read_by<path<point_with_name>, path<point>>())) << "at any depth";
  EXPECT_FALSE((read_by<path<point>, path<point_with_name>>()));
  EXPECT_FALSE((read_by<std::string, std::int64_t>()));
  EXPECT_FALSE((read_by<std::vector<std::int64_t>, std::vector<std::int32_t>>()));
}

TEST(type_schema, alternatives_may_be_appended) {
  using few = std::variant<std::int64_t, std::string>;
  using more = std::variant<std::int64_t, std::string, point>;
  using other = std::variant<std::string, std::int64_t>;
  EXPECT_TRUE((read_by<more, few>()));
  EXPECT_FALSE((read_by<few, more>()));
  EXPECT_FALSE((read_by<other, few>()));
}

// What reads() promises.
TEST(type_schema, what_reads_another_type_reads_its_bytes) {
  const path<point> old{{{1, 2}, {3, 4}}, {{"a", {5, 6}}}};
  const auto now = decode_whole<path<point_with_name>>(encode_whole(old));
  ASSERT_EQ(now.points.size(), 2U);
  EXPECT_EQ(now.points[1].y, 4);
  EXPECT_EQ(now.points[1].name, std::nullopt);
  EXPECT_EQ(now.named.at("a").x, 5);
}

TEST(type_schema, is_read_as_it_was_written) {
  const type_schema all[] = {schema_of<path<point_with_name>>(), schema_of<color>(),
                             schema_of<std::variant<std::int64_t, std::string>>()};
  for (const type_schema& one : all) EXPECT_EQ(decode_whole<type_schema>(encode_whole(one)), one) << to_text(one);
}

// A schema from outside is bounded before it is believed.
TEST(type_schema, a_damaged_one_is_refused) {
  const std::string whole = encode_whole(schema_of<path<point_with_name>>());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(decode_whole<type_schema>(whole.substr(0, size)), decode_error) << size;
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += std::string("\0\1\1", 3);
  EXPECT_THROW(decode_whole<type_schema>(deep), decode_error);
}

}  // namespace
}  // namespace millrace::type_schema_test
