#include <millrace/tests/transforms/coders/round_trip.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace shop {

struct point {
  std::int16_t x = 0;
  std::int16_t y = 0;
  friend bool operator==(const point&, const point&) = default;
};

enum class state : std::uint8_t { open, paid };

struct order {
  std::int64_t id = 0;
  std::string customer;
  std::optional<double> price;
  point place;
  std::array<std::int32_t, 3> sizes{};
  std::vector<point> path;
  std::map<std::string, std::variant<int, std::string>> notes;
  millrace::kv<std::string, state> last;
  std::chrono::milliseconds age{};
  friend bool operator==(const order&, const order&) = default;
};

// One struct as it was, and as it became.
struct account_before {
  std::int32_t id = 0;
  std::string name;
  friend bool operator==(const account_before&, const account_before&) = default;
};
struct account_after {
  std::int32_t id = 0;
  std::string name;
  double limit = 1.5;
  std::vector<std::string> tags;
  friend bool operator==(const account_after&, const account_after&) = default;
};

struct nothing {
  friend bool operator==(const nothing&, const nothing&) = default;
};
struct wraps_point {
  point inner;
  friend bool operator==(const wraps_point&, const wraps_point&) = default;
};
struct wraps_optional {
  std::optional<std::string> inner;
  friend bool operator==(const wraps_optional&, const wraps_optional&) = default;
};
struct many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w;
  std::string x;
  friend bool operator==(const many&, const many&) = default;
};
struct too_many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct built_in_array {
  int a[3];
  int b;
};
struct inherits : point {
  int z;
};
struct inherits_one : wraps_optional {};
struct has_pointer {
  int* where;
};
struct has_unique {
  std::unique_ptr<int> where;
};
struct has_view {
  std::string_view text;
};
struct has_reference {
  const int& where;
};
struct has_function {
  std::function<void()> call;
};
struct has_atomic {
  std::atomic<int> count;
};
struct has_constant {
  const int count = 1;
};
struct has_float {
  std::vector<point> path;
  float weight;
};
struct has_unordered {
  std::unordered_map<int, int> counts;
};
struct hides {
  explicit hides(int number) : number_(number) {}
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace shop

namespace millrace::aggregate_test {
namespace {

using namespace shop;

static_assert(field_count<nothing> == 0);
static_assert(field_count<wraps_point> == 1);
static_assert(field_count<wraps_optional> == 1);
static_assert(field_count<point> == 2);
static_assert(field_count<order> == 9);
static_assert(field_count<many> == 24);
static_assert(std::same_as<field_types<account_before>, std::tuple<std::int32_t, std::string>>);

static_assert(codable<order> && codable<many> && codable<std::map<point, std::vector<order>>>);
static_assert(!codable<too_many> && !codable<built_in_array> && !codable<inherits> && !codable<inherits_one>);
static_assert(!codable<has_pointer> && !codable<has_unique> && !codable<has_view> && !codable<has_reference>);
static_assert(!codable<has_function> && !codable<has_atomic> && !codable<has_constant> && !codable<hides>);
static_assert(!codable<int*> && !codable<std::string_view> && !codable<void> && !codable<int&> && !codable<const int>);
static_assert(!codable<long double> && !codable<std::vector<hides>> && !codable<kv<int, hides>>);

static_assert(deterministic_key<point> && deterministic_key<account_before> && deterministic_key<nothing>);
static_assert(deterministic_key<std::map<std::string, std::set<point>>> && deterministic_key<std::vector<state>>);
static_assert(deterministic_key<std::chrono::milliseconds> && deterministic_key<std::optional<kv<bool, window>>>);
static_assert(!deterministic_key<order> && !deterministic_key<account_after> && !deterministic_key<has_float>);
static_assert(!deterministic_key<has_unordered> && !deterministic_key<std::unordered_map<int, int>>);
static_assert(!deterministic_key<std::chrono::duration<double>> && !deterministic_key<std::map<int, float>>);
static_assert(!deterministic_key<std::variant<int, std::vector<kv<int, double>>>> && !deterministic_key<hides>);

order some_order() {
  return {.id = 3,
          .customer = "Ann",
          .price = 2.5,
          .place = {1, -2},
          .sizes = {7, 8, 9},
          .path = {{1, 2}, {3, 4}},
          .notes = {{"a", 1}, {"b", "text"}},
          .last = {"key", state::paid},
          .age = std::chrono::milliseconds{17}};
}

TEST(aggregate_coder, keeps_structs_of_all_shapes) {
  expect_round_trip(order{});
  expect_round_trip(some_order());
  expect_round_trip(nothing{});
  expect_round_trip(wraps_point{{1, 2}});
  expect_round_trip(wraps_optional{"x"});
  expect_round_trip(wraps_optional{});
  expect_round_trip(many{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, "x"});
  expect_round_trip(std::vector<order>{some_order(), order{}, some_order()});
}

TEST(aggregate_coder, writes_length_count_and_fields) {
  EXPECT_EQ(encode_whole(point{1, -1}), bytes_of({5, 2, 1, 0, 0xff, 0xff}));
  EXPECT_EQ(encode_whole(account_before{3, "ab"}), bytes_of({8, 2, 3, 0, 0, 0, 2, 'a', 'b'}));
  EXPECT_EQ(encode_whole(nothing{}), bytes_of({1, 0}));
}

TEST(aggregate_coder, leaves_appended_fields_at_their_defaults_when_it_reads_older_bytes) {
  const auto read = decode_whole<account_after>(encode_whole(account_before{3, "ab"}));
  EXPECT_EQ(read, (account_after{3, "ab", 1.5, {}}));
}

TEST(aggregate_coder, skips_fields_that_it_does_not_know) {
  const auto read = decode_whole<account_before>(encode_whole(account_after{3, "ab", 9.0, {"x", "y"}}));
  EXPECT_EQ(read, (account_before{3, "ab"}));
}

TEST(aggregate_coder, evolves_inside_of_containers_too) {
  const std::map<int, std::vector<account_before>> before{{1, {{3, "ab"}, {4, "c"}}}, {2, {{5, ""}}}};
  const std::map<int, std::vector<account_after>> after{{1, {{3, "ab", 1.5, {}}, {4, "c", 1.5, {}}}},
                                                        {2, {{5, "", 1.5, {}}}}};
  EXPECT_EQ((decode_whole<std::map<int, std::vector<account_after>>>(encode_whole(before))), after);
  EXPECT_EQ((decode_whole<std::map<int, std::vector<account_before>>>(encode_whole(after))), before);
}

TEST(aggregate_coder, refuses_a_length_that_its_fields_do_not_fill) {
  EXPECT_TRUE(refuses<point>(bytes_of({6, 2, 1, 0, 2, 0, 9})));   // two known fields and a byte
  EXPECT_TRUE(refuses<point>(bytes_of({4, 2, 1, 0, 2, 0})));      // a length that cuts a field
  EXPECT_TRUE(refuses<point>(bytes_of({5, 9, 1, 0, 2, 0})));      // more fields than bytes
  EXPECT_TRUE(refuses<point>(bytes_of({0})));                     // no room for the count
  EXPECT_FALSE(refuses<point>(bytes_of({6, 3, 1, 0, 2, 0, 9})));  // a third, unknown field
}

RC_GTEST_PROP(aggregate_coder, survives_any_damage, (std::size_t where, char to, std::size_t cut)) {
  std::string bytes = encode_whole(some_order());
  bytes[where % bytes.size()] = to;
  static_cast<void>(refuses<order>(bytes));  // any exception but decode_error fails the property
  static_cast<void>(refuses<order>(std::string_view{bytes}.substr(0, cut % bytes.size())));
}

RC_GTEST_PROP(aggregate_coder, keeps_any_account,
              (std::int32_t id, const std::string& name, double limit, const std::vector<std::string>& tags)) {
  const std::vector<account_after> accounts(2, account_after{id, name, limit, tags});
  RC_ASSERT(decode_whole<std::vector<account_after>>(encode_whole(accounts)) == accounts);
}

TEST(aggregate_coder, is_named_like_its_struct) {
  EXPECT_EQ(coder<order>::name(), "shop::order");
  EXPECT_EQ((coder<kv<std::string, std::optional<order>>>::name()), "kv<string,optional<shop::order>>");
}

}  // namespace
}  // namespace millrace::aggregate_test
