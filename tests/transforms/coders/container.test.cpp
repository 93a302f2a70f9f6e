#include <millrace/tests/transforms/coders/optionals.hpp>
#include <millrace/tests/transforms/coders/round_trip.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace millrace::container_test {
namespace {

using std::string;
using strings = std::vector<string>;

// A type that contains itself, which needs a coder of its own.
struct tree {
  std::vector<tree> branches;
  friend bool operator==(const tree&, const tree&) = default;
};

}  // namespace
}  // namespace millrace::container_test

template <>
struct millrace::coder<millrace::container_test::tree> {
  using tree = container_test::tree;

  static void encode(writer& out, const tree& value) { coder<std::vector<tree>>::encode(out, value.branches); }
  static tree decode(reader& in) { return {coder<std::vector<tree>>::decode(in)}; }
  static constexpr bool deterministic = true;
  static std::string name() { return "tree"; }
};

namespace millrace::container_test {
namespace {

TEST(text_coder, writes_the_length_and_the_characters) {
  expect_round_trip(string{});
  expect_round_trip(string("with\0zero", 9));
  expect_round_trip(string(300, 'x'));
  expect_round_trip(std::vector<std::byte>{std::byte{0}, std::byte{255}});
  expect_round_trip(std::vector<std::byte>{});
  EXPECT_EQ(encode_whole(string{"ab"}), bytes_of({2, 'a', 'b'}));
  EXPECT_EQ(encode_whole(std::vector<std::byte>{std::byte{9}}), bytes_of({1, 9}));
}

TEST(container_coder, keeps_products) {
  expect_round_trip(kv<string, std::uint64_t>{"word", 3});
  expect_round_trip(std::pair<string, bool>{"x", true});
  expect_round_trip(std::tuple<int, string, double>{1, "two", 3.0});
  expect_round_trip(std::tuple<>{});
  expect_round_trip(std::array<string, 2>{"a", "b"});
  expect_round_trip(std::array<int, 3>{1, 2, 3});
  expect_round_trip(std::array<int, 0>{});
  expect_round_trip(std::array<bool, 2>{true, false});
  EXPECT_EQ(encode_whole(kv<string, std::uint16_t>{"a", 2}), bytes_of({1, 'a', 2, 0}));
}

TEST(container_coder, keeps_choices) {
  expect_round_trip(std::optional<string>{});
  expect_round_trip(std::optional<string>{"x"});
  expect_round_trip(std::optional<std::optional<int>>{std::optional<int>{}});
  using choice = std::variant<std::monostate, int, string, int>;
  expect_round_trip(choice{});
  expect_round_trip(choice{std::in_place_index<1>, 5});
  expect_round_trip(choice{std::in_place_index<3>, 5});
  expect_round_trip(choice{"text"});
  EXPECT_EQ(encode_whole(choice{"t"}), bytes_of({2, 1, 't'}));
  EXPECT_TRUE(refuses<choice>(bytes_of({4, 0, 0, 0, 0})));
  EXPECT_TRUE(refuses<std::optional<bool>>(bytes_of({2, 1})));
}

TEST(container_coder, keeps_containers) {
  expect_round_trip(std::vector<int>{1, 2, 3});
  expect_round_trip(std::vector<int>{});
  expect_round_trip(std::vector<bool>{true, false, true});
  expect_round_trip(strings{"a", "", "ccc"});
  expect_round_trip(std::deque<string>{"a", "b"});
  expect_round_trip(std::list<double>{1.5, 2.5});
  expect_round_trip(std::set<string>{"b", "a"});
  expect_round_trip(std::set<int, std::greater<>>{1, 2});
  expect_round_trip(std::multiset<int>{1, 1, 2});
  expect_round_trip(std::map<string, strings>{{"x", {"y", "z"}}, {"", {}}});
  expect_round_trip(std::multimap<int, string>{{1, "b"}, {1, "a"}});
  expect_round_trip(std::unordered_set<string>{"a", "b"});
  expect_round_trip(std::unordered_map<int, string>{{1, "a"}, {2, "b"}});
  EXPECT_EQ(encode_whole(std::set<std::uint8_t>{3, 1}), bytes_of({2, 1, 3}));
}

TEST(container_coder, refuses_a_key_twice) {
  EXPECT_TRUE(refuses<std::set<std::uint8_t>>(bytes_of({2, 1, 1})));
  EXPECT_TRUE((refuses<std::map<std::uint8_t, bool>>(bytes_of({2, 1, 0, 1, 1}))));
  EXPECT_TRUE((refuses<std::unordered_map<std::uint8_t, bool>>(bytes_of({2, 1, 0, 1, 1}))));
}

TEST(container_coder, refuses_counts_beyond_the_bytes_before_it_allocates) {
  const string huge = bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}) + "0123456789";
  EXPECT_TRUE(refuses<string>(huge));
  EXPECT_TRUE(refuses<std::vector<std::byte>>(huge));
  EXPECT_TRUE(refuses<std::vector<std::int64_t>>(huge));
  EXPECT_TRUE(refuses<strings>(huge));
  EXPECT_TRUE((refuses<std::vector<std::vector<kv<string, int>>>>(huge)));
  EXPECT_TRUE(refuses<std::unordered_set<string>>(huge));
  EXPECT_TRUE((refuses<std::map<string, string>>(huge)));
  EXPECT_TRUE(refuses<std::vector<std::monostate>>(huge));
  // 2^61 numbers of eight bytes, whose size in bytes is zero in 64 bits
  EXPECT_TRUE(refuses<std::vector<std::int64_t>>(bytes_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20})));
  // Two numbers of eight bytes do not fit into nine bytes.
  EXPECT_TRUE(refuses<std::vector<std::int64_t>>(bytes_of({2, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST(container_coder, refuses_containers_too_deep_inside_each_other) {
  expect_round_trip(tree{{tree{}, tree{{tree{}}}}});
  EXPECT_FALSE(refuses<tree>(string(reader::depth_max - 1, 1) + '\0'));
  EXPECT_TRUE(refuses<tree>(string(reader::depth_max, 1) + '\0'));
  EXPECT_TRUE(refuses<tree>(string(1'000'000, 1) + '\0'));
}

using nested = std::map<string, std::vector<std::tuple<std::optional<string>, std::pair<int, bool>, std::set<int>>>>;

RC_GTEST_PROP(container_coder, keeps_any_nested_value, (const nested& value)) {
  RC_ASSERT(decode_whole<nested>(encode_whole(value)) == value);
}

RC_GTEST_PROP(container_coder, survives_any_damage, (const nested& value, std::size_t where, char to)) {
  string bytes = encode_whole(value);
  bytes[where % bytes.size()] = to;
  static_cast<void>(refuses<nested>(bytes));  // any exception but decode_error fails the property
}

RC_GTEST_PROP(container_coder, survives_any_bytes, (const string& bytes)) {
  static_cast<void>(refuses<nested>(bytes));
  static_cast<void>(refuses<std::variant<int, nested, strings>>(bytes));
  static_cast<void>(refuses<std::vector<kv<string, window>>>(bytes));
}

RC_GTEST_PROP(container_coder, gives_equal_ordered_maps_equal_bytes,
              (const std::vector<std::pair<int, int>>& entries)) {
  const std::map<int, int> forwards(entries.begin(), entries.end());
  std::map<int, int> backwards;
  for (auto entry = forwards.rbegin(); entry != forwards.rend(); ++entry) backwards.insert(*entry);
  RC_ASSERT(encode_whole(forwards) == encode_whole(backwards));
}

TEST(container_coder, has_names_made_of_its_parts) {
  EXPECT_EQ((coder<kv<string, std::uint64_t>>::name()), "kv<string,uint64>");
  EXPECT_EQ((coder<std::map<string, strings>>::name()), "map<string,vector<string>>");
  EXPECT_EQ((coder<std::tuple<>>::name()), "tuple<>");
  EXPECT_EQ((coder<std::array<double, 4>>::name()), "array<double,4>");
  EXPECT_EQ((coder<std::variant<std::monostate, std::vector<std::byte>>>::name()), "variant<monostate,bytes>");
  EXPECT_EQ((coder<std::unordered_map<int, std::optional<bool>>>::name()), "unordered_map<int32,optional<bool>>");
}

}  // namespace
}  // namespace millrace::container_test
