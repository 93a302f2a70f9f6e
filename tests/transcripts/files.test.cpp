#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/tests/sanitizer.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/transcripts/play_case.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

// Every case of every file, in every way that must not make a difference.
namespace millrace::transcripts::files_test {
namespace {

using ::testing::IsEmpty;

struct transcript_file {
  std::string name;
  std::size_t cases;
};

void PrintTo(const transcript_file& file, std::ostream* out) {
  *out << file.name;
}

const std::vector<transcript_file> all_files{
    {"windows", 15},    {"holds", 15},   {"triggers", 40}, {"panes", 16},      {"lateness", 14}, {"combine", 11},
    {"chains", 13},     {"drain", 5},    {"user", 20},     {"runner", 15},     {"state", 13},    {"timers", 26},
    {"random", 300},    {"property", 7}, {"side", 16},     {"acceptance", 18}, {"update", 26},   {"edges", 22},
    {"windowing", 163}, {"keyed", 237},  {"changes", 42}};

std::vector<transcript_case> cases_of(const std::string& name) {
  return read_transcripts(std::filesystem::path(MILLRACE_SOURCE_DIR) / "tests" / "transcripts" / (name + ".txt"));
}

// What differs, with the case and the way it was run.
void play(const transcript_case& of, const std::string& how, const session_maker& make,
          std::vector<std::string>& differences) {
  const case_result result = play_case(of, make);
  if (result.passed(of)) return;
  differences.push_back("case " + of.number + ", " + how + (of.wrong ? ": the mistake was not found" : ""));
  differences.insert(differences.end(), result.differences.begin(), result.differences.end());
}

TEST(transcripts, no_file_of_the_folder_is_left_out) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(MILLRACE_SOURCE_DIR) / "tests" / "transcripts"))
    files += entry.path().extension() == ".txt" ? 1 : 0;
  EXPECT_EQ(files, all_files.size());
}

class transcript_files : public ::testing::TestWithParam<transcript_file> {};

INSTANTIATE_TEST_SUITE_P(, transcript_files, ::testing::ValuesIn(all_files),
                         [](const auto& test) { return test.param.name; });

TEST_P(transcript_files, pass_on_the_direct_runner) {
  const std::vector<transcript_case> cases = cases_of(GetParam().name);
  EXPECT_EQ(cases.size(), GetParam().cases);
  std::vector<std::string> differences;
  for (const transcript_case& of : cases)
    for (const std::uint32_t shards : {1U, 2U, 3U})
      for (const bool fast : {false, true})
        for (const bool fuse : {false, true}) {
          const direct_options options{
              .shards = shards, .batch_rows_max = fuse ? 1U : 1000U, .fuse = fuse, .fast_path = fast};
          play(
              of, std::to_string(shards) + " shards" + (fuse ? ", fused" : "") + (fast ? ", fast path" : ""),
              [&](const pipeline& p) { return std::make_unique<direct_session>(p, options); }, differences);
        }
  EXPECT_THAT(differences, IsEmpty());
}

simulation_options simulated(std::uint64_t seed, std::uint32_t shards, bool fast) {
  simulation_options options;
  options.seed = seed;
  options.job.shards = shards;
  options.job.fast_path = fast;
  options.job.fuse = seed % 3 != 0;
  options.job.batch_rows = seed % 2 == 0 ? 1 : 1000;
  options.job.edges = seed % 4 == 3 ? edge_compression::zstd : edge_compression::none;
  return options;
}

void play_simulated(const transcript_case& of, std::uint64_t seeds, bool stepped,
                    std::vector<std::string>& differences) {
  for (const std::uint32_t shards : {1U, 2U, 3U})
    for (const bool fast : {false, true})
      for (std::uint64_t seed = 1; seed <= (under_sanitizer ? 1 : seeds); ++seed) {
        simulation_options options = simulated(seed, shards, fast);
        options.job.stepped = stepped;
        play(
            of,
            "seed " + std::to_string(seed) + ", " + std::to_string(shards) + " shards" + (fast ? ", fast path" : ""),
            [&](const pipeline& p) { return std::make_unique<simulation_session>(p, options); }, differences);
      }
}

TEST_P(transcript_files, pass_on_the_simulated_actor_runtime) {
  std::vector<std::string> differences;
  for (const transcript_case& of : cases_of(GetParam().name)) play_simulated(of, 3, true, differences);
  EXPECT_THAT(differences, IsEmpty());
}

// Shards that race tell their watermarks one after the other: a step may see the least of an old and a new one between
// them. Two cases tell whether a window ends and expires at one instant or at two, and one which firings of a loop are
// a bundle, which is then a matter of speed; one has a clock that jumps further than the runtime's own can tell.
TEST_P(transcript_files, pass_where_shards_race) {
  static const std::set<std::string> matters_of_speed{"X1.120", "X1.159", "X46", "H5"};
  std::vector<std::string> differences;
  for (const transcript_case& of : cases_of(GetParam().name))
    if (!matters_of_speed.contains(of.number)) play_simulated(of, 2, false, differences);
  EXPECT_THAT(differences, IsEmpty());
}

TEST(all_transcript_files, hold_1034_cases) {
  std::size_t cases = 0;
  for (const transcript_file& file : all_files) cases += file.cases;
  EXPECT_EQ(cases, 1034U);
}

}  // namespace
}  // namespace millrace::transcripts::files_test
