#include "example_run.hpp"
#include "telemetry_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace millrace::examples::telemetry_test {
namespace {

using ::testing::HasSubstr;
using strings = std::vector<std::string>;

constexpr std::int64_t sensors = 200;

// Sixty thousand records over ten minutes of event time.
strings small_job(const strings& more) {
  strings all{"--rate", "0", "--duration", "3", "--speed", "200", "--seed", "1", "--sensors", std::to_string(sensors)};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

balance run_small_job(const std::filesystem::path& output, const strings& more = {}) {
  strings all = small_job({"--output", output.string()});
  all.insert(all.end(), more.begin(), more.end());
  const outcome run = run_example("telemetry", all);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return balance_of(run.out);
}

std::filesystem::path generate(const temporary_folder& in, const strings& more = {}) {
  const auto file = in.path() / "records.jsonl";
  strings all = small_job({"--generate", file.string()});
  all.insert(all.end(), more.begin(), more.end());
  const outcome run = run_example("telemetry", all);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return file;
}

// Computes in `db` what telemetry should make of a file of records.
void compute(database& db, const std::filesystem::path& records) {
  db.run("CREATE TABLE lines (number INTEGER PRIMARY KEY, line TEXT); CREATE TABLE devices (count INTEGER); "
         "INSERT INTO devices VALUES ("
         + std::to_string(sensors) + "); BEGIN");
  std::ifstream in(records);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    for (auto at = line.find('\''); at != std::string::npos; at = line.find('\'', at + 2)) line.insert(at, "'");
    text += "INSERT INTO lines (line) VALUES ('" + line + "');";
    if (text.size() < 100'000) continue;
    db.run(text);
    text.clear();
  }
  db.run(text + "COMMIT");
  db.run(content_of(beside_tests("telemetry.sql")));
}

// Rows that one of two tables or queries has and the other has not.
std::int64_t difference(database& db, const std::string& a, const std::string& b) {
  return db.number("SELECT (SELECT count(*) FROM (" + a + " EXCEPT " + b + ")) + (SELECT count(*) FROM (" + b
                   + " EXCEPT " + a + "))");
}

void expect_computed_tables(database& db, const std::filesystem::path& output) {
  db.run("ATTACH '" + (output / "telemetry.sqlite").string() + "' AS got");
  EXPECT_EQ(difference(db, "SELECT device, minute, count, min, mean, max FROM got.minutes",
                       "SELECT device, minute, count, min, mean, max FROM expected_minutes"),
            0);
  EXPECT_EQ(difference(db, "SELECT region, minute, rank, device, celsius FROM got.top_readings",
                       "SELECT region, minute, rank, device, celsius FROM expected_top_readings"),
            0);
  EXPECT_EQ(difference(db, "SELECT payload, count(*) FROM got.dead_letters GROUP BY 1",
                       "SELECT payload, count(*) FROM expected_letters GROUP BY 1"),
            0);
  EXPECT_GT(db.number("SELECT count(*) FROM got.minutes"), 1500);
  EXPECT_GT(db.number("SELECT count(*) FROM got.top_readings"), 500);
  db.run("DETACH got");
}

balance computed_balance(database& db) {
  return {
      db.number("SELECT count(*) FROM lines"), db.number("SELECT count(*) FROM readings"),
      db.number("SELECT (SELECT count(*) FROM usable) - (SELECT count(*) FROM late) - (SELECT count(*) FROM readings)"),
      db.number("SELECT count(*) FROM late"), db.number("SELECT count(*) FROM expected_letters")};
}

TEST(telemetry, writes_what_sql_computes_from_the_generated_file_and_the_same_again_at_any_number_of_shards) {
  const temporary_folder folder;
  const balance first = run_small_job(folder.path() / "first");
  EXPECT_EQ(run_small_job(folder.path() / "second", {"--shards", "3"}), first);
  const tables written = tables_in(folder.path() / "first");
  EXPECT_TRUE(tables_in(folder.path() / "second") == written);

  database db(folder.path() / "computed.sqlite");
  compute(db, generate(folder));
  expect_computed_tables(db, folder.path() / "first");
  EXPECT_EQ(computed_balance(db), first);
  EXPECT_EQ(first.read, 60'000);
  EXPECT_EQ(first.late, 0);
  EXPECT_GT(first.repeated, 400);
  EXPECT_GT(first.dead_lettered, 400);
}

TEST(telemetry, gives_other_records_for_another_seed) {
  const temporary_folder folder;
  const std::string one = content_of(generate(folder));
  EXPECT_TRUE(one == content_of(generate(folder)));
  EXPECT_FALSE(one == content_of(generate(folder, {"--seed", "2"})));
}

TEST(telemetry, makes_the_same_of_its_records_from_a_file_and_from_its_archive) {
  const temporary_folder folder;
  const balance generated = run_small_job(folder.path() / "generated");
  const auto file = generate(folder);
  EXPECT_EQ(run_small_job(folder.path() / "read", {"--input", file.string()}), generated);
  EXPECT_TRUE(tables_in(folder.path() / "read") == tables_in(folder.path() / "generated"));

  const std::string archive = (folder.path() / "generated" / "archive" / "readings-*.jsonl.zst").string();
  const balance again = run_small_job(folder.path() / "again", {"--input", archive});
  EXPECT_EQ(again, (balance{generated.read - generated.dead_lettered, generated.aggregated, generated.repeated, 0, 0}));
  EXPECT_EQ(tables_in(folder.path() / "again").minutes, tables_in(folder.path() / "generated").minutes);
  EXPECT_EQ(tables_in(folder.path() / "again").top_readings, tables_in(folder.path() / "generated").top_readings);
}

TEST(telemetry, counts_as_dropped_exactly_the_records_that_are_too_late_for_every_window) {
  const temporary_folder folder;
  const balance run = run_small_job(folder.path() / "out", {"--too-late", "0.02"});
  database db(folder.path() / "computed.sqlite");
  compute(db, generate(folder, {"--too-late", "0.02"}));
  expect_computed_tables(db, folder.path() / "out");
  EXPECT_EQ(computed_balance(db), run);
  EXPECT_GT(run.late, 900);
  // Without them the tables are those of the records that remain.
  EXPECT_EQ(db.number("SELECT count(*) FROM usable WHERE millis < watermark - 8 * 60000"), run.late);
  EXPECT_EQ(db.number("SELECT count(*) FROM usable WHERE millis < watermark - 30 * 60000"), run.late);
}

TEST(telemetry, replaces_the_results_of_an_earlier_run) {
  const temporary_folder folder;
  static_cast<void>(run_small_job(folder.path() / "out", {"--seed", "2"}));
  static_cast<void>(run_small_job(folder.path() / "out"));
  static_cast<void>(run_small_job(folder.path() / "fresh"));
  EXPECT_TRUE(tables_in(folder.path() / "out") == tables_in(folder.path() / "fresh"));
}

TEST(telemetry, puts_what_it_cannot_use_among_the_dead_letters_with_the_reason) {
  const temporary_folder folder;
  const auto input = folder.write(
      "input.jsonl", R"({"device":"s-00001","region":"eu-west","time":"2026-01-01T00:00:01.000Z","celsius":20.5})"
                     "\n"
                     R"({"device":"s-00001","region":"eu-west","time":"2026-01-01T00:00:02.000Z","celsius":60.01})"
                     "\n"
                     R"({"device":"s-00200","region":"eu-west","time":"2026-01-01T00:00:03.000Z","celsius":1})"
                     "\n"
                     R"({"device":"s-00001","region":"eu-west","time":"2026-01-01T00:00:04.000Z"})"
                     "\n"
                     "nothing\n");
  EXPECT_EQ(run_small_job(folder.path() / "out", {"--input", input.string()}), (balance{5, 1, 0, 0, 4}));
  const tables written = tables_in(folder.path() / "out");
  EXPECT_EQ(written.minutes, "s-00001|1767225600|1|20.5|20.5|20.5|\n");
  EXPECT_EQ(written.top_readings, "eu-west|1767225600|1|s-00001|20.5|\n");
  EXPECT_THAT(written.dead_letters, HasSubstr("|celsius is 60.01, expected a temperature from -90 to 60|s-00001|parse|"
                                              "2026-01-01T00:00:02.000Z|"));
  EXPECT_THAT(written.dead_letters,
              HasSubstr("|device \"s-00200\" is not in the table of devices|s-00200|known|2026-01-01T00:00:03.000Z|"));
  EXPECT_THAT(written.dead_letters, HasSubstr("celsius"));
  EXPECT_THAT(written.dead_letters, HasSubstr("nothing|not valid JSON"));
  EXPECT_THAT(written.dead_letters, HasSubstr("|NULL|parse|NULL|"));
}

}  // namespace
}  // namespace millrace::examples::telemetry_test
