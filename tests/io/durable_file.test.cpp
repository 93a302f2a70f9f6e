#include "temporary_folder.hpp"

#include <millrace/io/durable_file.hpp>
#include <millrace/io/io_error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>

namespace millrace::durable_file_test {
namespace {

using ::testing::HasSubstr;

// Lets no file of this process grow beyond a size, so that a write stops in the middle as on a full disk.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : old_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_signal_);
  }

 private:
  rlimit old_limit_{};
  void (*old_signal_)(int);
};

TEST(durable_file, appends_and_knows_its_length) {
  const temporary_folder folder;
  auto file = durable_file::create(folder.path() / "log");
  file.append("one ");
  file.append("");
  file.append("two");
  EXPECT_EQ(file.position(), 7U);
  file.close();
  EXPECT_EQ(content_of(folder.path() / "log"), "one two");
}

TEST(durable_file, empties_a_file_that_exists) {
  const temporary_folder folder;
  const auto path = folder.write("log", "old content");
  auto file = durable_file::create(path);
  file.append("new");
  file.close();
  EXPECT_EQ(content_of(path), "new");
}

TEST(durable_file, reopens_at_a_recorded_length_and_drops_what_came_after) {
  const temporary_folder folder;
  const auto path = folder.write("log", "committed, not committed");
  auto file = durable_file::reopen(path, 9);
  EXPECT_EQ(content_of(path), "committed");
  file.append("!");
  file.close();
  EXPECT_EQ(content_of(path), "committed!");
}

TEST(durable_file, refuses_to_reopen_a_file_that_lost_bytes) {
  const temporary_folder folder;
  const auto path = folder.write("log", "abc");
  EXPECT_EQ(message_of<io_error>([&] { (void)durable_file::reopen(path, 4); }),
            "cannot resume " + path.string() + ": it has 3 bytes, but 4 were written before");
}

TEST(durable_file, names_the_path_when_it_cannot_be_created) {
  const temporary_folder folder;
  EXPECT_EQ(message_of<io_error>([&] { (void)durable_file::create(folder.path() / "no" / "log"); }),
            "cannot create " + (folder.path() / "no" / "log").string() + ": No such file or directory");
}

TEST(durable_file, says_on_a_full_disk_what_it_wanted_to_write_where) {
  auto file = durable_file::create("/dev/full");
  EXPECT_EQ(message_of<io_error>([&] { file.append("12345"); }),
            "cannot write 5 bytes at offset 0 of /dev/full: No space left on device");
  EXPECT_EQ(file.position(), 0U);
}

TEST(durable_file, leaves_no_trace_of_an_append_that_failed_in_the_middle) {
  const temporary_folder folder;
  const auto path = folder.path() / "log";
  auto file = durable_file::create(path);
  file.append("whole ");
  {
    const file_size_limit full(10);
    EXPECT_THAT(message_of<io_error>([&] { file.append("too much for it"); }), HasSubstr("15 bytes at offset 6"));
  }
  EXPECT_EQ(file.position(), 6U);
  EXPECT_EQ(content_of(path), "whole too ");
  file.sync();
  EXPECT_EQ(content_of(path), "whole ");
  file.append("again");
  file.close();
  EXPECT_EQ(content_of(path), "whole again");
}

TEST(durable_file, refuses_everything_after_a_sync_failed) {
  // A pipe-like device cannot be synced, which stands for a disk that fails.
  auto file = durable_file::create("/dev/null");
  EXPECT_THAT(message_of<io_error>([&] { file.sync(); }), HasSubstr("cannot sync /dev/null"));
  EXPECT_THAT(message_of<io_error>([&] { file.append("x"); }), HasSubstr("an earlier sync failed"));
}

TEST(durable_file, refuses_to_write_after_it_was_closed) {
  const temporary_folder folder;
  auto file = durable_file::create(folder.path() / "log");
  file.close();
  EXPECT_THAT(message_of<io_error>([&] { file.append("x"); }), HasSubstr("it is closed"));
}

}  // namespace
}  // namespace millrace::durable_file_test
