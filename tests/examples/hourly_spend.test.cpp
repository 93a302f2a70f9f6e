#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::examples::hourly_spend_test {
namespace {

using lines = std::vector<std::string>;

class hourly_spend : public ::testing::Test {
 protected:
  outcome run(const std::string& payments, const lines& more) {
    lines all{payments, "--output", prefix()};
    all.insert(all.end(), more.begin(), more.end());
    return run_example("hourly_spend", all);
  }
  [[nodiscard]] std::string alerts() const { return content_of(prefix() + "-00000-of-00001.jsonl"); }

  temporary_folder folder;

 private:
  [[nodiscard]] std::string prefix() const { return (folder.path() / "alerts").string(); }
};

std::string alert_at(const std::string& time, const std::string& card, int cents) {
  return R"({"time":"2026-01-01T)" + time + R"(Z","card":")" + card + R"(","cents":)" + std::to_string(cents) + "}";
}

// Work by hand, with a limit of 1000. A: 600 and 400 make 1000, which is not above it; the 601 come when the 600 have
// just left, and make 1001 with the 400 of a millisecond ago. When those leave, 601 are left; the 601 leave at twelve,
// and 1001 come alone a millisecond later. B: 600, 900, and 1001 by a payment that comes last; at eleven the 600 leave
// while 700 come, 1101 after 1001, which is no new alert. C: what it gets back at the same moment counts together.
TEST_F(hourly_spend, gives_an_alert_when_sixty_minutes_go_above_the_limit) {
  const lines expected{alert_at("10:45:00.000", "B", 1001), alert_at("11:00:00.000", "A", 1001),
                       alert_at("12:00:00.001", "A", 1001)};
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=3"}) {
    const outcome result = run(beside_tests("input/spending.jsonl"), {"--limit=1000", "--disorder=1h", how});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(sorted_lines(alerts()), expected) << how;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(hourly_spend, is_what_a_window_query_of_sqlite_finds_in_many_payments) {
  const std::string payments = (folder.path() / "payments.jsonl").string();
  expected_from("awk -v payments=20000 -f generate_payments.awk > " + quoted(payments) + "; wc -l < "
                + quoted(payments));
  const lines expected = sorted_lines(expected_from(
      "{ printf '%s\\n' 'CREATE TABLE lines(line); CREATE TABLE limits AS SELECT 250000 AS cents_most;' .mode\\ ascii "
      "'.separator \"|\" \"\\n\"' .import\\ "
      + quoted(payments) + "\\ lines .mode\\ list; cat hourly_spend.sql; } | sqlite3 -batch -bail"));
  ASSERT_GT(expected.size(), 100U);
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=3"}) {
    const outcome result = run(payments, {"--limit=250000", "--disorder=20min", "--bundle_rows=100", how});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(sorted_lines(alerts()), expected) << how;
    EXPECT_EQ(result.err, "");
  }
}

// Whether a payment is late depends on how far the others have been read, but none is lost without a word.
TEST_F(hourly_spend, tells_of_payments_that_come_when_alerts_have_been_given_without_them) {
  std::string payments;
  for (int i = 0; i < 5000; ++i)
    payments += R"({"time":"2026-01-0)" + std::to_string(2 + i / 2500) + R"(T00:00:00Z","card":"A","cents":1})" + "\n";
  payments += R"({"time":"2026-01-01T00:00:00Z","card":"A","cents":7})"
              "\n";
  const auto file = folder.write("payments.jsonl", payments);
  const outcome result = run(file.string(), {"--limit=6", "--bundle_rows=10", "--shards=1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, R"(came too late: {"time":"2026-01-01T00:00:00.000Z","card":"A","cents":7})"
                        "\n");
  EXPECT_EQ(sorted_lines(alerts()), (lines{R"({"time":"2026-01-02T00:00:00.000Z","card":"A","cents":2500})",
                                           R"({"time":"2026-01-03T00:00:00.000Z","card":"A","cents":2500})"}));
}

TEST_F(hourly_spend, fails_at_a_line_that_is_no_payment_and_writes_no_alerts) {
  const auto file = folder.write("payments.jsonl", R"({"time":"2026-01-01T10:00:00Z","card":"A"})"
                                                   "\n");
  const outcome result = run(file.string(), {});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ::testing::AllOf(::testing::HasSubstr("\"parse\""), ::testing::HasSubstr("cents")));
  EXPECT_EQ(folder.names(), lines{"payments.jsonl"});
}

}  // namespace
}  // namespace millrace::examples::hourly_spend_test
