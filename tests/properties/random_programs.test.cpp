#include <millrace/tests/properties/comparison.hpp>
#include <millrace/tests/properties/draw_case.hpp>
#include <millrace/tests/properties/shrinking.hpp>
#include <millrace/tests/properties/statistics.hpp>
#include <millrace/tests/sanitizer.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// Programs drawn at random, on the reference engine and on both runners and paths: every pane, drop, timestamp and
// watermark at every event must be equal. A program that differs is printed as a transcript, as small as it can be
// made: `script/run transcript` plays it.
namespace millrace::properties::random_programs_test {
namespace {

constexpr std::uint64_t programs_each = under_sanitizer ? 100 : 1000;
constexpr double share_least = under_sanitizer ? 1 : 5;  // so few programs scatter

// Programs that differ, after which no more are looked for.
constexpr int failures_max = 3;

std::string report_of(const random_case& failed) {
  const std::vector<way> ways = ways_of(failed.seed);
  const random_case small = shrunk(failed, [&](const random_case& c) { return !compare(c, ways).differences.empty(); });
  std::string text = "program " + std::to_string(failed.seed) + "\n" + transcript_of(small) + "\n";
  for (const std::string& line : compare(small, ways).differences) text += "# " + line + "\n";
  return text;
}

class random_programs : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(, random_programs, ::testing::Range<std::uint64_t>(0, 10));

TEST_P(random_programs, come_out_alike_on_the_reference_engine_both_runners_and_both_paths) {
  statistics seen;
  int failures = 0;
  for (std::uint64_t i = 0; i < programs_each && failures < failures_max; ++i) {
    const random_case drawn = draw_case(GetParam() * programs_each + i);
    const comparison compared = compare(drawn, ways_of(drawn.seed));
    seen.count(drawn, run_reference(drawn), compared);
    if (compared.differences.empty()) continue;
    ++failures;
    ADD_FAILURE() << report_of(drawn);
  }
  std::cout << seen.text() << '\n';
  if (failures > 0) return;
  for (const char* trait : {"late panes", "merges", "dropped late", "dropped closed", "restarts after a firing",
                            "fast path", "general path", "state", "several steps", "side inputs"})
    EXPECT_GE(seen.share(trait), share_least) << trait;
}

}  // namespace
}  // namespace millrace::properties::random_programs_test
