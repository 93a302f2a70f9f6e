#include <millrace/transforms/bundles/column.hpp>
#include <millrace/transforms/coders/coder.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::column_test {
namespace {

TEST(column, gives_strings_of_every_length_back) {
  column c;
  c.reset(column::variable);
  std::vector<std::string> rows;
  for (std::size_t n = 0; n < 70; ++n) {
    rows.emplace_back();
    for (std::size_t i = 0; i < n; ++i) rows.back() += static_cast<char>('A' + (i * 7 + n) % 50);
    c.append_bytes(rows.back());
  }
  ASSERT_EQ(c.rows(), rows.size());
  for (std::uint32_t i = 0; i < c.rows(); ++i) {
    EXPECT_EQ(c.bytes_at(i), rows[i]);
    EXPECT_EQ(c.strings()[i], rows[i]);
  }
}

TEST(column, begins_anew_after_a_reset_with_either_kind_of_rows) {
  column c;
  c.reset(column::variable);
  c.append_bytes("a long row that stays in the memory of the column");
  c.reset(sizeof(std::uint16_t));
  const std::uint16_t number = 513;
  std::memcpy(c.grow(1), &number, sizeof number);
  EXPECT_EQ(value_at<std::uint16_t>(c, 0), 513);
  EXPECT_EQ(c.bytes_at(0).size(), 2U);
  c.reset(column::variable);
  EXPECT_EQ(c.rows(), 0U);
  c.append_bytes("b");
  EXPECT_EQ(c.bytes_at(0), "b");
}

TEST(column, needs_room_for_no_string_at_all) {
  column c;
  c.reset(column::variable);
  c.append_bytes({});
  EXPECT_EQ(c.bytes_at(0), "");
}

RC_GTEST_PROP(column, is_the_same_after_a_wire, (const std::vector<std::string>& rows)) {
  column c;
  c.reset(column::variable);
  for (const auto& r : rows) c.append_bytes(r);
  writer bytes;
  c.encode(bytes);
  reader from(bytes.bytes());
  column other;
  other.decode(from);
  from.expect_end();
  RC_ASSERT(other.rows() == rows.size());
  for (std::uint32_t i = 0; i < other.rows(); ++i) RC_ASSERT(other.bytes_at(i) == rows[i]);
}

TEST(column, refuses_bytes_that_are_cut_short_anywhere) {
  column c;
  c.reset(column::variable);
  for (const char* row : {"one", "", "a row of more than sixteen bytes"}) c.append_bytes(row);
  writer bytes;
  c.encode(bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    column other;
    reader from(bytes.bytes().substr(0, size));
    EXPECT_THROW(other.decode(from), decode_error) << size;
  }
}

}  // namespace
}  // namespace millrace::column_test
