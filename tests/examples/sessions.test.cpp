#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace millrace::examples::sessions_test {
namespace {

using lines = std::vector<std::string>;

std::string row(const std::string& start, const std::string& end, int packages, int actions) {
  return R"({"start":"2026-03-)" + start + R"(.000Z","end":"2026-03-)" + end + R"(.000Z","packages":)"
         + std::to_string(packages) + R"(,"actions":)" + std::to_string(actions) + "}";
}

// Work by hand. The pause before 09:29:58 is ten minutes to the second, that before 09:19:58 a second less.
const lines with_ten_minutes{row("01T09:00:01", "01T09:19:58", 3, 4), row("01T09:29:58", "01T09:29:58", 1, 1),
                             row("01T23:59:59", "02T00:05:00", 2, 2)};

TEST(sessions, are_bursts_of_activity_in_a_log_of_dpkg) {
  for (const char* runner : {"--runner=direct", "--runner=actors"}) {
    const outcome run = run_example("sessions", {beside_tests("input/dpkg.log"), runner});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), with_ten_minutes);
  }
}

TEST(sessions, pass_over_faulty_lines_and_say_so) {
  const outcome run = run_example("sessions", {beside_tests("input/dpkg.log")});
  const lines complaints = sorted_lines(run.err);
  ASSERT_EQ(complaints.size(), 2U) << run.err;
  EXPECT_NE(complaints[0].find("2026-02-30"), std::string::npos);
  EXPECT_EQ(complaints[1], "passed over \"a broken line\": no time at the start of the line");
}

TEST(sessions, depend_on_the_gap) {
  const outcome run = run_example("sessions", {beside_tests("input/dpkg.log"), "--gap", "5min"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(sorted_lines(run.out),
            (lines{row("01T09:00:01", "01T09:00:03", 2, 2), row("01T09:09:59", "01T09:09:59", 1, 1),
                   row("01T09:19:58", "01T09:19:58", 1, 1), row("01T09:29:58", "01T09:29:58", 1, 1),
                   row("01T23:59:59", "01T23:59:59", 1, 1), row("02T00:05:00", "02T00:05:00", 1, 1)}));
}

TEST(sessions, go_on_from_a_compressed_log_to_the_next_and_into_a_database) {
  const temporary_folder folder;
  const std::string at = quoted(folder.path().string());
  expected_from("head -4 input/dpkg.log | gzip > " + at + "/dpkg.log.2.gz; tail -n +5 input/dpkg.log > " + at
                + "/dpkg.log; echo done");
  const std::string database = (folder.path() / "sessions.sqlite").string();
  for (int time = 0; time < 2; ++time) {
    const outcome run =
        run_example("sessions", {(folder.path() / "dpkg.log*").string(), "--output", database, "--shards=3"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run_shell("sqlite3 " + quoted(database) + " 'select * from sessions order by start'").out,
              "2026-03-01T09:00:01.000Z|2026-03-01T09:19:58.000Z|3|4\n"
              "2026-03-01T09:29:58.000Z|2026-03-01T09:29:58.000Z|1|1\n"
              "2026-03-01T23:59:59.000Z|2026-03-02T00:05:00.000Z|2|2\n");
  }
}

TEST(sessions, of_this_machine_are_those_that_awk_finds) {
  if (!std::filesystem::exists("/var/log/dpkg.log")) {
    ASSERT_NE(run_shell("ls /var/log/dpkg.log").exit_code, 0);
    GTEST_SKIP() << "this machine keeps no /var/log/dpkg.log";
  }
  const std::string expected =
      expected_from("zcat -f /var/log/dpkg.log* | sort -s -k1,2 | awk -v gap=600 -f sessions.awk");
  const outcome run = run_example("sessions", {});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(sorted_lines(run.out), sorted_lines(expected));
}

TEST(sessions, of_the_recorded_log_are_those_that_awk_finds) {
  const std::string found =
      expected_from("grep -v 02-30 input/dpkg.log | sort -s -k1,2 | awk -v gap=600 -f sessions.awk");
  EXPECT_EQ(sorted_lines(found), with_ten_minutes);
}

}  // namespace
}  // namespace millrace::examples::sessions_test
