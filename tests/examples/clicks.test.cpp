#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// The two examples about clicks: idle_users and page_views.
namespace millrace::examples::clicks_test {
namespace {

using lines = std::vector<std::string>;

std::string departure(const std::string& user, const std::string& last, int clicks) {
  return R"({"user":")" + user + R"(","last_click":"2026-01-01T)" + last + R"(Z","clicks":)" + std::to_string(clicks)
         + "}";
}

// 20,000 clicks of eleven hours, in a file of a folder.
std::string many_clicks(const temporary_folder& folder) {
  const std::string file = (folder.path() / "clicks.jsonl").string();
  expected_from("awk -v clicks=20000 -f generate_clicks.awk > " + quoted(file) + "; wc -l < " + quoted(file));
  return file;
}

// Ada's pause from 10:10 to 10:40 is half an hour to the second; Eve's are a millisecond less and a millisecond more.
TEST(idle_users, left_when_they_had_been_silent_for_half_an_hour) {
  for (const char* runner : {"--runner=direct", "--runner=actors"}) {
    const outcome run = run_example("idle_users", {beside_tests("input/clicks.jsonl"), runner});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), (lines{departure("ada", "10:10:00.000", 2), departure("ada", "10:40:00.000", 1),
                                            departure("bob", "10:45:00.000", 2), departure("eve", "10:30:59.998", 2),
                                            departure("eve", "11:00:59.999", 1)}));
  }
}

TEST(idle_users, are_those_that_awk_finds_among_many_clicks) {
  const temporary_folder folder;
  const std::string file = many_clicks(folder);
  const lines expected = sorted_lines(
      expected_from("awk -F'\"' '{print $8, $4}' " + quoted(file) + " | sort | awk -v patience=180 -f departures.awk"));
  ASSERT_GT(expected.size(), 1000U);
  for (const char* shards : {"--shards=1", "--shards=3"}) {
    const outcome run = run_example("idle_users", {file, "--patience=3min", shards, "--bundle_rows=100"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), expected);
  }
}

TEST(idle_users, need_a_file) {
  const outcome run = run_example("idle_users", {});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("expected a FILE"), std::string::npos) << run.err;
}

TEST(idle_users, fail_at_a_line_that_is_no_click_and_name_step_and_line) {
  const temporary_folder folder;
  const auto file = folder.write("clicks", "{\"time\":\"2026-01-01T10:00:00Z\",\"user\":\"ada\"}\n");
  const outcome run = run_example("idle_users", {file.string()});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("\"parse\""), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("page"), std::string::npos) << run.err;
}

std::string views_in(const std::string& database) {
  return run_shell("sqlite3 -separator ' ' " + quoted(database)
                   + " 'select minute, page, count from views order by 1, 2'")
      .out;
}

TEST(page_views, are_counted_per_minute_whatever_the_order_of_clicks) {
  const temporary_folder folder;
  const std::string file = many_clicks(folder);
  const std::string expected = expected_from(
      "awk -F'\"' '{++count[substr($4, 1, 17) \"00.000Z \" $12]} END {for (k in count) print k, count[k]}' "
      + quoted(file) + " | sort");
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=3"}) {
    const std::string database = (folder.path() / how).string();
    const outcome run = run_example("page_views", {file, "--output", database, how, "--bundle_rows=50"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(views_in(database), expected);
  }
}

TEST(page_views, pass_over_what_is_no_click) {
  const temporary_folder folder;
  const auto file =
      folder.write("clicks", "{\"time\":\"2026-01-01T10:00:30Z\",\"user\":\"ada\",\"page\":\"/\"}\nnothing\n");
  const std::string database = (folder.path() / "views.sqlite").string();
  const outcome run = run_example("page_views", {file.string(), "--output", database});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err.rfind("passed over nothing: ", 0), 0U) << run.err;
  EXPECT_EQ(views_in(database), "2026-01-01T10:00:00.000Z / 1\n");
}

}  // namespace
}  // namespace millrace::examples::clicks_test
