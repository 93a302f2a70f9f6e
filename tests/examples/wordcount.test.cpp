#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <sys/mount.h>
#include <unistd.h>
#include <vector>

namespace millrace::examples::wordcount_test {
namespace {

using lines = std::vector<std::string>;

const std::string licences = "/usr/share/common-licenses/*";

// What the shell counts in some files.
lines counted_by_shell(const std::string& files) {
  return sorted_lines(expected_from("cat " + files + R"( | tr -cs "A-Za-z'" '\n' | sed '/^$/d' | sort | uniq -c | )"
                                    + R"(awk '{print $2 ": " $1}')"));
}

// All lines of the files of a folder whose names begin so.
lines written(const temporary_folder& folder, const std::string& prefix) {
  std::string all;
  for (const auto& name : folder.names())
    if (name.starts_with(prefix + "-")) all += content_of(folder.path() / name);
  return sorted_lines(all);
}

class wordcount_example : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(wordcount_example, counts_what_the_shell_counts) {
  const temporary_folder folder;
  std::vector<std::string> arguments = GetParam();
  arguments.insert(arguments.end(), {licences, "--output", (folder.path() / "counts").string()});
  const outcome run = run_example("wordcount", arguments);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const lines expected = counted_by_shell(licences);
  ASSERT_GT(expected.size(), 1000U);
  EXPECT_EQ(written(folder, "counts"), expected);
}

INSTANTIATE_TEST_SUITE_P(runners, wordcount_example,
                         ::testing::Values(lines{"--runner=direct"}, lines{"--shards=1"}, lines{"--shards=2"},
                                           lines{"--shards=5"}, lines{"--numWorkers=3", "--lift_combiners"}));

TEST(wordcount, names_its_files_by_shard) {
  const temporary_folder folder;
  const auto input = folder.write("input", "it isn't what it was\n");
  const outcome run =
      run_example("wordcount", {input.string(), "--shards", "2", "--output", (folder.path() / "counts").string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.names(), (lines{"counts-00000-of-00002", "counts-00001-of-00002", "input"}));
  EXPECT_EQ(written(folder, "counts"), (lines{"isn't: 1", "it: 2", "was: 1", "what: 1"}));
}

TEST(wordcount, prints_without_an_output_and_reads_several_files) {
  const temporary_folder folder;
  const auto one = folder.write("one", "to be or not");
  const auto other = folder.write("other", "to be,\r\n2 b\n");
  const outcome run = run_example("wordcount", {one.string(), other.string(), one.string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(sorted_lines(run.out), (lines{"b: 1", "be: 3", "not: 2", "or: 2", "to: 3"}));
}

TEST(wordcount, succeeds_on_an_empty_file) {
  const temporary_folder folder;
  const auto empty = folder.write("empty", "");
  const outcome run =
      run_example("wordcount", {empty.string(), "--shards=1", "--output", (folder.path() / "counts").string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(folder.names(), (lines{"counts-00000-of-00001", "empty"}));
  EXPECT_EQ(content_of(folder.path() / "counts-00000-of-00001"), "");
}

TEST(wordcount, started_again_with_its_checkpoints_gives_the_same_files) {
  const temporary_folder folder;
  const std::vector<std::string> arguments{licences, "--output", (folder.path() / "counts").string(), "--checkpoints",
                                           (folder.path() / "state").string()};
  ASSERT_EQ(run_example("wordcount", arguments).exit_code, 0);
  const lines first = written(folder, "counts");
  const outcome again = run_example("wordcount", arguments);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.err.find("resumed from epoch"), std::string::npos) << again.err;
  EXPECT_EQ(written(folder, "counts"), first);
  EXPECT_EQ(first, counted_by_shell(licences));
}

TEST(wordcount, names_a_file_that_cannot_be_read) {
  const temporary_folder folder;
  const std::string missing = (folder.path() / "missing.txt").string();
  const outcome run = run_example("wordcount", {missing, "--output", (folder.path() / "counts").string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find(missing), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("No such file"), std::string::npos) << run.err;
  EXPECT_EQ(folder.names(), lines{});
}

TEST(wordcount, fails_at_a_line_that_is_not_text_and_names_file_and_offset) {
  const temporary_folder folder;
  const auto input = folder.write("input", "fine\n\xff\xfe\n");
  const outcome run = run_example("wordcount", {input.string(), "--output", (folder.path() / "counts").string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find(input.string()), std::string::npos) << run.err;
  EXPECT_NE(run.err.find('5'), std::string::npos) << run.err;
  EXPECT_EQ(folder.names(), lines{"input"});
}

TEST(wordcount, suggests_the_option_that_was_meant) {
  const outcome run = run_example("wordcount", {"--outptu", "x"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("unknown option --outptu; did you mean --output?"), std::string::npos) << run.err;
}

TEST(wordcount, explains_its_options) {
  const outcome run = run_example("wordcount", {"--help"});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* option : {"--output", "--runner", "--shards", "--checkpoints", "FILE"})
    EXPECT_NE(run.out.find(option), std::string::npos) << run.out;
}

TEST(wordcount, tells_when_nobody_takes_what_it_prints) {
  const temporary_folder folder;
  const auto input = folder.write("input", "word\n");
  const outcome run = run_shell(quoted(std::string(MILLRACE_EXAMPLES_DIR "/wordcount")) + " " + quoted(input.string())
                                + " > /dev/full");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("No space left on device"), std::string::npos) << run.err;
}

// Mounts a file system of 16 KiB, for what happens when a disk is full.
class small_disk {
 public:
  explicit small_disk(std::string at) : at_(std::move(at)) {
    mounted_ = ::mount("millrace-test", at_.c_str(), "tmpfs", 0, "size=16k") == 0;
    error_ = mounted_ ? 0 : errno;
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] int error() const { return error_; }

 private:
  std::string at_;
  bool mounted_ = false;
  int error_ = 0;
};

TEST(wordcount, leaves_nothing_on_a_disk_that_is_full) {
  const temporary_folder folder;
  const auto disk_folder = folder.path() / "disk";
  std::filesystem::create_directory(disk_folder);
  const small_disk disk(disk_folder.string());
  if (!disk.mounted()) {
    ASSERT_EQ(disk.error(), EPERM) << "only the right to mount may be lacking";
    GTEST_SKIP() << "this needs the right to mount a file system";
  }
  const outcome run = run_example("wordcount", {licences, "--output", (disk_folder / "counts").string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("No space left on device"), std::string::npos) << run.err;
  EXPECT_TRUE(std::filesystem::is_empty(disk_folder));
}

}  // namespace
}  // namespace millrace::examples::wordcount_test
