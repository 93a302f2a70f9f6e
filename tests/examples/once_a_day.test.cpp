#include "example_run.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::examples::once_a_day_test {
namespace {

using lines = std::vector<std::string>;

// By hand: a comes again at 12 h, 24 h and a millisecond after that.
TEST(once_a_day, drops_what_comes_again_within_24_hours) {
  const lines expected{R"({"time":"2026-01-01T10:00:00.000Z","id":"a","what":"first"})",
                       R"({"time":"2026-01-01T10:00:01.000Z","id":"b","what":"first"})",
                       R"({"time":"2026-01-02T10:00:00.001Z","id":"a","what":"a day later"})",
                       R"({"time":"2026-01-05T00:00:00.000Z","id":"b","what":"days later"})",
                       R"({"time":"2026-01-05T00:00:00.000Z","id":"c","what":"first"})"};
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=3"}) {
    const outcome run = run_example("once_a_day", {beside_tests("input/events.jsonl"), how});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), expected) << how;
    EXPECT_NE(run.err.find("passed over no event"), std::string::npos) << run.err;
  }
}

TEST(once_a_day, takes_the_time_from_its_options) {
  const outcome run = run_example("once_a_day", {beside_tests("input/events.jsonl"), "--remember=12h"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // a at 0 h and 24 h, but not at 12 h; b three times; c once.
  EXPECT_EQ(sorted_lines(run.out).size(), 6U) << run.out;
}

}  // namespace
}  // namespace millrace::examples::once_a_day_test
