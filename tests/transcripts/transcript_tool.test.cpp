#include <millrace/tests/io/temporary_folder.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

namespace millrace::transcripts::transcript_tool_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct outcome {
  int exit_code;
  std::string out;
  std::string err;
};

// Runs the tool on a file of this text.
outcome run_tool(const std::string& text, const std::string& arguments = "") {
  const temporary_folder folder;
  const std::string here = folder.path().string();
  std::ofstream(folder.path() / "report.txt") << text;
  const std::string tool =
      (std::filesystem::path(MILLRACE_EXAMPLES_DIR).parent_path() / "tools" / "transcript").string();
  const std::string command =
      "cd '" + here + "' && timeout 120 '" + tool + "' report.txt " + arguments + " >out 2>err </dev/null";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), content_of(here + "/out"), content_of(here + "/err")};
}

constexpr const char* right = "== 1 a sum\nwindows fixed 10\ntransform sum\nB 1@1 2@2\nWM 10\n  [0,10) 3 @9\n";

TEST(transcript_tool, counts_what_passed) {
  const outcome result = run_tool(right);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "1 of 1 cases passed, in 18 ways each (1 with a step on the fast path)\n");
  EXPECT_EQ(run_tool(right, "--runner=direct --shards=2").out,
            "1 of 1 cases passed, in 2 ways each (1 with a step on the fast path)\n");
  EXPECT_EQ(run_tool(right, "--runner=actors --shards=1,4 --seeds=1,2,3").out,
            "1 of 1 cases passed, in 12 ways each (1 with a step on the fast path)\n");
}

TEST(transcript_tool, exits_with_1_if_one_of_several_cases_differs) {
  std::string both = right;
  both += "== 2 not written\nwindows fixed 10\nE a@1\nWM max\n";
  const outcome result = run_tool(both, "--shards=1 --seed=7");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("report.txt:7: case 2 not written\n"));
  EXPECT_THAT(result.out, HasSubstr("1 of 2 cases passed"));
  EXPECT_EQ(run_tool(both, "--case=1").exit_code, 0);
}

TEST(transcript_tool, prints_the_event_and_each_line_that_differs) {
  const outcome result =
      run_tool("== 5.1 a report\nwindows fixed 10\nE a@1\nWM 10\n  [0,10) {b} @9\n", "--shards=1 --seed=7");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "report.txt:1: case 5.1 a report\n"
                        "  direct runner, general path, 1 shard:\n"
                        "    line 4, WM 10\n"
                        "      missing: [0,10) {b} @9 (line 5)\n"
                        "      unexpected: [0,10) {a} @9 ON_TIME 0/0 F L\n"
                        "  actor runtime, general path, 1 shard, seed 7: as before\n"
                        "  direct runner, fast path, 1 shard: as before\n"
                        "  actor runtime, fast path, 1 shard, seed 7: as before\n"
                        "0 of 1 cases passed, in 4 ways each (0 with a step on the fast path)\n");
}

TEST(transcript_tool, tells_paths_when_asked) {
  const outcome result = run_tool(right, "--verbose");
  EXPECT_THAT(result.out, HasSubstr("report.txt:1: case 1 a sum: passed\n    step 1 sum: fast path\n"));
}

TEST(transcript_tool, exits_with_2_for_what_it_cannot_read) {
  const outcome grammar = run_tool("== 1 x\nwindows fixed ten\n");
  EXPECT_EQ(grammar.exit_code, 2);
  EXPECT_EQ(grammar.err, "report.txt:2: \"ten\" is no whole number of milliseconds\n");
  const outcome missing = run_tool(right, "elsewhere.txt");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err, "cannot read elsewhere.txt\n");
  EXPECT_THAT(missing.out, Not(HasSubstr("passed")));
  EXPECT_EQ(run_tool(right, "--runner=other").exit_code, 2);
}

}  // namespace
}  // namespace millrace::transcripts::transcript_tool_test
