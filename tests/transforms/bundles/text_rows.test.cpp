#include <millrace/transforms/bundles/text_rows.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::text_rows_test {
namespace {

std::vector<std::string> rows_of(const column& c) {
  std::vector<std::string> rows;
  for (std::uint32_t i = 0; i < c.rows(); ++i) rows.emplace_back(c.bytes_at(i));
  return rows;
}
void expect_kept(const std::vector<std::string_view>& texts) {
  column c;
  c.reset(column::variable);
  append_texts(c, texts);
  EXPECT_EQ(rows_of(c), std::vector<std::string>(texts.begin(), texts.end()));
}

TEST(text_rows, keeps_the_words_of_a_line) {
  const std::string line = "a bb ccc sixteen_of_them_ and_seventeen_bytes the-end";
  std::vector<std::string_view> words;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = line.find(' ', from);
    words.push_back(std::string_view(line).substr(from, to - from));
  }
  expect_kept(words);
}

TEST(text_rows, keeps_texts_of_several_owners_in_any_order) {
  const std::string one = "one";
  const std::string other = "another one, and longer";
  expect_kept({one, std::string_view(other).substr(8), other, {}, std::string_view(other).substr(3, 2), one, one});
}

// Under the address sanitizer a byte too many is an error: a text may end where its memory does.
TEST(text_rows, reads_no_byte_behind_the_last_of_neighbours) {
  for (std::size_t size = 1; size < 40; ++size) {
    const auto bytes = std::make_unique<char[]>(size);
    std::fill_n(bytes.get(), size, 'x');
    for (std::size_t first = 0; first < size; ++first)
      expect_kept({{bytes.get(), first}, {bytes.get() + first, size - first}, {bytes.get() + size, 0}});
  }
}

RC_GTEST_PROP(text_rows, keeps_any_parts_of_a_text, (const std::string& text)) {
  const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, text.size() + 1));
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    parts.push_back(std::string_view(text).substr(std::min(cuts[i], cuts[i + 1]),
                                                  std::max(cuts[i], cuts[i + 1]) - std::min(cuts[i], cuts[i + 1])));
  column c;
  c.reset(column::variable);
  append_texts(c, parts);
  RC_ASSERT(rows_of(c) == std::vector<std::string>(parts.begin(), parts.end()));
}

TEST(column, may_read_what_the_memory_of_any_string_has) {
  EXPECT_GE(std::string().capacity() + 1, string_readable);
}

TEST(column, copies_a_short_row_whole_where_more_can_be_read) {
  column c;
  c.reset(column::variable);
  const std::string text = "0123456789abcdef and more";
  std::vector<std::string> rows;
  for (std::size_t n = 0; n <= 17; ++n) {
    rows.push_back(text.substr(0, n));
    c.append_bytes(std::string_view(text).substr(0, n), text.size());
  }
  EXPECT_EQ(rows_of(c), rows);
}

}  // namespace
}  // namespace millrace::text_rows_test
