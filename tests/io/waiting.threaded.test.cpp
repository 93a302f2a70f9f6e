#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/io/sqlite_connection.hpp>
#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace millrace::waiting_test {
namespace {

// Calls f(0), f(1), ... at once, each on a thread of its own. Returns what they threw.
template <class F>
std::vector<std::string> thrown_at_once(std::size_t threads, F&& f) {
  std::vector<std::string> messages(threads);
  std::latch all_there(static_cast<std::ptrdiff_t>(threads));
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        all_there.arrive_and_wait();
        messages[t] = message_of<io_error>([&] { f(t); });
      });
  }
  std::erase(messages, "");
  return messages;
}

TEST(threaded_sqlite, writers_of_one_database_wait_for_each_other) {
  const temporary_folder folder;
  const auto path = folder.path() / "db";
  sqlite_connection(path).execute("CREATE TABLE t(a)");
  const auto failures = thrown_at_once(4, [&](std::size_t t) {
    sqlite_connection connection(path, {.busy_timeout = std::chrono::minutes{2}});
    auto insert = connection.prepare("INSERT INTO t VALUES(?)");
    for (int i = 0; i < 25; ++i) {
      sqlite_transaction transaction(connection);
      insert.run(static_cast<std::int64_t>(t));
      transaction.commit();
    }
  });
  EXPECT_EQ(failures, std::vector<std::string>{});
  sqlite_connection reader(path, {.read_only = true});
  auto count = reader.prepare("SELECT count(*) FROM t");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), 100);
}

// Turning the write-ahead log on is refused at once to all but one.
TEST(threaded_sqlite, several_connections_may_make_a_database_at_once) {
  const temporary_folder folder;
  for (int trial = 0; trial < 20; ++trial) {
    const auto path = folder.path() / std::to_string(trial);
    const auto failures = thrown_at_once(4, [&](std::size_t) {
      sqlite_connection connection(path, {.busy_timeout = std::chrono::minutes{2}});
      connection.execute("CREATE TABLE IF NOT EXISTS t(a)");
    });
    ASSERT_EQ(failures, std::vector<std::string>{}) << trial;
  }
}

// How often a file is open in this process.
std::size_t times_open(const std::filesystem::path& file) {
  std::size_t times = 0;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    if (std::filesystem::read_symlink(fd.path(), closed_meanwhile) == file) ++times;
  }
  return times;
}

// As a job that is started again does for its predecessor, which was killed a moment ago.
TEST(threaded_checkpoint_directory, waits_for_a_predecessor_that_is_about_to_go) {
  const temporary_folder folder;
  for (int trial = 0; trial < 10; ++trial) {
    auto predecessor = std::make_unique<checkpoint_directory>(folder.path());
    std::string failure;
    std::atomic<bool> given_up{false};
    {
      const std::jthread successor([&] {
        failure = message_of<io_error>([&] { const checkpoint_directory store(folder.path()); });
        given_up = true;
      });
      // It has come to the lock; it may be refused once or oftener before the predecessor goes.
      while (!given_up && times_open(folder.path() / "lock") < 2) std::this_thread::yield();
      for (int i = 0; i < 100; ++i) std::this_thread::yield();
      predecessor.reset();
    }
    ASSERT_EQ(failure, "") << trial;
  }
}

}  // namespace
}  // namespace millrace::waiting_test
