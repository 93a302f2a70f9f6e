#include "example_run.hpp"
#include "telemetry_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::examples::telemetry_faults_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using strings = std::vector<std::string>;

outcome refused(const strings& arguments) {
  outcome run = run_example("telemetry", arguments);
  EXPECT_NE(run.exit_code, 0);
  EXPECT_LT(run.exit_code, 124) << "it must refuse, neither hang nor crash";
  return run;
}

strings small_job(const std::filesystem::path& output, const strings& more) {
  strings all{"--rate", "0", "--duration", "1", "--sensors", "50", "--output", output.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// All files below a folder whose names are not hidden.
strings files_in(const std::filesystem::path& folder) {
  strings all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
      all.push_back(entry.path().lexically_relative(folder).string());
  return all;
}

TEST(telemetry_faults, wrong_options_are_named_with_what_is_expected) {
  EXPECT_THAT(refused({"--sensor", "5"}).err, AllOf(HasSubstr("--sensor"), HasSubstr("did you mean --sensors?")));
  EXPECT_THAT(refused({"--rate", "fast"}).err, AllOf(HasSubstr("--rate"), HasSubstr("fast")));
  EXPECT_THAT(refused({"--rate", "-1"}).err, HasSubstr("--rate"));
  EXPECT_THAT(refused({"--rate", "nan"}).err, HasSubstr("--rate"));
  EXPECT_THAT(refused({"--sensors", "0"}).err, HasSubstr("option --sensors must be from 1 to"));
  EXPECT_THAT(refused({"--too-late", "1.5"}).err, HasSubstr("a share from 0 to 1"));
  EXPECT_THAT(refused({"--speed", "0"}).err, HasSubstr("option --speed must be"));
  EXPECT_THAT(refused({"--duration", "-5"}).err, HasSubstr("--duration"));
  EXPECT_THAT(refused({"--input", "a", "--generate", "b"}).err, HasSubstr("--generate"));
  EXPECT_THAT(refused({"records.jsonl"}).err, HasSubstr("records.jsonl"));
}

TEST(telemetry_faults, an_input_that_cannot_be_read_leaves_the_output_as_it_was) {
  const temporary_folder folder;
  const auto output = folder.path() / "out";
  ASSERT_EQ(run_example("telemetry", small_job(output, {})).exit_code, 0);
  const tables before = tables_in(output);
  const std::string missing = (folder.path() / "missing.jsonl").string();
  EXPECT_THAT(refused(small_job(output, {"--input", missing})).err, HasSubstr(missing));
  EXPECT_THAT(refused(small_job(output, {"--input", folder.path().string()})).err, HasSubstr(folder.path().string()));
  EXPECT_TRUE(tables_in(output) == before);
}

TEST(telemetry_faults, a_damaged_input_fails_the_job_and_gives_no_archive) {
  const temporary_folder folder;
  const auto input = folder.write("input.jsonl.zst", "this is not compressed");
  const auto output = folder.path() / "out";
  EXPECT_THAT(refused(small_job(output, {"--input", input.string()})).err, HasSubstr(input.string()));
  EXPECT_THAT(files_in(output / "archive"), IsEmpty());
}

TEST(telemetry_faults, an_output_that_cannot_be_written_is_named) {
  const temporary_folder folder;
  const auto file = folder.write("file", "in the way");
  EXPECT_THAT(refused(small_job(file / "out", {})).err, HasSubstr(file.string()));
  EXPECT_THAT(refused({"--duration", "1", "--generate", (file / "records.jsonl").string()}).err,
              HasSubstr(file.string()));
  EXPECT_EQ(content_of(file), "in the way");
}

// A limit on the size of files stands in for a full disk.
TEST(telemetry_faults, a_full_disk_fails_the_job_and_leaves_nothing_half_written) {
  const temporary_folder folder;
  const std::string program = quoted(std::string(MILLRACE_EXAMPLES_DIR "/telemetry"));
  const std::string full = "trap '' XFSZ; ulimit -f 200; exec timeout 120 " + program + " --rate 0 --duration 3 ";
  const auto output = folder.path() / "out";
  const outcome job = run_shell("( " + full + "--output " + quoted(output.string()) + " )");
  EXPECT_EQ(job.exit_code, 1) << job.err;
  EXPECT_THAT(job.err, HasSubstr(output.string()));
  EXPECT_TRUE(std::filesystem::is_empty(output / "archive")) << "what fills the disk is of no use to anybody";

  const auto target = folder.path() / "records.jsonl";
  const outcome generated = run_shell("( " + full + "--generate " + quoted(target.string()) + " )");
  EXPECT_EQ(generated.exit_code, 2) << generated.err;
  EXPECT_THAT(generated.err, AllOf(HasSubstr(target.string()), HasSubstr("cannot write")));
  EXPECT_EQ(folder.names(), strings{"out"});
}

TEST(telemetry_faults, an_empty_input_gives_empty_tables_and_an_empty_archive) {
  const temporary_folder folder;
  const auto empty = folder.write("empty.jsonl", "");
  for (const strings& job : {small_job(folder.path() / "a", {"--input", empty.string()}),
                             small_job(folder.path() / "b", {"--duration", "0"})}) {
    const outcome run = run_example("telemetry", job);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(balance_of(run.out), (balance{0, 0, 0, 0, 0}));
  }
  EXPECT_TRUE(tables_in(folder.path() / "a") == tables{});
  const auto archive = folder.path() / "a" / "archive" / "readings-00000-of-00001.jsonl.zst";
  EXPECT_TRUE(std::filesystem::exists(archive));
  const outcome again = run_example("telemetry", small_job(folder.path() / "c", {"--input", archive.string()}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(tables_in(folder.path() / "c") == tables{});
}

TEST(telemetry_faults, lines_that_are_no_text_or_too_long_are_dead_letters) {
  const temporary_folder folder;
  const std::string good =
      R"({"device":"s-00017","region":"eu-west","time":"2026-01-01T00:00:00.123Z","celsius":21.5})";
  const std::string broken = R"({"device":"s-00018","region":")"
                             "\xff\xfe"
                             R"(","time":"2026-01-01T00:00:01.000Z","celsius":1})";
  const std::string endless(17 << 20, 'x');
  const auto input = folder.write("input.jsonl", good + "\n" + broken + "\n" + endless + "\n{\n");
  const auto output = folder.path() / "out";
  const outcome run = run_example("telemetry", small_job(output, {"--input", input.string()}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(balance_of(run.out), (balance{4, 1, 0, 0, 3}));

  database db(output / "telemetry.sqlite");
  const std::string from = "SELECT count(*) FROM dead_letters WHERE ";
  EXPECT_EQ(db.number(from + "step = 'read' AND payload LIKE '%\\xff\\xfe%' AND device = 's-00018' AND error LIKE '%"
                      + input.string() + "%offset " + std::to_string(good.size() + 1 + broken.find('\xff')) + " %'"),
            1);
  const std::size_t endless_at = good.size() + broken.size() + 2;
  EXPECT_EQ(db.number(from
                      + "step = 'read' AND payload LIKE 'xxxx%' AND length(payload) < 5000 AND error LIKE '%offset "
                      + std::to_string(endless_at) + " of " + input.string() + " is longer than the limit%'"),
            1);
  EXPECT_EQ(db.number(from + "step = 'parse' AND payload = '{'"), 1);
  EXPECT_EQ(db.number("SELECT count(*) FROM minutes"), 1);
}

TEST(telemetry_faults, help_lists_the_options) {
  const outcome help = run_example("telemetry", {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* option : {"--duration", "--sensors", "--rate", "--speed", "--seed", "--too-late", "--input",
                             "--generate", "--output", "--checkpoints", "--shards", "--help"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

}  // namespace
}  // namespace millrace::examples::telemetry_faults_test
