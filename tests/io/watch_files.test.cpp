#include "temporary_folder.hpp"

#include <millrace/io/read_lines.hpp>
#include <millrace/io/watch_files.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::watch_files_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Takes the names of files as a read operator does, a few at a time.
struct name_batch final : source_output<watched_file> {
  explicit name_batch(std::size_t most) : room(most) {}
  [[nodiscard]] bool full() const override { return names.size() >= room; }
  [[nodiscard]] watched_file& slot() override { return waiting; }
  void placed(timestamp at) override {
    names.push_back(std::filesystem::path(waiting.path).filename().string());
    times.push_back(at.millis());
  }

  std::size_t room;
  watched_file waiting;
  std::vector<std::string> names;
  std::vector<std::int64_t> times;
};

struct watched_folder {
  temporary_folder folder;
  watch_source source;
  watch_source::poller poller;
  explicit watched_folder(watch_options options = {.every = 10ms})
      : source((folder.path() / "*.txt").string(), options), poller(source.open(source.splits(4).front())) {}

  std::vector<std::string> read(std::int64_t now, read_status expected = read_status::waiting) {
    name_batch out(100);
    EXPECT_EQ(poller.read(out, timestamp{now}), expected);
    for (const std::int64_t t : out.times) EXPECT_EQ(t, now);
    return out.names;
  }
  // Goes on from a checkpoint.
  void restart() { poller = source.open(decode_whole<watch_split>(encode_whole(poller.remaining()))); }
};

TEST(watch_files, gives_each_new_file_once_and_after_a_restart_only_what_is_newer_15_3) {
  watched_folder w;
  w.folder.write("a.txt", "");
  EXPECT_THAT(w.read(100), ElementsAre("a.txt"));
  w.folder.write("b.txt", "");
  EXPECT_THAT(w.read(109), IsEmpty()) << "it is not time for a poll";
  EXPECT_THAT(w.read(110), ElementsAre("b.txt"));
  w.restart();
  std::filesystem::remove(w.folder.path() / "a.txt");
  w.folder.write("c.txt", "");
  w.folder.write(".d.txt", "");
  w.folder.write("e.log", "");
  EXPECT_THAT(w.read(111), IsEmpty());
  EXPECT_THAT(w.read(120), ElementsAre("c.txt"));
  EXPECT_THAT(w.read(130), IsEmpty());
}

TEST(watch_files, promises_the_time_of_its_last_poll) {
  watched_folder w;
  EXPECT_EQ(w.poller.promise().at, timestamp::min());
  w.read(100);
  EXPECT_EQ(w.poller.promise().at, timestamp{100});
  EXPECT_EQ(w.poller.next_read(), timestamp{110});
  w.read(115);
  EXPECT_EQ(w.poller.promise().at, timestamp{115});
}

TEST(watch_files, keeps_what_a_poll_found_until_it_is_given_out) {
  watched_folder w;
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) w.folder.write(name, "");
  name_batch first(2);
  EXPECT_EQ(w.poller.read(first, timestamp{100}), read_status::more);
  EXPECT_THAT(first.names, ElementsAre("a.txt", "b.txt"));
  w.restart();
  name_batch second(2);
  EXPECT_EQ(w.poller.read(second, timestamp{105}), read_status::waiting);
  EXPECT_THAT(second.names, ElementsAre("c.txt"));
  EXPECT_THAT(second.times, ElementsAre(100)) << "the poll was at 100, and so is the watermark";
}

TEST(watch_files, gives_a_changed_file_again_if_asked) {
  watched_folder w({.every = 10ms, .changes = true});
  w.folder.write("a.txt", "1");
  EXPECT_THAT(w.read(100), ElementsAre("a.txt"));
  EXPECT_THAT(w.read(110), IsEmpty());
  w.folder.write("a.txt", "12");
  EXPECT_THAT(w.read(120), ElementsAre("a.txt"));
}

TEST(watch_files, ends_after_its_time_or_after_silence) {
  watched_folder total({.every = 10ms, .stop_after = 20ms});
  EXPECT_THAT(total.read(100), IsEmpty());
  total.read(110);
  total.folder.write("a.txt", "");
  EXPECT_THAT(total.read(120, read_status::ended), ElementsAre("a.txt"));

  watched_folder silent({.every = 10ms, .stop_after_silence = 20ms});
  silent.read(100);
  silent.folder.write("a.txt", "");
  EXPECT_THAT(silent.read(110), ElementsAre("a.txt"));
  silent.restart();
  EXPECT_THAT(silent.read(120), IsEmpty());
  EXPECT_THAT(silent.read(130, read_status::ended), IsEmpty());
}

TEST(watch_files, feeds_a_pipeline_that_reads_the_lines) {
  const temporary_folder folder;
  folder.write("a.txt", "one\ntwo\n");
  folder.write("b.txt", "three");
  folder.write("empty.txt", "");
  pipeline p("test");
  recording<std::string> lines;
  p | watch_files("watch", (folder.path() / "*.txt").string(), {.every = 1ms, .stop_after = 1ms}) | read_lines("lines")
      | collect("collect", lines);
  run_direct(p);
  EXPECT_THAT(lines.values(), UnorderedElementsAre("one", "two", "three"));
}

TEST(watch_files, refuses_to_look_without_a_pause) {
  try {
    static_cast<void>(watch_files("watch", "x", {.every = 0ms}));
    FAIL() << "a pause of 0 ms was taken";
  } catch (const pipeline_error& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("\"watch\": files are looked for every 0 ms"));
  }
}

}  // namespace
}  // namespace millrace::watch_files_test
