#include "grouping_replay.hpp"

#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::transcripts::grouping_transcripts_test {
namespace {

using ::testing::IsEmpty;

struct outcome {
  int passed = 0;
  std::map<std::string, int> skipped;  // cases by the transform that is no grouping
  std::vector<std::string> differences;
};

outcome replay_file(const std::string& name, bool snapshots) {
  outcome all;
  const std::filesystem::path folder = std::filesystem::path(MILLRACE_SOURCE_DIR) / "tests" / "transcripts";
  for (const transcript_case& of : read_transcripts(folder / (name + ".txt"))) {
    const replay_result result = replay(of, snapshots);
    if (!result.skipped.empty()) {
      ++all.skipped[result.skipped];
    } else if (of.wrong ? result.differences.empty() : !result.differences.empty()) {
      if (of.wrong) all.differences.push_back(of.number + ": the mistake was not found");
      all.differences.insert(all.differences.end(), result.differences.begin(), result.differences.end());
    } else {
      ++all.passed;
    }
  }
  return all;
}

// A file with what is replayed of it: nothing is left out but what is counted here.
struct transcript_file {
  std::string name;
  int passed;
  std::map<std::string, int> skipped;
};

void PrintTo(const transcript_file& file, std::ostream* out) {
  *out << file.name;
}

class grouping_transcripts : public ::testing::TestWithParam<std::tuple<transcript_file, bool>> {};

INSTANTIATE_TEST_SUITE_P(
    , grouping_transcripts,
    ::testing::Combine(
        ::testing::Values(
            transcript_file{"windows", 14, {{"timers", 1}}}, transcript_file{"holds", 15, {}},
            transcript_file{"triggers", 40, {}}, transcript_file{"panes", 16, {}}, transcript_file{"lateness", 14, {}},
            transcript_file{"combine", 11, {}}, transcript_file{"chains", 13, {}},
            transcript_file{"drain", 3, {{"bag", 1}, {"looping", 1}}},
            transcript_file{"user", 14, {{"bag", 1}, {"batches", 2}, {"timers", 3}}},
            transcript_file{"runner", 13, {{"running_count", 1}, {"sorted", 1}}},
            transcript_file{"state", 0, {{"batches", 3}, {"dedup", 2}, {"running_count", 8}}},
            transcript_file{"timers", 0, {{"bag", 6}, {"looping", 1}, {"sorted", 2}, {"timers", 17}}},
            transcript_file{
                "random", 265, {{"bag", 10}, {"batches", 8}, {"dedup", 4}, {"looping", 3}, {"running_count", 10}}}),
        testing::Bool()),
    [](const auto& test) {
      return std::get<0>(test.param).name + (std::get<1>(test.param) ? "_restored_after_every_event" : "");
    });

TEST_P(grouping_transcripts, come_out_as_written) {
  const auto& [file, snapshots] = GetParam();
  const outcome all = replay_file(file.name, snapshots);
  EXPECT_THAT(all.differences, IsEmpty());
  EXPECT_EQ(all.passed, file.passed);
  EXPECT_EQ(all.skipped, file.skipped);
}

}  // namespace
}  // namespace millrace::transcripts::grouping_transcripts_test
