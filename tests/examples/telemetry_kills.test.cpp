#include "example_run.hpp"
#include "telemetry_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <random>

namespace millrace::examples::telemetry_kills_test {
namespace {

using strings = std::vector<std::string>;

// Sixty thousand records in ten seconds, over ten minutes of event time.
constexpr std::int64_t records = 60'000;
strings paced_job(const std::filesystem::path& output) {
  return {"--rate",   "6000",          "--duration",         "10",   "--speed",    "60",  "--sensors", "200",
          "--output", output.string(), "--checkpoint_every", "50ms", "--progress", "20ms"};
}
strings with(strings job, const strings& more) {
  job.insert(job.end(), more.begin(), more.end());
  return job;
}

// What one start of a job said.
struct start_account {
  std::int64_t resumed_from = 0;
  std::int64_t resumed_read = 0;
  std::int64_t read = 0;   // the last figure
  std::int64_t epoch = 0;  // the newest one
  std::int64_t closed_minutes_seen = 0;
};

// Rows of minutes that end before the last minute that has any.
std::int64_t closed_minutes(const std::filesystem::path& output) {
  const auto file = output / "telemetry.sqlite";
  if (!std::filesystem::exists(file)) return 0;
  database db(file);
  if (db.number("SELECT count(*) FROM sqlite_master WHERE name = 'minutes'") == 0) return 0;
  return db.number("SELECT count(*) FROM minutes WHERE minute < (SELECT max(minute) FROM minutes)");
}

// Starts the job and kills it once it has shown `lines` lines with an epoch of its own and, if that is asked for,
// closed minutes were seen; at its end if that does not happen.
start_account start_and_kill(const strings& job, const std::filesystem::path& output, int lines, bool until_closed) {
  start_account account;
  running_example telemetry("telemetry", job);
  while (lines > 0 || (until_closed && account.closed_minutes_seen == 0)) {
    const auto line = telemetry.next_line();
    if (!line) break;
    if (line->starts_with("resumed from epoch ")) {
      account.resumed_from = number_after(*line, "epoch ");
      account.resumed_read = number_after(*line, "(");
      continue;
    }
    if (!line->starts_with("read ")) continue;
    account.read = number_after(*line, "read ");
    account.epoch = number_after(*line, ", epoch ");
    if (account.epoch > account.resumed_from) --lines;
    account.closed_minutes_seen = std::max(account.closed_minutes_seen, closed_minutes(output));
  }
  telemetry.kill();
  return account;
}

// One that was killed may leave a line unread: the checkpoint that the next start finds may be newer than the last
// line.
TEST(telemetry_kills, five_times_end_with_the_tables_of_an_undisturbed_run) {
  const temporary_folder folder;
  const auto output = folder.path() / "killed";
  const strings job = with(paced_job(output), {"--checkpoints", (folder.path() / "checkpoints").string()});
  std::mt19937 random(20260101);
  std::int64_t read_in_all = 0;
  std::int64_t closed_minutes_seen = 0;
  std::int64_t epoch = 0;
  std::int64_t read = 0;
  for (int kill = 0; kill < 5; ++kill) {
    const start_account account = start_and_kill(job, output, static_cast<int>(1 + random() % 15), kill == 4);
    EXPECT_GE(account.resumed_from, epoch) << "start " << kill << " tells the epoch it resumed from";
    EXPECT_EQ(account.resumed_from > 0, kill > 0) << "start " << kill;
    EXPECT_GT(account.epoch, account.resumed_from) << "start " << kill << " has an epoch of its own";
    read_in_all += std::max(account.read, account.resumed_read) - account.resumed_read;
    closed_minutes_seen = std::max(closed_minutes_seen, account.closed_minutes_seen);
    epoch = account.epoch;
    read = account.read;
  }
  EXPECT_LT(read, records) << "the job was killed before its end";

  const outcome last = run_example("telemetry", job);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_GE(number_after(last.err, "resumed from epoch "), epoch);
  read_in_all += records - number_after(last.err, " (");
  EXPECT_EQ(balance_of(last.out).read, records);
  EXPECT_GE(read_in_all, records - 1000);
  EXPECT_LE(read_in_all, records * 13 / 10);
  EXPECT_GT(closed_minutes_seen, 0) << "another process sees minutes while the job runs";

  // Undisturbed it reads the same records from a file, which takes no ten seconds.
  const std::string file = (folder.path() / "records.jsonl").string();
  ASSERT_EQ(run_example("telemetry", with(job, {"--generate", file})).exit_code, 0);
  const outcome undisturbed =
      run_example("telemetry", with(paced_job(folder.path() / "undisturbed"), {"--input", file}));
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  EXPECT_EQ(last.out, undisturbed.out);
  EXPECT_TRUE(tables_in(output) == tables_in(folder.path() / "undisturbed"));
}

// Early results sooner: another trigger, hence another program.
TEST(telemetry_kills, a_killed_job_goes_on_as_a_changed_program_if_it_is_told_to_update) {
  const temporary_folder folder;
  const auto output = folder.path() / "killed";
  const strings job = with(paced_job(output), {"--checkpoints", (folder.path() / "checkpoints").string()});
  EXPECT_GT(start_and_kill(job, output, 5, false).epoch, 0);

  const strings changed = with(job, {"--early", "1s"});
  const outcome refused = run_example("telemetry", changed);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("another pipeline"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("update"), std::string::npos) << refused.err;

  const strings updating = with(changed, {"--update"});
  const outcome misnamed =
      run_example("telemetry", with(updating, {"--transform_name_mapping", R"({"minute": "minutes"})"}));
  EXPECT_EQ(misnamed.exit_code, 2);
  EXPECT_NE(misnamed.err.find("no step \"minute\""), std::string::npos) << misnamed.err;

  const outcome updated = run_example("telemetry", updating);
  ASSERT_EQ(updated.exit_code, 0) << updated.err;
  EXPECT_GT(number_after(updated.err, "resumed from epoch "), 0);
  EXPECT_EQ(balance_of(updated.out).read, records);

  const std::string file = (folder.path() / "records.jsonl").string();
  ASSERT_EQ(run_example("telemetry", with(job, {"--generate", file})).exit_code, 0);
  const outcome undisturbed =
      run_example("telemetry", with(paced_job(folder.path() / "undisturbed"), {"--input", file}));
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.err;
  EXPECT_EQ(updated.out, undisturbed.out);
  EXPECT_TRUE(tables_in(output) == tables_in(folder.path() / "undisturbed"));
}

TEST(telemetry_options, an_update_or_snapshot_says_what_it_lacks) {
  const temporary_folder folder;
  const auto refusal = [&](const strings& more) {
    const outcome of =
        run_example("telemetry", with({"--duration", "1", "--output", (folder.path() / "out").string()}, more));
    EXPECT_EQ(of.exit_code, 2) << of.err;
    return of.err;
  };
  const std::string empty = (folder.path() / "empty").string();
  EXPECT_NE(refusal({"--update"}).find("--checkpoints"), std::string::npos);
  EXPECT_NE(refusal({"--update", "--checkpoints", empty}).find("nothing to update"), std::string::npos);
  EXPECT_NE(refusal({"--transform_name_mapping", "{}"}).find("--update"), std::string::npos);
  EXPECT_NE(refusal({"--create_from_snapshot", empty}).find("no snapshot in " + empty), std::string::npos);
}

TEST(telemetry_kills, a_job_that_has_ended_ends_at_once_when_it_is_started_again) {
  const temporary_folder folder;
  const strings job = {"--rate",        "0",
                       "--duration",    "1",
                       "--sensors",     "50",
                       "--output",      (folder.path() / "out").string(),
                       "--checkpoints", (folder.path() / "checkpoints").string()};
  const outcome first = run_example("telemetry", job);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const tables written = tables_in(folder.path() / "out");
  const outcome again = run_example("telemetry", job);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(number_after(again.err, " ("), 20'000) << again.err;
  EXPECT_TRUE(tables_in(folder.path() / "out") == written);
}

// A minute lasts a minute of the clock here, so that no row can be final.
TEST(telemetry_early, shows_a_minute_before_it_has_ended) {
  const temporary_folder folder;
  running_example telemetry("telemetry", {"--rate", "2000", "--speed", "1", "--sensors", "20", "--early", "200ms",
                                          "--checkpoint_every", "100ms", "--progress", "50ms", "--output",
                                          (folder.path() / "out").string()});
  std::int64_t early_rows = 0;
  std::int64_t read = 0;
  while (early_rows == 0) {
    const auto line = telemetry.next_line();
    ASSERT_TRUE(line) << "the job ended without an early result";
    read = std::max(read, number_after(*line, "read "));
    const auto file = folder.path() / "out" / "telemetry.sqlite";
    if (!std::filesystem::exists(file)) continue;
    database db(file);
    if (db.number("SELECT count(*) FROM sqlite_master WHERE name = 'minutes'") == 0) continue;
    early_rows = db.number("SELECT count(*) FROM minutes");
  }
  telemetry.kill();
  EXPECT_LT(read, 2000 * 60) << "the first minute has not ended";
}

}  // namespace
}  // namespace millrace::examples::telemetry_kills_test
