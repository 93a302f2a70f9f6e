#include "temporary_folder.hpp"

#include <millrace/io/file_set.hpp>
#include <millrace/io/io_error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::file_set_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& pattern) {
  return message_of<io_error>([&] { (void)match_files(pattern); });
}

TEST(match_files, gives_the_files_of_a_pattern_sorted_with_their_sizes) {
  const temporary_folder folder;
  folder.write("b.txt", "four");
  folder.write("a.txt", "");
  folder.write("c.log", "no");
  std::filesystem::create_directory(folder.path() / "d.txt");
  EXPECT_THAT(match_files((folder.path() / "*.txt").string()),
              ElementsAre(matched_file{folder.path() / "a.txt", 0}, matched_file{folder.path() / "b.txt", 4}));
}

TEST(match_files, sorts_by_bytes_and_not_by_locale) {
  const temporary_folder folder;
  folder.write("a", "");
  folder.write("B", "");
  folder.write("Z", "");
  const auto files = match_files((folder.path() / "*").string());
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].path.filename(), "B");
  EXPECT_EQ(files[1].path.filename(), "Z");
  EXPECT_EQ(files[2].path.filename(), "a");
}

TEST(match_files, names_a_missing_file_and_the_reason) {
  const temporary_folder folder;
  const auto path = (folder.path() / "nothing.txt").string();
  EXPECT_EQ(refusal(path), "cannot read " + path + ": No such file or directory");
}

TEST(match_files, refuses_a_folder_by_its_path) {
  const temporary_folder folder;
  EXPECT_EQ(refusal(folder.path().string()), "cannot read " + folder.path().string() + ": Is a directory");
}

TEST(match_files, refuses_a_file_that_cannot_be_read) {
  EXPECT_THAT(refusal("/proc/self/mem"), HasSubstr("cannot read /proc/self/mem at offset 0: Input/output error"));
}

TEST(match_files, refuses_a_file_of_unknown_size_rather_than_reading_nothing) {
  EXPECT_THAT(refusal("/proc/version"), HasSubstr("cannot read /proc/version: its size is unknown"));
}

TEST(match_files, refuses_a_device_but_takes_dev_null_as_empty) {
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(match_files("/dev/null"), ElementsAre(matched_file{"/dev/null", 0}));
}

TEST(match_files, refuses_a_dangling_link_among_the_matches) {
  const temporary_folder folder;
  std::filesystem::create_symlink("gone", folder.path() / "link.txt");
  EXPECT_THAT(refusal((folder.path() / "*.txt").string()), HasSubstr("link.txt: No such file"));
}

TEST(match_files, refuses_a_pattern_without_a_match_unless_allowed) {
  const temporary_folder folder;
  const auto pattern = (folder.path() / "*.txt").string();
  EXPECT_EQ(refusal(pattern), "no file matches the pattern " + pattern);
  EXPECT_THAT(match_files(pattern, no_match::allowed), ElementsAre());
}

TEST(match_files, refuses_a_double_star_by_name) {
  EXPECT_THAT(refusal("logs/**/x"), HasSubstr("'**' is not supported"));
}

TEST(match_files, finds_a_file_whose_own_name_looks_like_a_pattern) {
  const temporary_folder folder;
  const auto path = folder.write("part[1].txt", "x");
  EXPECT_THAT(match_files(path.string()), ElementsAre(matched_file{path, 1}));
}

TEST(publish, gives_the_temporary_its_final_name) {
  const temporary_folder folder;
  const auto target = folder.path() / "out.txt";
  const auto temporary = temporary_path(target, "job", "0");
  folder.write(temporary.filename().string(), "text");
  EXPECT_EQ(publish(temporary, target), publication::renamed);
  EXPECT_THAT(folder.names(), ElementsAre("out.txt"));
  EXPECT_EQ(content_of(target), "text");
}

TEST(publish, says_that_it_was_done_when_it_is_repeated) {
  const temporary_folder folder;
  const auto target = folder.write("out.txt", "text");
  EXPECT_EQ(publish(folder.path() / "gone.tmp", target), publication::already_done);
  EXPECT_EQ(content_of(target), "text");
}

TEST(publish, refuses_when_neither_file_exists) {
  const temporary_folder folder;
  const auto message = message_of<io_error>([&] { publish(folder.path() / "gone.tmp", folder.path() / "out.txt"); });
  EXPECT_THAT(message, HasSubstr("out.txt"));
  EXPECT_THAT(message, HasSubstr("gone.tmp"));
}

TEST(publish, names_both_paths_when_the_rename_fails) {
  const temporary_folder folder;
  std::filesystem::create_directory(folder.path() / "out.txt");
  const auto temporary = folder.write("x.tmp", "text");
  const auto message = message_of<io_error>([&] { publish(temporary, folder.path() / "out.txt"); });
  EXPECT_THAT(message, HasSubstr("x.tmp to "));
  EXPECT_THAT(message, HasSubstr("out.txt: Is a directory"));
}

TEST(temporary_path, is_hidden_in_the_folder_of_the_target) {
  EXPECT_EQ(temporary_path("/out/counts-0", "word count/é", "3-7"), "/out/.millrace-word%20count%2f%c3%a9-3-7.tmp");
  EXPECT_EQ(temporary_path("counts", "j", "0"), ".millrace-j-0.tmp");
}

TEST(temporary_path, refuses_to_leave_the_folder) {
  EXPECT_THROW((void)temporary_path("/out/counts", "job", "../x"), io_error);
}

TEST(remove_temporaries, removes_what_belongs_to_the_job_and_nothing_else) {
  const temporary_folder folder;
  const auto target = folder.path() / "out";
  const auto kept = temporary_path(target, "job", "1");
  const auto orphan = temporary_path(target, "job", "2");
  const auto foreign = temporary_path(target, "job-2", "2");
  for (const auto& path : {kept, orphan, foreign}) folder.write(path.filename().string(), "x");
  folder.write("out", "x");
  folder.write(".millrace-job-notes", "x");
  EXPECT_THAT(remove_temporaries(folder.path(), "job", {&kept, 1}), ElementsAre(orphan));
  EXPECT_THAT(folder.names(),
              ElementsAre(".millrace-job%2d2-2.tmp", ".millrace-job-1.tmp", ".millrace-job-notes", "out"));
}

TEST(remove_temporaries, finds_nothing_in_a_folder_that_does_not_exist) {
  EXPECT_THAT(remove_temporaries("/does/not/exist", "job"), ElementsAre());
}

TEST(create_folders, creates_every_level_and_accepts_what_exists) {
  const temporary_folder folder;
  create_folders(folder.path() / "a" / "b");
  create_folders(folder.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b"));
}

TEST(create_folders, refuses_a_file_in_the_way) {
  const temporary_folder folder;
  const auto path = folder.write("file", "");
  EXPECT_THAT(message_of<io_error>([&] { create_folders(path / "a"); }), HasSubstr("file: Not a directory"));
}

}  // namespace
}  // namespace millrace::file_set_test
