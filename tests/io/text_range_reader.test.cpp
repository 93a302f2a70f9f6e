#include "temporary_folder.hpp"

#include <millrace/io/io_error.hpp>
#include <millrace/io/text_range_reader.hpp>
#include <millrace/transforms/element/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace millrace::text_range_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using lines = std::vector<std::string>;

lines read_all(text_range_reader& reader) {
  lines all;
  text_line line;
  while (reader.next(line)) all.emplace_back(line.text);
  return all;
}

lines read_range(const std::filesystem::path& path, std::uint64_t from, std::uint64_t to, std::size_t buffer_bytes,
                 const std::string& delimiter = {}) {
  text_range_reader reader(
      {.path = path, .from = from, .to = to, .delimiter = delimiter, .buffer_bytes = buffer_bytes});
  return read_all(reader);
}

lines reference(std::string_view text) {
  lines all;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    all.emplace_back(line);
  }
  return all;
}

std::string random_text(std::mt19937_64& random, std::size_t bytes_max) {
  std::string text(random() % (bytes_max + 1), ' ');
  for (auto& c : text) c = "\n\n\r\rabcdefgh"[random() % 12];
  return text;
}

void write_compressed(const std::filesystem::path& path, std::string_view text) {
  auto writer = compressed_writer::create(path);
  writer.write(text);
  writer.finish();
}

TEST(text_range_reader, gives_a_line_to_the_range_in_which_it_starts) {
  const temporary_folder folder;
  const auto path = folder.write("in", "one\ntwo\nthree\n");
  EXPECT_THAT(read_range(path, 0, 1, 100), ElementsAre("one"));
  EXPECT_THAT(read_range(path, 1, 4, 100), ElementsAre());
  EXPECT_THAT(read_range(path, 1, 5, 100), ElementsAre("two"));
  EXPECT_THAT(read_range(path, 4, 8, 100), ElementsAre("two"));
  EXPECT_THAT(read_range(path, 5, 14, 100), ElementsAre("three"));
  EXPECT_THAT(read_range(path, 14, 20, 100), ElementsAre());
}

// Lines begin where they do without it, so that positions and ranges stay true.
TEST(text_range_reader, leaves_a_byte_order_mark_at_the_front_of_a_file_out) {
  const temporary_folder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const auto path = folder.write("in", mark + "one\n" + mark + "two\n");
  for (const std::size_t buffer_bytes : {1U, 3U, 100U}) {
    EXPECT_THAT(read_range(path, 0, 100, buffer_bytes), ElementsAre("one", mark + "two"));
    EXPECT_THAT(read_range(path, 0, 1, buffer_bytes), ElementsAre("one"));
    EXPECT_THAT(read_range(path, 1, 100, buffer_bytes), ElementsAre(mark + "two"));
  }
  EXPECT_THAT(read_range(path, 0, 100, 100, "wo"), ElementsAre("one\n" + mark + "t", "\n"));
  text_range_reader reader({.path = path});
  text_line line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(reader.position(), 7U);
  std::vector<text_line> all;
  text_range_reader filled({.path = path});
  EXPECT_EQ(filled.fill(all, 10), 2U);
  EXPECT_EQ(all[0].text, "one");

  EXPECT_THAT(read_range(folder.write("nothing", mark), 0, 100, 100), ElementsAre());
  EXPECT_THAT(read_range(folder.write("empty line", mark + "\n"), 0, 100, 100), ElementsAre(""));
  write_compressed(folder.path() / "in.gz", mark + "one\n");
  text_range_reader compressed({.path = folder.path() / "in.gz"});
  EXPECT_THAT(read_all(compressed), ElementsAre("one"));
}

TEST(text_range_reader, gives_every_line_once_however_often_its_rest_is_given_away) {
  const temporary_folder folder;
  std::mt19937_64 random{17};
  std::size_t divided = 0;
  for (int round = 0; round < 200; ++round) {
    const auto text = random_text(random, 60);
    const auto path = folder.write("in", text);
    lines all;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges{{0, text.size()}};
    while (!ranges.empty()) {
      const auto [from, to] = ranges.front();
      ranges.erase(ranges.begin());
      text_range_reader reader({.path = path, .from = from, .to = to, .buffer_bytes = 1 + random() % 9});
      const std::size_t before = random() % 4;
      text_line line;
      for (std::size_t i = 0; i < before && reader.next(line); ++i) all.emplace_back(line.text);
      const auto at = reader.try_split(static_cast<double>(random() % 11) / 10, 1);
      if (at) {
        ++divided;
        ASSERT_GT(*at, reader.position());
        ASSERT_LT(*at, to);
        ASSERT_EQ(reader.range().to, *at);
        ranges.insert(ranges.begin(), {*at, to});
      }
      for (auto& rest : read_all(reader)) all.push_back(std::move(rest));
    }
    EXPECT_EQ(all, reference(text)) << testing::PrintToString(text);
  }
  EXPECT_GT(divided, 100U);
}

TEST(text_range_reader, gives_nothing_away_that_is_small_or_compressed_or_without_an_end) {
  const temporary_folder folder;
  const auto path = folder.write("in", "one\ntwo\nthree\nfour\n");  // 19 bytes
  text_range_reader reader({.path = path, .to = 19});
  EXPECT_EQ(reader.try_split(0.5, 10), std::nullopt);
  EXPECT_EQ(reader.try_split(0, 1), std::nullopt);
  EXPECT_EQ(reader.try_split(1, 0), std::nullopt);
  EXPECT_EQ(reader.try_split(0.5, 9), 9U);
  EXPECT_THAT(read_all(reader), ElementsAre("one", "two", "three"));
  EXPECT_EQ(reader.try_split(0.5, 0), std::nullopt) << "it has been read";
  text_range_reader endless({.path = path});
  EXPECT_EQ(endless.try_split(0.5, 1), std::nullopt);
  write_compressed(folder.path() / "in.gz", "one\ntwo\nthree\nfour\n");
  text_range_reader compressed({.path = folder.path() / "in.gz"});
  EXPECT_EQ(compressed.try_split(0.5, 1), std::nullopt);
}

TEST(text_range_reader, gives_every_line_once_however_a_text_is_cut_into_ranges) {
  const temporary_folder folder;
  std::mt19937_64 random{7};
  for (int round = 0; round < 60; ++round) {
    const auto text = random_text(random, 50);
    const auto path = folder.write("in", text);
    const auto expected = reference(text);
    for (const std::size_t buffer_bytes : {1U, 2U, 3U, 7U, 16U, 49U, 50U, 64U}) {
      lines all;
      std::uint64_t from = 0;
      while (from < text.size()) {
        const auto to = from + 1 + random() % 9;
        const auto part = read_range(path, from, to, buffer_bytes);
        all.insert(all.end(), part.begin(), part.end());
        from = to;
      }
      ASSERT_EQ(all, expected) << "buffers of " << buffer_bytes << " over " << testing::PrintToString(text);
    }
  }
}

// The text of the case, cut at each place and read in blocks of each size.
void expect_lines(const std::string& text, const lines& expected, const std::string& delimiter = {}) {
  const temporary_folder folder;
  const auto path = folder.write("in", text);
  for (std::size_t buffer_bytes = 1; buffer_bytes <= 64; ++buffer_bytes)
    for (std::size_t cut = 0; cut <= text.size(); cut += 1 + text.size() / 100) {
      auto all = read_range(path, 0, cut, buffer_bytes, delimiter);
      const auto rest = read_range(path, cut, text.size(), buffer_bytes, delimiter);
      all.insert(all.end(), rest.begin(), rest.end());
      ASSERT_EQ(all, expected) << "cut at " << cut << ", blocks of " << buffer_bytes;
    }
}

TEST(text_range_reader, knows_returns_at_every_cut_and_block_U47_1) {
  expect_lines("a\r\nbb\r\nccc\r\n", {"a", "bb", "ccc"});
}

TEST(text_range_reader, finds_a_delimiter_whose_beginning_repeats_at_every_cut_and_block_U47_2) {
  expect_lines("ABABCD", {"AB", "D"}, "ABC");
  expect_lines("ABCABABCABABABCABCAB", {"", "AB", "ABAB", "", "AB"}, "ABC");
  expect_lines("AABAAAB\nAAB", {"", "A", "\n"}, "AAB");
  expect_lines("one\r\ntwo\nthree\r\r\nfour\r\n", {"one", "two\nthree\r", "four"}, "\r\n");
}

TEST(text_range_reader, gives_lines_of_a_delimiter_once_however_their_rest_is_given_away) {
  const temporary_folder folder;
  std::mt19937_64 random{29};
  std::size_t divided = 0;
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = "AAABBC"[random() % 6];
    const auto path = folder.write("in", text);
    for (const std::string delimiter : {"AAB", "ABC", "B"}) {
      lines all;
      std::uint64_t from = 0;
      for (std::uint64_t to = text.size(); from < text.size(); from = to, to = text.size()) {
        text_range_reader reader(
            {.path = path, .from = from, .to = to, .delimiter = delimiter, .buffer_bytes = 1 + random() % 9});
        text_line line;
        for (auto before = random() % 4; before > 0 && reader.next(line); --before) all.emplace_back(line.text);
        if (const auto at = reader.try_split(static_cast<double>(random() % 11) / 10, 1)) {
          ++divided;
          to = *at;
        }
        for (auto& rest : read_all(reader)) all.push_back(std::move(rest));
      }
      ASSERT_EQ(all, read_range(path, 0, text_range{}.to, 100, delimiter)) << text << " by " << delimiter;
    }
  }
  EXPECT_GT(divided, 100U);
}

TEST(text_range_reader, reads_a_file_whose_delimiter_overlaps_itself_whole) {
  const temporary_folder folder;
  const auto path = folder.write("in", "AAAAA");
  // A reader that began at offset 1 would see delimiters at 1 and 3.
  text_range_reader reader({.path = path, .delimiter = "AA", .buffer_bytes = 2});
  EXPECT_EQ(reader.try_split(0.5, 1), std::nullopt);
  EXPECT_EQ(read_all(reader), (lines{"", "", "A"}));
  EXPECT_THROW(text_range_reader({.path = path, .from = 1, .delimiter = "AA"}), broken_invariant);
  EXPECT_THROW(text_range_reader({.path = path, .to = 5, .delimiter = "AA"}), broken_invariant);
}

TEST(text_range_reader, resumes_behind_any_delimiter) {
  const temporary_folder folder;
  const std::string text = "ABABCDABCABCABAB";
  const auto plain = folder.write("in", text);
  write_compressed(folder.path() / "in.gz", text);
  const lines expected{"AB", "D", "", "ABAB"};
  const std::vector<std::uint64_t> positions{0, 5, 9, 12, 16};
  for (const auto& path : {plain, folder.path() / "in.gz"})
    for (const std::size_t buffer_bytes : {1U, 2U, 5U, 100U}) {
      for (std::size_t i = 0; i < positions.size(); ++i) {
        text_range_reader first({.path = path, .delimiter = "ABC", .buffer_bytes = buffer_bytes});
        text_line line;
        for (std::size_t taken = 0; taken < i; ++taken) ASSERT_TRUE(first.next(line));
        EXPECT_EQ(first.position(), positions[i]);
        text_range_reader second(
            {.path = path, .delimiter = "ABC", .resume_at = positions[i], .buffer_bytes = buffer_bytes});
        EXPECT_EQ(read_all(second), lines(expected.begin() + static_cast<std::ptrdiff_t>(i), expected.end()));
      }
      for (const std::uint64_t position : {1U, 2U, 3U, 4U, 6U, 8U, 15U, 17U})
        EXPECT_THAT(message_of<io_error>([&] {
                      text_range_reader(
                          {.path = path, .delimiter = "ABC", .resume_at = position, .buffer_bytes = buffer_bytes});
                    }),
                    HasSubstr("no line starts there"));
    }
}

TEST(text_range_reader, gives_a_long_line_whole_U47_5) {
  std::string line;
  for (const char c : {'0', '1', '2'}) line += std::string(16000, c);
  const temporary_folder folder;
  const auto path = folder.write("in", "before\n" + line + "\nafter");
  for (const std::size_t buffer_bytes : {1U, 64U, 4096U, 100000U})
    EXPECT_EQ(read_range(path, 0, 50000, buffer_bytes), (lines{"before", line, "after"})) << buffer_bytes;
}

TEST(text_range_reader, resumes_at_any_line_of_any_range) {
  const temporary_folder folder;
  std::mt19937_64 random{8};
  for (int round = 0; round < 60; ++round) {
    const auto text = random_text(random, 50);
    const auto path = folder.write("in", text);
    text_range range{.path = path, .from = random() % 10, .buffer_bytes = 1 + random() % 20};
    range.to = range.from + random() % 40;
    const auto expected = read_range(path, range.from, range.to, 100);
    for (std::size_t stop = 0; stop <= expected.size(); ++stop) {
      text_range_reader first(range);
      lines all;
      text_line line;
      while (all.size() < stop && first.next(line)) all.emplace_back(line.text);
      auto resumed_range = range;
      resumed_range.resume_at = first.position();
      text_range_reader second(resumed_range);
      EXPECT_EQ(second.position(), first.position());
      const auto rest = read_all(second);
      all.insert(all.end(), rest.begin(), rest.end());
      ASSERT_EQ(all, expected) << "stopped after " << stop << " of " << testing::PrintToString(text);
    }
  }
}

TEST(text_range_reader, resumes_in_compressed_files_at_positions_of_the_text) {
  const temporary_folder folder;
  const std::string text = "one\ntwo\r\n\nfour";
  const std::vector<std::uint64_t> positions{0, 4, 9, 10, 14};
  for (const auto* name : {"in.gz", "in.zst"}) {
    write_compressed(folder.path() / name, text);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      text_range_reader reader({.path = folder.path() / name, .resume_at = positions[i], .buffer_bytes = 3});
      auto expected = reference(text);
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_EQ(read_all(reader), expected);
      EXPECT_EQ(reader.position(), text.size());
      EXPECT_EQ(reader.bytes_read(), std::filesystem::file_size(folder.path() / name));
    }
  }
}

TEST(text_range_reader, refuses_a_position_at_which_no_line_starts) {
  const temporary_folder folder;
  const auto plain = folder.write("in", "one\ntwo\n");
  write_compressed(folder.path() / "in.gz", "one\ntwo\n");
  for (const auto& path : {plain, folder.path() / "in.gz"}) {
    for (const std::uint64_t position : {2U, 9U, 1000U}) {
      EXPECT_EQ(message_of<io_error>([&] { text_range_reader({.path = path, .resume_at = position}); }),
                "cannot resume reading " + path.string() + " at offset " + std::to_string(position)
                    + ": no line starts there, so the file was changed since it was first read");
    }
  }
}

TEST(text_range_reader, fills_batches_whose_views_are_all_valid) {
  const temporary_folder folder;
  std::mt19937_64 random{9};
  for (int round = 0; round < 100; ++round) {
    const auto text = random_text(random, 80);
    const auto path = folder.write("in", text);
    text_range_reader reader({.path = path, .buffer_bytes = 1 + random() % 30});
    std::vector<text_line> batch;
    lines all;
    while (reader.fill(batch, 1 + random() % 5) > 0) {
      for (const auto& line : batch) all.emplace_back(line.text);
    }
    ASSERT_EQ(all, reference(text));
  }
}

TEST(text_range_reader, reads_nothing_from_an_empty_file) {
  const temporary_folder folder;
  EXPECT_THAT(read_range(folder.write("in", ""), 0, 10, 100), ElementsAre());
  EXPECT_THAT(read_range("/dev/null", 0, 10, 100), ElementsAre());
}

TEST(text_range_reader, passes_faulty_lines_on_with_their_offsets) {
  const temporary_folder folder;
  const auto path = folder.write("in", "ok\ntoo long\nx\xff\n");
  text_range_reader reader({.path = path, .limits = {.line_bytes_max = 4, .validate_utf8 = true}});
  std::vector<text_line> batch;
  ASSERT_EQ(reader.fill(batch, 10), 3U);
  EXPECT_EQ(batch[0].fault, line_fault::none);
  EXPECT_EQ(batch[1].fault, line_fault::too_long);
  EXPECT_EQ(batch[1].offset, 3U);
  EXPECT_EQ(batch[2].fault, line_fault::invalid_utf8);
  EXPECT_EQ(batch[2].offset, 12U);
}

TEST(text_range_reader, reports_what_cannot_be_read) {
  const temporary_folder folder;
  const auto refusal = [](const std::filesystem::path& path) {
    return message_of<io_error>([&] {
      text_range_reader reader({.path = path});
      read_all(reader);
    });
  };
  EXPECT_THAT(refusal(folder.path() / "no"), HasSubstr("/no: No such file or directory"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr(folder.path().string() + ": Is a directory"));
  EXPECT_THAT(refusal("/proc/self/mem"), HasSubstr("/proc/self/mem at offset 0: Input/output error"));
  folder.write("bad.gz", "not compressed");
  EXPECT_THAT(refusal(folder.path() / "bad.gz"), HasSubstr("bad.gz as gzip: it is not a gzip file"));
}

}  // namespace
}  // namespace millrace::text_range_reader_test
