#include <millrace/io/line_splitter.hpp>
#include <millrace/transforms/element/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace millrace::line_splitter_test {
namespace {

using ::testing::ElementsAre;

// A line that owns its text.
struct owned_line {
  std::string text;
  std::uint64_t offset = 0;
  line_fault fault = line_fault::none;

  friend bool operator==(const owned_line&, const owned_line&) = default;
  friend void PrintTo(const owned_line& line, std::ostream* out) {
    *out << '"' << line.text << "\"@" << line.offset << '/' << static_cast<int>(line.fault);
  }
};

std::vector<owned_line> split(std::string_view text, std::size_t block_bytes, line_limits limits = {},
                              const std::string& delimiter = {}) {
  line_splitter splitter(limits, 0, delimiter);
  std::vector<owned_line> lines;
  text_line line;
  const auto take = [&] {
    while (splitter.next(line)) lines.push_back({std::string(line.text), line.offset, line.fault});
  };
  for (std::size_t at = 0; at < text.size(); at += block_bytes) {
    const std::string block(text.substr(at, block_bytes));  // its own memory, so that stale views show up
    splitter.feed(block);
    take();
    splitter.feed({});
  }
  splitter.finish();
  take();
  EXPECT_EQ(splitter.position(), text.size());
  return lines;
}

// The rules once more, a byte at a time.
std::vector<owned_line> reference(std::string_view text, std::size_t limit) {
  std::vector<owned_line> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = start;
    while (end < text.size() && text[end] != '\n') ++end;
    auto content = std::string(text.substr(start, end - start));
    if (end < text.size() && !content.empty() && content.back() == '\r') content.pop_back();
    const bool too_long = content.size() > limit;
    if (too_long) content.resize(limit);
    lines.push_back({content, start, too_long ? line_fault::too_long : line_fault::none});
    start = end + 1;
  }
  return lines;
}

TEST(line_splitter, ends_lines_at_newlines_with_or_without_a_return) {
  EXPECT_THAT(split("a\nb\r\n\n\r\nc", 100), ElementsAre(owned_line{"a", 0}, owned_line{"b", 2}, owned_line{"", 5},
                                                         owned_line{"", 6}, owned_line{"c", 8}));
}

TEST(line_splitter, gives_no_line_for_an_empty_text_and_none_after_the_last_newline) {
  EXPECT_THAT(split("", 10), ElementsAre());
  EXPECT_THAT(split("\n", 10), ElementsAre(owned_line{"", 0}));
}

TEST(line_splitter, keeps_a_return_that_is_not_before_a_newline) {
  EXPECT_THAT(split("a\rb\r\r\nc\r", 100), ElementsAre(owned_line{"a\rb\r", 0}, owned_line{"c\r", 6}));
}

TEST(line_splitter, drops_a_return_whose_newline_is_in_the_next_block) {
  EXPECT_THAT(split("ab\r\ncd", 3), ElementsAre(owned_line{"ab", 0}, owned_line{"cd", 4}));
}

TEST(line_splitter, splits_a_random_text_equally_whatever_the_blocks) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 60, ' ');
    for (auto& c : text) c = "\n\n\r\rabcdefgh"[random() % 12];
    const auto limit = random() % 12;
    const auto expected = reference(text, limit);
    for (std::size_t block_bytes = 1; block_bytes <= text.size() + 1; ++block_bytes) {
      ASSERT_EQ(split(text, block_bytes, {.line_bytes_max = limit}), expected) << "blocks of " << block_bytes;
    }
  }
}

TEST(line_splitter, reports_a_line_over_the_limit_with_its_beginning_and_goes_on) {
  for (const std::size_t block_bytes : {1U, 2U, 5U, 100U}) {
    EXPECT_THAT(split("1234\n12345\n123456\r\n12", block_bytes, {.line_bytes_max = 4}),
                ElementsAre(owned_line{"1234", 0}, owned_line{"1234", 5, line_fault::too_long},
                            owned_line{"1234", 11, line_fault::too_long}, owned_line{"12", 19}));
  }
}

TEST(line_splitter, does_not_count_the_line_end_towards_the_limit) {
  for (const std::size_t block_bytes : {1U, 2U, 5U, 100U}) {
    EXPECT_THAT(split("1234\r\n1234", block_bytes, {.line_bytes_max = 4}),
                ElementsAre(owned_line{"1234", 0}, owned_line{"1234", 6}));
  }
}

TEST(line_splitter, accepts_any_length_without_a_limit) {
  const auto limit = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(split("123456789", 2, {.line_bytes_max = limit}), ElementsAre(owned_line{"123456789", 0}));
}

TEST(line_splitter, reports_invalid_utf8_only_when_asked) {
  const std::string_view text = "ok\n\xc3\xa9t\xc3\xa9\nx\xff\nlast";
  for (const std::size_t block_bytes : {1U, 2U, 5U, 100U}) {
    EXPECT_THAT(split(text, block_bytes, {.validate_utf8 = true}),
                ElementsAre(owned_line{"ok", 0}, owned_line{"\xc3\xa9t\xc3\xa9", 3},
                            owned_line{"x\xff", 9, line_fault::invalid_utf8}, owned_line{"last", 12}));
    EXPECT_EQ(split(text, block_bytes)[2].fault, line_fault::none);
  }
}

TEST(line_splitter, counts_offsets_from_where_the_stream_starts) {
  line_splitter splitter({}, 1000);
  splitter.feed("a\nb\n");
  text_line line;
  ASSERT_TRUE(splitter.next(line));
  EXPECT_EQ(line.offset, 1000U);
  EXPECT_EQ(splitter.position(), 1002U);
}

TEST(line_splitter, keeps_every_view_until_the_next_block) {
  line_splitter splitter;
  splitter.feed("abc");
  text_line first;
  ASSERT_FALSE(splitter.next(first));
  splitter.feed("def\ngh");
  ASSERT_TRUE(splitter.next(first));
  text_line second;
  ASSERT_FALSE(splitter.next(second));
  EXPECT_EQ(first.text, "abcdef");
}

TEST(line_splitter, keeps_a_joined_line_when_the_last_line_follows_it) {
  line_splitter splitter;
  splitter.feed("abc");
  text_line first;
  ASSERT_FALSE(splitter.next(first));
  splitter.feed("def\ngh");
  splitter.finish();
  ASSERT_TRUE(splitter.next(first));
  text_line last;
  ASSERT_TRUE(splitter.next(last));
  EXPECT_EQ(first.text, "abcdef");
  EXPECT_EQ(last.text, "gh");
}

TEST(line_splitter, refuses_a_block_before_the_lines_of_the_last_one_were_taken) {
  line_splitter splitter;
  splitter.feed("a\n");
  EXPECT_THROW(splitter.feed("b\n"), broken_invariant);
}

TEST(describe_fault, names_file_offset_and_fault) {
  const line_limits limits{.line_bytes_max = 3, .validate_utf8 = true};
  EXPECT_EQ(describe_fault({"abc", 70, line_fault::too_long}, limits, "in.txt"),
            "the line at offset 70 of in.txt is longer than the limit of 3 bytes; it begins: abc");
  EXPECT_EQ(describe_fault({"x\xff", 70, line_fault::invalid_utf8}, limits, "in.txt"),
            "the line at offset 70 of in.txt is not valid UTF-8 from offset 71 on: \\xff");
}

TEST(line_splitter, ends_lines_at_a_delimiter_of_several_bytes) {
  EXPECT_THAT(split("a--b-\r\n----c-", 100, {}, "--"),
              ElementsAre(owned_line{"a", 0}, owned_line{"b-\r\n", 3}, owned_line{"", 9}, owned_line{"c-", 11}));
  EXPECT_THAT(split("a\r\nb\n", 100, {}, "\n"), ElementsAre(owned_line{"a\r", 0}, owned_line{"b", 3}));
  EXPECT_THAT(split(",", 100, {}, ","), ElementsAre(owned_line{"", 0}));
}

TEST(line_splitter, finds_each_delimiter_behind_the_one_before) {
  EXPECT_THAT(split("AAAAA", 100, {}, "AA"), ElementsAre(owned_line{"", 0}, owned_line{"", 2}, owned_line{"A", 4}));
  EXPECT_THAT(split("xABABAByABA", 100, {}, "ABA"), ElementsAre(owned_line{"x", 0}, owned_line{"BABy", 4}));
}

// The rule of a delimiter once more: the whole text is there, and every line is looked for from its start.
std::vector<owned_line> delimited_reference(std::string_view text, std::string_view delimiter, std::size_t limit) {
  std::vector<owned_line> lines;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start;
    while (end < text.size() && !text.substr(end).starts_with(delimiter)) ++end;
    const bool too_long = end - start > limit;
    lines.push_back({std::string(text.substr(start, too_long ? limit : end - start)), start,
                     too_long ? line_fault::too_long : line_fault::none});
    start = end + delimiter.size();
  }
  return lines;
}

TEST(line_splitter, ends_lines_at_delimiters_however_a_text_is_cut_into_blocks) {
  std::mt19937_64 random{23};
  for (int round = 0; round < 1500; ++round) {
    std::string text(random() % 70, ' ');
    for (char& c : text) c = "AAABBC"[random() % 6];
    for (const std::string delimiter : {"A", "AA", "AB", "ABA", "AAB", "ABC", "AABAA", "ABCABCABCABC"}) {
      const std::size_t limit = random() % 4 == 0 ? random() % 6 : 1000;
      const std::size_t block_bytes = 1 + random() % 64;
      ASSERT_EQ(split(text, block_bytes, {.line_bytes_max = limit}, delimiter),
                delimited_reference(text, delimiter, limit))
          << text << " by " << delimiter << ", blocks of " << block_bytes << ", limit " << limit;
    }
  }
}

TEST(line_splitter, validates_lines_between_delimiters_at_every_cut) {
  const std::string text = "\xc3\xa4||\xff||b\xc3";
  for (std::size_t block_bytes = 1; block_bytes < 12; ++block_bytes)
    EXPECT_THAT(split(text, block_bytes, {.validate_utf8 = true}, "||"),
                ElementsAre(owned_line{"\xc3\xa4", 0}, owned_line{"\xff", 4, line_fault::invalid_utf8},
                            owned_line{"b\xc3", 7, line_fault::invalid_utf8}));
}

TEST(line_splitter, knows_what_overlaps_itself) {
  for (const auto* text : {"AA", "ABA", "AABAA", "abcab", "\n\n"}) EXPECT_TRUE(overlaps_itself(text)) << text;
  for (const auto* text : {"", "A", "AB", "ABC", "AAB", "\r\n"}) EXPECT_FALSE(overlaps_itself(text)) << text;
}

}  // namespace
}  // namespace millrace::line_splitter_test
