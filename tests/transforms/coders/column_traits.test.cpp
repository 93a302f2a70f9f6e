#include <millrace/tests/transforms/coders/optionals.hpp>
#include <millrace/tests/transforms/coders/round_trip.hpp>
#include <millrace/transforms/coders/column_traits.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace shop {

struct pair_of_ids {
  std::int64_t left;
  std::int64_t right;
  friend bool operator==(const pair_of_ids&, const pair_of_ids&) = default;
};
struct padded {
  std::int32_t wide;
  std::int8_t narrow;
  friend bool operator==(const padded&, const padded&) = default;
};
struct reading {
  std::int64_t device;
  double celsius;
  bool valid;
  std::array<float, 3> place;
  friend bool operator==(const reading&, const reading&) = default;
};
struct flagged {
  bool on;
  std::uint8_t level;
  friend bool operator==(const flagged&, const flagged&) = default;
};
struct three_ids {
  std::int64_t a, b, c;
};
struct named {
  std::string name;
  int value;
  friend bool operator==(const named&, const named&) = default;
};
// Its memory would do, but its coder rounds.
struct rounded {
  std::int32_t cents;
};
enum class level : std::uint16_t { low, high };

// An id that says itself that its memory is its key.
class uuid {
 public:
  uuid(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}
  [[nodiscard]] std::uint64_t high() const { return high_; }
  [[nodiscard]] std::uint64_t low() const { return low_; }
  friend bool operator==(const uuid&, const uuid&) = default;

 private:
  std::uint64_t high_;
  std::uint64_t low_;
};

}  // namespace shop

namespace millrace {

template <>
struct coder<shop::rounded> {
  static void encode(writer& out, const shop::rounded& value) { out.fixed(value.cents / 100); }
  static shop::rounded decode(reader& in) { return {in.fixed<std::int32_t>() * 100}; }
  static constexpr bool deterministic = true;
  static std::string name() { return "rounded"; }
};

template <>
struct coder<shop::uuid> {
  static void encode(writer& out, const shop::uuid& value) {
    out.fixed(value.high());
    out.fixed(value.low());
  }
  static shop::uuid decode(reader& in) {
    const auto high = in.fixed<std::uint64_t>();
    return {high, in.fixed<std::uint64_t>()};
  }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::key;
  static std::string name() { return "uuid"; }
};

}  // namespace millrace

namespace millrace::column_traits_test {
namespace {

using namespace shop;

static_assert(fixed_width_key<std::int8_t> && fixed_width_key<std::uint64_t> && fixed_width_key<char>);
static_assert(fixed_width_key<level> && fixed_width_key<timestamp> && fixed_width_key<window>);
static_assert(fixed_width_key<std::chrono::milliseconds> && fixed_width_key<std::chrono::sys_days>);
static_assert(fixed_width_key<pair_of_ids> && fixed_width_key<kv<level, std::int16_t>> && fixed_width_key<uuid>);
static_assert(fixed_width_key<std::array<std::uint32_t, 4>>);
static_assert(!fixed_width_key<bool> && !fixed_width_key<double> && !fixed_width_key<padded>);
static_assert(!fixed_width_key<flagged>, "any byte is a key, but not any byte is a bool");
static_assert(!fixed_width_key<three_ids>, "longer than a key that is kept as memory");
static_assert(!fixed_width_key<std::string> && !fixed_width_key<rounded> && !fixed_width_key<pane_info>);
static_assert(!fixed_width_key<std::optional<int>> && !fixed_width_key<kv<int, level>>);

static_assert(column_traits<reading>::kind == column_kind::fixed && column_traits<reading>::width == sizeof(reading));
static_assert(column_traits<bool>::kind == column_kind::fixed && column_traits<double>::kind == column_kind::fixed);
static_assert(column_traits<padded>::kind == column_kind::fixed
              && column_traits<pane_info>::kind == column_kind::fixed);
static_assert(column_traits<std::optional<int>>::kind == column_kind::fixed);
static_assert(column_traits<std::string>::kind == column_kind::text && column_traits<std::string>::width == 0);
static_assert(column_traits<named>::kind == column_kind::encoded);
static_assert(column_traits<rounded>::kind == column_kind::encoded, "its coder does not vouch for its memory");
static_assert(column_traits<std::vector<int>>::kind == column_kind::encoded);
static_assert(std::same_as<column_traits<int>::view, const int&>);
static_assert(std::same_as<column_traits<std::string>::view, std::string_view>);
static_assert(std::same_as<column_traits<named>::view, named>);

template <class T>
void expect_column_keeps(const T& value) {
  writer scratch;
  EXPECT_EQ(column_traits<T>::load(column_traits<T>::bytes(value, scratch)), value);
}

TEST(column_traits, keep_values_of_each_kind) {
  expect_column_keeps(reading{1, 2.5, true, {1, 2, 3}});
  expect_column_keeps(padded{1, 2});
  expect_column_keeps(std::optional<int>{7});
  expect_column_keeps(std::string{"text"});
  expect_column_keeps(named{"x", 1});
}

TEST(column_traits, store_no_more_than_the_characters_of_text) {
  writer scratch;
  const std::string text = "text";
  EXPECT_EQ(column_traits<std::string>::bytes(text, scratch).data(), text.data());
  EXPECT_TRUE(scratch.empty());
}

template <class T>
std::string key_of(const T& key) {
  writer scratch;
  scratch.put(std::string_view{"left from the last key"});
  return std::string{key_bytes(key, scratch)};
}

TEST(key_bytes, are_the_memory_of_a_fixed_key) {
  EXPECT_EQ(key_of(std::uint32_t{0x0102}), bytes_of({2, 1, 0, 0}));
  EXPECT_EQ(key_of(pair_of_ids{1, 2}), bytes_of({1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(key_of(level::high), bytes_of({1, 0}));
}

TEST(key_bytes, are_the_characters_of_text) {
  EXPECT_EQ(key_of(std::string{"word"}), "word");
  EXPECT_EQ(key_of(std::string{}), "");
}

TEST(key_bytes, are_the_encoding_of_other_keys) {
  EXPECT_EQ(key_of(true), bytes_of({1}));
  EXPECT_EQ(key_of(kv<std::string, std::uint8_t>{"a", 2}), bytes_of({1, 'a', 2}));
  EXPECT_EQ(key_of(flagged{true, 3}), bytes_of({3, 2, 1, 3}));
  EXPECT_EQ(key_of(rounded{199}), key_of(rounded{101}));
}

TEST(key_bytes, do_not_show_what_is_in_the_padding) {
  padded one{};
  padded two{};
  std::memset(static_cast<void*>(&one), 0xaa, sizeof one);
  std::memset(static_cast<void*>(&two), 0x55, sizeof two);
  one.wide = two.wide = 1;
  one.narrow = two.narrow = 2;
  EXPECT_EQ(key_of(one), key_of(two));
}

TEST(decode_key, gives_the_key_back) {
  const auto keeps = [](const auto& key) { return decode_key<std::decay_t<decltype(key)>>(key_of(key)) == key; };
  EXPECT_TRUE(keeps(std::int64_t{-1}));
  EXPECT_TRUE(keeps(window{timestamp{0}, timestamp{60'000}}));
  EXPECT_TRUE(keeps(uuid{1, 2}));
  EXPECT_TRUE(keeps(std::string{"word"}));
  EXPECT_TRUE(keeps(padded{1, 2}));
  EXPECT_TRUE(keeps(std::map<std::string, int>{{"a", 1}}));
}

TEST(decode_key, refuses_other_bytes) {
  EXPECT_THROW(static_cast<void>(decode_key<std::uint32_t>("abc")), decode_error);
  EXPECT_THROW(static_cast<void>(decode_key<std::uint32_t>("abcde")), decode_error);
  EXPECT_THROW(static_cast<void>(decode_key<bool>("\x02")), decode_error);
  EXPECT_THROW(static_cast<void>(decode_key<padded>("")), decode_error);
}

using compound = std::tuple<std::string, std::vector<std::string>, std::optional<int>>;

RC_GTEST_PROP(key_bytes, are_equal_exactly_for_equal_keys, (const compound& a, const compound& b)) {
  RC_ASSERT((key_of(a) == key_of(b)) == (a == b));
  RC_ASSERT(key_of(a) == key_of(compound{a}));
}

}  // namespace
}  // namespace millrace::column_traits_test
