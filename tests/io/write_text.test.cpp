#include "temporary_folder.hpp"

#include <millrace/io/io_error.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::write_text_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const window first_ten{timestamp{0}, timestamp{10}};
const window second_ten{timestamp{10}, timestamp{20}};

// One shard's files, driven by hand.
struct driven_files {
  explicit driven_files(const temporary_folder& folder, text_files_options options = {}, std::uint32_t shard = 0,
                        const std::filesystem::path& temp_folder = {}) {
    options.prefix = (folder.path() / "out").string();
    in = std::make_unique<operator_environment>(operator_environment{.step = "write",
                                                                     .shard = shard,
                                                                     .shards = 2,
                                                                     .clock = clock,
                                                                     .metrics = metrics,
                                                                     .job = "job",
                                                                     .temp_folder = temp_folder.string()});
    files = std::make_unique<text_files>(options, *in);
  }
  void write(const std::string& line, const window& w = window::global()) { files->write(line, w, {}); }
  void end() { clock.output_watermark = timestamp::max(); }
  [[nodiscard]] std::string snapshot() const {
    writer bytes;
    files->snapshot(bytes);
    return std::string(bytes.bytes());
  }
  void restore(const std::string& bytes) {
    reader from{std::string_view(bytes)};
    files->restore(from);
    from.expect_end();
  }

  stage_clock clock;
  metric_board metrics;
  std::unique_ptr<operator_environment> in;
  std::unique_ptr<text_files> files;
};

TEST(text_files, appear_whole_at_the_commit_and_not_before) {
  const temporary_folder folder;
  driven_files of(folder);
  of.write("one");
  of.files->prepare(1);
  of.files->commit(1);
  of.write("two");
  of.end();
  of.files->prepare(2);
  for (const auto& name : folder.names()) EXPECT_THAT(name, HasSubstr(".tmp"));
  of.files->commit(2);
  EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00002"));
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00002"), "one\ntwo\n");
  of.files->commit(2);
  EXPECT_THAT(folder.names(), SizeIs(1));
}

TEST(text_files, are_written_in_the_temporary_folder_until_they_are_complete) {
  const temporary_folder folder;
  const temporary_folder temporaries;
  const auto in_progress = temporaries.path() / "made" / "for it";
  std::string snapshot;
  {
    driven_files of(folder, {}, 0, in_progress);
    of.write("one");
    of.files->prepare(1);
    snapshot = of.snapshot();
    of.files->commit(1);
    of.write("an orphan", first_ten);
    of.files->prepare(2);
    EXPECT_THAT(folder.names(), IsEmpty());
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(in_progress), {}), 2);
  }
  driven_files again(folder, {}, 0, in_progress);
  again.restore(snapshot);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(in_progress), {}), 1) << "the orphan is gone";
  again.write("two");
  again.end();
  again.files->prepare(2);
  again.files->commit(2);
  EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00002"));
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00002"), "one\ntwo\n");
  EXPECT_TRUE(std::filesystem::is_empty(in_progress));
}

TEST(text_files, share_a_temporary_folder_with_a_job_of_the_same_name_that_writes_elsewhere) {
  const temporary_folder folder;
  const temporary_folder other;
  const temporary_folder temporaries;
  driven_files one(folder, {}, 0, temporaries.path());
  one.write("one");
  driven_files two(other, {}, 0, temporaries.path());
  two.write("two");
  two.files->abort();
  one.end();
  one.files->prepare(1);
  one.files->commit(1);
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00002"), "one\n");
}

TEST(text_files, refuse_a_temporary_folder_on_another_file_system) {
  const temporary_folder folder;
  EXPECT_THAT(message_of<io_error>([&] { const driven_files of(folder, {}, 0, "/proc/self"); }),
              AllOf(HasSubstr("/proc/self"), HasSubstr(folder.path().string()), HasSubstr("temp_location")));
}

// A snapshot of a job that has gone on since: U32 of the user cases.
TEST(text_files, U32_an_older_snapshot_is_exact_though_its_files_were_published_since) {
  const temporary_folder folder;
  std::string oldest;
  {
    driven_files of(folder);
    of.write("one");
    of.write("ten", second_ten);
    of.files->prepare(1);
    oldest = of.snapshot();
    of.files->commit(1);
    of.write("two");
    of.write("twenty", second_ten);
    of.files->prepare(2);
    of.files->commit(2);
    of.write("three", first_ten);
    of.end();
    of.files->prepare(3);
    of.files->commit(3);
  }
  const auto published = [&] {
    std::map<std::string, std::string> all;
    for (const auto& name : folder.names()) all[name] = content_of(folder.path() / name);
    return all;
  };
  const auto whole = published();
  EXPECT_THAT(whole, SizeIs(3));
  driven_files again(folder);
  again.restore(oldest);
  again.files->commit(1);
  again.write("two");
  again.write("twenty", second_ten);
  again.write("three", first_ten);
  again.end();
  again.files->prepare(2);
  again.files->commit(2);
  EXPECT_EQ(published(), whole);

  driven_files once_more(folder);
  for (const auto& name : folder.names()) std::filesystem::remove(folder.path() / name);
  EXPECT_THAT(message_of<io_error>([&] { once_more.restore(oldest); }),
              AllOf(HasSubstr("4 bytes"), HasSubstr(".tmp"), HasSubstr((folder.path() / "out").string()),
                    HasSubstr("newer checkpoint")));
}

// As a changed program or a new job does that starts from a snapshot.
TEST(text_files, of_another_step_or_job_are_copied_and_go_with_the_next_epoch_only_if_they_are_the_jobs_own) {
  for (const bool same_job : {true, false}) {
    const temporary_folder folder;
    std::string snapshot;
    driven_files of(folder);
    of.write("one");
    of.files->prepare(1);
    snapshot = of.snapshot();
    of.files->commit(1);
    of.write("two");
    of.files->prepare(2);  // its bytes are behind the snapshot

    driven_files other(folder);
    other.in->step = "lines";
    if (!same_job) other.in->job = "new job";
    other.files =
        std::make_unique<text_files>(text_files_options{.prefix = (folder.path() / "other").string()}, *other.in);
    other.restore(snapshot);
    other.files->commit(1);
    EXPECT_THAT(folder.names(), SizeIs(2)) << "a crash now starts from the snapshot again";
    other.write("three");
    other.end();
    other.files->prepare(2);
    other.files->commit(2);
    EXPECT_EQ(content_of(folder.path() / "other-00000-of-00002"), "one\nthree\n");
    EXPECT_THAT(folder.names(), SizeIs(same_job ? 1 : 2)) << "another job's files are its own";
  }
}

TEST(text_files, are_cut_back_to_the_epoch_that_is_restored) {
  const temporary_folder folder;
  std::string snapshot;
  {
    driven_files of(folder);
    of.write("one");
    of.files->prepare(1);
    snapshot = of.snapshot();
    of.files->commit(1);
    of.write("lost");
    of.write("an orphan", first_ten);
    of.files->prepare(2);
  }
  EXPECT_THAT(folder.names(), SizeIs(2));
  driven_files again(folder);
  again.restore(snapshot);
  EXPECT_THAT(folder.names(), SizeIs(1));
  again.files->commit(1);
  again.write("two");
  again.end();
  again.files->prepare(2);
  again.files->commit(2);
  EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00002"));
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00002"), "one\ntwo\n");
}

TEST(text_files, are_published_again_without_harm_when_a_commit_is_repeated_after_a_crash) {
  for (const bool crashed_after_commit : {false, true}) {
    const temporary_folder folder;
    std::string snapshot;
    {
      driven_files of(folder);
      of.write("one");
      of.end();
      of.files->prepare(1);
      snapshot = of.snapshot();
      if (crashed_after_commit) of.files->commit(1);
    }
    driven_files again(folder);
    again.restore(snapshot);
    again.files->commit(1);
    EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00002"));
    EXPECT_EQ(content_of(folder.path() / "out-00000-of-00002"), "one\n");
  }
}

TEST(text_files, of_a_window_are_complete_when_the_watermark_has_passed_it) {
  const temporary_folder folder;
  driven_files of(folder);
  of.write("a", first_ten);
  of.write("b", second_ten);
  of.clock.output_watermark = timestamp{9};
  of.files->prepare(1);
  of.files->commit(1);
  EXPECT_FALSE(
      std::filesystem::exists(folder.path() / "out-1970-01-01T00:00:00.000Z-1970-01-01T00:00:00.010Z-00000-of-00002"));
  of.clock.output_watermark = timestamp{10};
  of.files->prepare(2);
  of.files->commit(2);
  EXPECT_EQ(content_of(folder.path() / "out-1970-01-01T00:00:00.000Z-1970-01-01T00:00:00.010Z-00000-of-00002"), "a\n");
  EXPECT_THAT(folder.names(), SizeIs(2));
}

TEST(text_files, wait_for_the_allowed_lateness_and_drop_what_comes_after) {
  const temporary_folder folder;
  driven_files of(folder, {.allowed_lateness = duration{5}});
  of.write("a", first_ten);
  of.clock.output_watermark = timestamp{14};
  of.files->prepare(1);
  of.files->commit(1);
  of.write("late but allowed", first_ten);
  of.clock.output_watermark = timestamp{15};
  of.files->prepare(2);
  of.files->commit(2);
  of.write("too late", first_ten);
  EXPECT_EQ(of.metrics.dropped("late"), 1U);
  EXPECT_EQ(content_of(folder.path() / "out-1970-01-01T00:00:00.000Z-1970-01-01T00:00:00.010Z-00000-of-00002"),
            "a\nlate but allowed\n");
}

TEST(text_files, may_be_more_than_can_be_open) {
  const temporary_folder folder;
  driven_files of(folder);
  const auto window_of = [](std::int64_t i) { return window{timestamp{i}, timestamp{i + 1}}; };
  for (const char* line : {"first", "second"})
    for (std::int64_t i = 0; i < 70; ++i) of.write(line, window_of(i));
  of.files->prepare(1);
  const auto snapshot = of.snapshot();
  driven_files again(folder);
  again.restore(snapshot);
  for (std::int64_t i = 0; i < 70; ++i) again.write("third", window_of(i));
  again.end();
  again.files->prepare(2);
  again.files->commit(2);
  ASSERT_THAT(folder.names(), SizeIs(70));
  for (const auto& name : folder.names()) EXPECT_EQ(content_of(folder.path() / name), "first\nsecond\nthird\n");
}

TEST(text_files, leave_nothing_behind_an_abort_but_what_is_complete) {
  const temporary_folder folder;
  driven_files of(folder);
  of.write("complete", first_ten);
  of.clock.output_watermark = timestamp{10};
  of.files->prepare(1);
  of.files->commit(1);
  const auto published = folder.names();
  EXPECT_THAT(published, SizeIs(1));
  of.write("in an epoch", second_ten);
  of.files->prepare(2);
  of.files->commit(2);
  of.write("in none", window{timestamp{20}, timestamp{30}});
  EXPECT_THAT(folder.names(), SizeIs(3));
  of.files->abort();
  EXPECT_EQ(folder.names(), published);
}

TEST(text_files, remove_what_an_earlier_run_of_the_job_left_but_not_what_others_write) {
  const temporary_folder folder;
  {
    driven_files(folder).write("abandoned");
  }
  driven_files other(folder, {}, 1);
  other.write("of another shard");
  EXPECT_THAT(folder.names(), SizeIs(2));
  driven_files again(folder);
  again.write("new");
  EXPECT_THAT(folder.names(), SizeIs(2));
}

TEST(write_text, writes_a_file_with_a_header_and_the_ending_of_its_compression) {
  const temporary_folder folder;
  pipeline p("test");
  const auto lines = p | create("lines", {"a", "b"});
  lines | write_text("plain", (folder.path() / "plain").string(), {.suffix = ".csv", .header = "name"});
  lines | write_text("packed", (folder.path() / "deep/packed").string(), {.kind = compression::zstd});
  run_direct(p);
  EXPECT_THAT(folder.names(), ElementsAre("deep", "plain-00000-of-00001.csv"));
  EXPECT_EQ(content_of(folder.path() / "plain-00000-of-00001.csv"), "name\na\nb\n");
  compressed_reader packed(folder.path() / "deep/packed-00000-of-00001.zst", compression::zstd);
  std::string text(100, ' ');
  text.resize(packed.read(text));
  EXPECT_EQ(text, "a\nb\n");
}

TEST(write_text, compresses_by_a_suffix_that_is_nothing_but_an_ending) {
  const temporary_folder folder;
  pipeline p("test");
  p | create("lines", {"a", "b"}) | write_text("write", (folder.path() / "f").string(), {.suffix = ".gz"});
  run_direct(p);
  EXPECT_THAT(folder.names(), ElementsAre("f-00000-of-00001.gz"));
  compressed_reader packed(folder.path() / "f-00000-of-00001.gz", compression::gzip);
  std::string text(100, ' ');
  text.resize(packed.read(text));
  EXPECT_EQ(text, "a\nb\n");
}

TEST(write_text, gives_an_empty_file_for_an_empty_input) {
  const temporary_folder folder;
  pipeline p("test");
  p | create<std::string>("none", {}) | write_text("write", (folder.path() / "out").string());
  run_direct(p);
  EXPECT_THAT(folder.names(), ElementsAre("out-00000-of-00001"));
  EXPECT_EQ(content_of(folder.path() / "out-00000-of-00001"), "");
}

TEST(write_text, says_that_it_skips_empty_files) {
  pipeline p("test");
  const auto lines = p | create("lines", {"a"});
  lines | write_text("some", "out", {.skip_if_empty = true});
  lines | write_text("all", "out2");
  EXPECT_THAT(p.description().nodes().at(1).spec->describe(), HasSubstr("no empty files"));
  EXPECT_THAT(p.description().nodes().at(2).spec->describe(), ::testing::Not(HasSubstr("no empty files")));
}

TEST(write_text, refuses_what_could_never_be_complete) {
  pipeline p("test");
  const auto lines = p | test_stream<std::string>("input").add({"a"});
  EXPECT_THAT(message_of<pipeline_error>([&] { lines | write_text("write", "out"); }), HasSubstr("window_into"));
  const auto bounded = p | create("lines", {"a"});
  EXPECT_THAT(message_of<pipeline_error>([&] { bounded | write_text("folder", "out/"); }),
              HasSubstr("beginning of a name"));
}

TEST(write_text, fixes_the_shards_it_was_given) {
  pipeline p("test");
  p | create("lines", {"a"}) | write_text("three", "out", {.shards = 3});
  EXPECT_EQ(p.description().nodes().at(1).spec->fixed_shards(), 3U);
}

TEST(write_text, says_which_step_could_not_write) {
  const temporary_folder folder;
  const auto blocked = folder.write("file", "").string();
  pipeline p("test");
  p | create("lines", {"a"}) | write_text("write", blocked + "/out");
  EXPECT_THAT(message_of<write_failure>([&] { run_direct(p); }), HasSubstr("step \"write\""));
}

}  // namespace
}  // namespace millrace::write_text_test
