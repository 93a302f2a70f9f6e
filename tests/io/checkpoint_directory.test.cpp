#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/io_error.hpp>
#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace millrace::checkpoint_directory_test {
namespace {

checkpoint epoch(std::uint64_t number, const std::string& content) {
  checkpoint c;
  c.job = "job";
  c.fingerprint = "print";
  c.program = "program";
  c.epoch = number;
  c.clock = timestamp{-5};
  c.parts[{0, 0}] = std::make_shared<const std::string>(content);
  c.parts[{1, 3}] = std::make_shared<const std::string>(std::string("\0binary", 7));
  return c;
}

std::size_t epoch_files(const std::filesystem::path& folder) {
  std::size_t n = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder)) n += e.path().extension() == ".checkpoint" ? 1 : 0;
  return n;
}

std::filesystem::path newest_file(const std::filesystem::path& folder) {
  std::filesystem::path newest;
  for (const auto& e : std::filesystem::directory_iterator(folder))
    if (e.path().extension() == ".checkpoint") newest = std::max(newest, e.path());
  return newest;
}

TEST(checkpoint_directory, gives_back_the_newest_epoch_and_keeps_two) {
  const temporary_folder at;
  {
    checkpoint_directory store(at.path() / "state");
    EXPECT_FALSE(store.newest());
    for (const std::uint64_t n : {1U, 2U, 9U, 10U}) store.write(epoch(n, "content " + std::to_string(n)));
  }
  EXPECT_EQ(epoch_files(at.path() / "state"), 2U);
  checkpoint_directory again(at.path() / "state");
  const auto newest = again.newest();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->epoch, 10U);
  EXPECT_EQ(newest->clock, timestamp{-5});
  EXPECT_EQ(newest->job, "job");
  EXPECT_EQ(newest->fingerprint, "print");
  EXPECT_EQ(newest->program, "program");
  EXPECT_EQ(*newest->parts.at({0, 0}), "content 10");
  EXPECT_EQ(*newest->parts.at({1, 3}), std::string("\0binary", 7));
}

TEST(checkpoint_directory, passes_a_damaged_epoch_over_wherever_it_is_damaged) {
  const temporary_folder at;
  for (const bool cut : {false, true}) {
    for (std::size_t byte = 0; byte < 160; byte += 7) {
      const auto folder = at.path() / (std::to_string(byte) + (cut ? "cut" : "flip"));
      checkpoint_directory store(folder);
      store.write(epoch(1, "older"));
      store.write(epoch(2, "newer"));
      const auto file = newest_file(folder);
      if (byte >= std::filesystem::file_size(file)) continue;
      if (cut) {
        std::filesystem::resize_file(file, byte);
      } else {
        std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
        f.seekg(static_cast<std::streamoff>(byte));
        const int before = f.get();
        f.seekp(static_cast<std::streamoff>(byte));
        f.put(static_cast<char>(before ^ 0x10));
      }
      const auto newest = store.newest();
      ASSERT_TRUE(newest) << byte;
      EXPECT_EQ(*newest->parts.at({0, 0}), "older") << byte;
    }
  }
}

TEST(checkpoint_directory, does_not_begin_anew_when_every_epoch_is_damaged) {
  const temporary_folder at;
  checkpoint_directory store(at.path());
  store.write(epoch(1, "content"));
  std::filesystem::resize_file(newest_file(at.path()), 30);
  try {
    (void)store.newest();
    FAIL() << "a damaged checkpoint was taken for none";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find(newest_file(at.path()).string()), std::string::npos) << e.what();
  }
}

TEST(checkpoint_directory, is_used_by_one_process_at_a_time) {
  const temporary_folder at;
  const checkpoint_directory first(at.path());
  EXPECT_THROW(checkpoint_directory second(at.path()), io_error);
}

TEST(checkpoint_directory, an_empty_path_is_no_store) {
  EXPECT_EQ(directory(""), nullptr);
}

}  // namespace
}  // namespace millrace::checkpoint_directory_test
