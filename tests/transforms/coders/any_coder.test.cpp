#include <millrace/transforms/coders/any_coder.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace millrace::any_coder_test {
namespace {

struct order {
  std::int64_t id = 0;
  std::string name;
  double price = 0;
  friend bool operator==(const order&, const order&) = default;
};

static_assert(sizeof(any_coder) == sizeof(void*));

TEST(any_coder, tells_what_it_knows_of_its_type) {
  const any_coder orders = any_coder::of<order>();
  EXPECT_EQ(orders.name(), "millrace::any_coder_test::(anonymous namespace)::order");
  EXPECT_FALSE(orders.deterministic());
  EXPECT_EQ(orders.size_bytes(), sizeof(order));
  EXPECT_EQ(orders.align_bytes(), alignof(order));
  EXPECT_EQ(orders.column(), column_kind::encoded);
  EXPECT_EQ(orders.type(), typeid(order));
  EXPECT_TRUE(any_coder::of<std::string>().deterministic());
  EXPECT_EQ(any_coder::of<std::string>().column(), column_kind::text);
  EXPECT_EQ(any_coder::of<double>().column(), column_kind::fixed);
  EXPECT_EQ(any_coder::of<bool>().column(), column_kind::fixed);
  EXPECT_EQ(any_coder::of<bool>().key(), column_kind::encoded);
}

TEST(any_coder, equals_only_the_coder_of_its_own_type) {
  const any_coder longs = any_coder::of<long>();
  EXPECT_EQ(longs, any_coder::of<long>());
  EXPECT_NE(longs, any_coder::of<long long>());
  EXPECT_NE(longs, any_coder{});
  EXPECT_EQ(any_coder{}, any_coder{});
  EXPECT_TRUE(longs.codes<long>());
  EXPECT_FALSE(longs.codes<int>());
}

TEST(any_coder, decodes_into_raw_storage) {
  const any_coder coder = any_coder::of<order>();
  const order value{.id = 7, .name = std::string(100, 'x'), .price = 1.5};
  writer out;
  coder.encode(&value, out);
  EXPECT_EQ(out.bytes(), encode_whole(value));

  alignas(order) std::array<std::byte, sizeof(order)> storage;
  reader in{out.bytes()};
  coder.decode(in, storage.data());
  auto* made = std::launder(reinterpret_cast<order*>(storage.data()));
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(*made, value);
  coder.destroy(made);
}

TEST(any_coder, leaves_storage_raw_when_bytes_are_refused) {
  alignas(order) std::array<std::byte, sizeof(order)> storage{};
  reader in{std::string_view{"\x09\x03"}};
  EXPECT_THROW(any_coder::of<order>().decode(in, storage.data()), decode_error);
}

TEST(any_coder, gives_columns_and_keys_as_the_typed_functions_do) {
  const std::pair<std::string, std::uint8_t> key{"a", 2};
  const any_coder coder = any_coder::of<std::pair<std::string, std::uint8_t>>();
  writer scratch;
  EXPECT_EQ(coder.key_bytes(&key, scratch), (std::string{'\1', 'a', '\2'}));

  const std::uint16_t number = 0x0102;
  EXPECT_EQ(any_coder::of<std::uint16_t>().column_bytes(&number, scratch), (std::string{'\2', '\1'}));
  std::uint16_t loaded = 0;
  any_coder::of<std::uint16_t>().load_column(std::string_view{"\2\1"}, &loaded);
  EXPECT_EQ(loaded, number);
  std::uint16_t again = 0;
  any_coder::of<std::uint16_t>().decode_key(std::string_view{"\2\1"}, &again);
  EXPECT_EQ(again, number);
}

TEST(any_coder, gives_no_key_bytes_where_equal_values_may_differ) {
  const double number = 0.0;
  writer scratch;
  EXPECT_THROW(static_cast<void>(any_coder::of<double>().key_bytes(&number, scratch)), broken_invariant);
}

TEST(any_coder, compares_values_by_their_bytes) {
  const any_coder coder = any_coder::of<order>();
  const order one{.id = 1, .name = "a", .price = 2};
  order two = one;
  EXPECT_TRUE(coder.equal(&one, &two));
  two.name = "b";
  EXPECT_FALSE(coder.equal(&one, &two));
  const double zero = 0.0;
  const double minus_zero = -0.0;
  EXPECT_FALSE(any_coder::of<double>().equal(&zero, &minus_zero));
}

TEST(any_coder, refuses_to_work_while_it_is_empty) {
  const any_coder empty;
  EXPECT_FALSE(empty);
  EXPECT_THROW(static_cast<void>(empty.name()), broken_invariant);
}

}  // namespace
}  // namespace millrace::any_coder_test
