#include "temporary_folder.hpp"

#include <millrace/io/compressed_file.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::read_text_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> lines_of(const std::string& pattern, read_text_options options = {}) {
  pipeline p("test");
  recording<std::string> found;
  p | read_text("read", pattern, options) | collect("collect", found);
  run_direct(p);
  return found.values();
}

// Takes lines as a read operator does, a few at a time.
struct line_batch final : source_output<std::string> {
  explicit line_batch(std::size_t most) : room(most) {}
  [[nodiscard]] bool full() const override { return lines.size() >= room; }
  [[nodiscard]] std::string& slot() override { return waiting; }
  void placed(timestamp /*at*/) override { lines.push_back(waiting); }

  std::size_t room;
  std::string waiting;
  std::vector<std::string> lines;
};

TEST(read_text, gives_the_lines_of_all_files_that_match) {
  const temporary_folder folder;
  folder.write("b.txt", "three\n\nfour");
  folder.write("a.txt", "one\r\ntwo\n");
  folder.write("c.log", "no\n");
  EXPECT_THAT(lines_of((folder.path() / "*.txt").string()), ElementsAre("one", "two", "three", "", "four"));
}

TEST(read_text, gives_nothing_for_an_empty_file) {
  const temporary_folder folder;
  EXPECT_THAT(lines_of(folder.write("empty", "").string()), IsEmpty());
  EXPECT_THAT(lines_of(folder.write("empty.gz", "").string()), IsEmpty());
  EXPECT_THAT(lines_of(folder.write("empty.zst", "").string()), IsEmpty());
}

TEST(read_text, gives_each_line_once_however_a_file_is_divided) {
  const temporary_folder folder;
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i % 7), 'x') + std::to_string(i));
    text += expected.back() + "\n";
  }
  const auto path = folder.write("a", text).string();
  for (const std::uint64_t bytes : {1U, 2U, 7U, 64U, 1000U})
    EXPECT_EQ(lines_of(path, {.split_bytes = bytes}), expected) << bytes;
}

TEST(read_text, ends_lines_at_a_delimiter_however_a_file_is_divided_U47_2) {
  const temporary_folder folder;
  const auto path = folder.write("a", "ABABCD").string();
  const auto overlapping = folder.write("b", "AAAAA").string();
  for (std::uint64_t bytes = 1; bytes <= 7; ++bytes) {
    EXPECT_THAT(lines_of(path, {.split_bytes = bytes, .delimiter = "ABC"}), ElementsAre("AB", "D")) << bytes;
    EXPECT_THAT(lines_of(overlapping, {.split_bytes = bytes, .delimiter = "AA"}), ElementsAre("", "", "A")) << bytes;
  }
  EXPECT_EQ(text_source(path, {.split_bytes = 2, .delimiter = "ABC"}).splits(1).size(), 3U);
  EXPECT_EQ(text_source(overlapping, {.split_bytes = 2, .delimiter = "AA"}).splits(1).size(), 1U);
}

TEST(read_text, names_the_delimiter_in_its_description) {
  EXPECT_THAT(text_source("a", {.delimiter = "|\xff"}).describe(), HasSubstr(", each ended by \"|\\xff\""));
  EXPECT_THAT(text_source("a").describe(), ::testing::Not(HasSubstr("ended by")));
}

TEST(read_text, reads_compressed_files) {
  const temporary_folder folder;
  for (const auto& [name, kind] : {std::pair{"a.gz", compression::gzip}, std::pair{"b.zst", compression::zstd}}) {
    auto file = compressed_writer::create(folder.path() / name, {.kind = kind});
    file.write(std::string("from ") + name + "\nend\n");
    file.finish();
  }
  EXPECT_THAT(lines_of((folder.path() / "*").string(), {.split_bytes = 3}),
              ElementsAre("from a.gz", "end", "from b.zst", "end"));
}

TEST(read_text, goes_on_where_a_reader_had_come_to) {
  const temporary_folder folder;
  const text_source source(folder.write("a", "one\ntwo\nthree\nfour\n").string(), {.split_bytes = 10});
  const auto splits = source.splits(1);
  ASSERT_EQ(splits.size(), 2U);
  auto first = source.open(splits[0]);
  line_batch before(1);
  EXPECT_EQ(first.read(before, timestamp{0}), read_status::more);
  auto second = source.open(decode_whole<text_split>(encode_whole(first.remaining())));
  line_batch after(10);
  EXPECT_EQ(second.read(after, timestamp{0}), read_status::ended);
  EXPECT_THAT(before.lines, ElementsAre("one"));
  EXPECT_THAT(after.lines, ElementsAre("two", "three"));
  EXPECT_EQ(second.read(after, timestamp{0}), read_status::ended);
}

TEST(read_text, has_a_part_for_each_shard_where_files_are_large_enough) {
  const temporary_folder folder;
  const auto path = folder.write("a", std::string(4 * 1024 * 1024, '\n')).string();
  EXPECT_EQ(text_source(path).splits(4).size(), 4U);
  EXPECT_EQ(text_source(path).splits(1000).size(), 16U);
}

TEST(read_text, fails_for_a_faulty_line_with_file_and_offset) {
  const temporary_folder folder;
  const auto path = folder
                        .write("a", "good\nb\xff"
                                    "d\n")
                        .string();
  const auto text = message_of<read_failure>([&] { lines_of(path); });
  EXPECT_THAT(text, AllOf(HasSubstr("step \"read\""), HasSubstr(path), HasSubstr("offset 5"), HasSubstr("UTF-8")));
  const auto longer = folder.write("b", "123456\n").string();
  EXPECT_THAT(message_of<read_failure>([&] { lines_of(longer, {.line_bytes_max = 5}); }),
              HasSubstr("longer than the limit of 5 bytes"));
}

TEST(read_text, gives_faulty_lines_to_an_error_output_U47_6) {
  const temporary_folder folder;
  const auto path = folder
                        .write("a", "good\nb\xff"
                                    "d\ntoo long\nfine\n")
                        .string();
  pipeline p("test");
  recording<std::string> good;
  recording<failed<std::string>> bad;
  const auto [lines, errors] = p | read_text("read", path, {.line_bytes_max = 5}, with_errors);
  lines | collect("good", good);
  errors | collect("bad", bad);
  run_direct(p);
  EXPECT_THAT(good.values(), ElementsAre("good", "fine"));
  const auto failures = bad.values();
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].element, "b\xff"
                                 "d");
  EXPECT_EQ(failures[0].step, "read");
  EXPECT_THAT(failures[0].message, AllOf(HasSubstr(path), HasSubstr("offset 5")));
  EXPECT_EQ(failures[1].element, "too l");
  EXPECT_THAT(failures[1].message, HasSubstr("offset 9"));
}

TEST(read_text, names_the_step_and_the_path_of_a_file_that_is_not_there) {
  EXPECT_THAT(message_of<read_failure>([] { lines_of("/nonexistent/file"); }),
              AllOf(HasSubstr("\"read\""), HasSubstr("/nonexistent/file")));
}

TEST(read_text, touches_no_file_while_the_graph_is_built) {
  pipeline p("test");
  const auto lines = p | read_text("read", "/nonexistent/file");
  EXPECT_TRUE(lines.bounded());
}

}  // namespace
}  // namespace millrace::read_text_test
