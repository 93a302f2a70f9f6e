#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/transcripts/play_case.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

// Replays transcripts on both runners: see docs/transcripts.md.
namespace {

using namespace millrace;
using namespace millrace::transcripts;

struct replay_options {
  std::vector<std::string> files;
  std::string runner = "both";
  std::vector<std::uint32_t> shards{1, 2, 3};
  std::vector<std::uint64_t> seeds{1, 2};
  std::vector<std::string> cases;
  bool verbose = false;
};

// One way to run a case.
struct way {
  std::string name;
  bool fast = false;
  session_maker make;
};

std::vector<way> ways_of(const replay_options& options) {
  std::vector<way> ways;
  for (const bool fast : {false, true})
    for (const std::uint32_t shards : options.shards) {
      const std::string end = ", " + std::to_string(shards) + (shards == 1 ? " shard" : " shards");
      const std::string path = fast ? ", fast path" : ", general path";
      if (options.runner != "actors")
        ways.push_back({"direct runner" + path + end, fast, [=](const pipeline& p) -> std::unique_ptr<job_session> {
                          return std::make_unique<direct_session>(p,
                                                                  direct_options{.shards = shards, .fast_path = fast});
                        }});
      if (options.runner == "direct") continue;
      for (const std::uint64_t seed : options.seeds) {
        simulation_options simulated;
        simulated.seed = seed;
        simulated.job.shards = shards;
        simulated.job.fast_path = fast;
        simulated.job.stepped = true;
        ways.push_back({"actor runtime" + path + end + ", seed " + std::to_string(seed), fast,
                        [=](const pipeline& p) -> std::unique_ptr<job_session> {
                          return std::make_unique<simulation_session>(p, simulated);
                        }});
      }
    }
  return ways;
}

// What has been counted over all files.
struct counts {
  std::size_t cases = 0;
  std::size_t passed = 0;
  std::size_t runs = 0;
  std::size_t on_fast_path = 0;  // cases that have a step on it
};

// A case that breaks the runner itself differs.
case_result result_of(const transcript_case& of, const session_maker& make) {
  try {
    return play_case(of, make);
  } catch (const std::exception& e) {
    return {.differences = {std::string("it could not be played: ") + e.what()}, .paths = {}};
  }
}

std::string title_of(const std::string& file, const transcript_case& of) {
  return file + ":" + std::to_string(of.line) + ": case " + of.number + (of.title.empty() ? "" : " " + of.title);
}

void print_differences(const way& how, const transcript_case& of, const case_result& result) {
  std::cout << "  " << how.name << ":\n";
  if (of.wrong) std::cout << "    the case is marked wrong, but no difference was found\n";
  else
    for (const std::string& line : result.differences) std::cout << "    " << line << "\n";
}

void print_paths(const std::vector<step_path>& paths) {
  for (const step_path& p : paths)
    std::cout << "    " << p.step << ": " << (p.why_not.empty() ? "fast path" : "general path: " + p.why_not) << "\n";
}

// Equal differences of several ways are shown once.
void replay(const std::string& file, const transcript_case& of, const std::vector<way>& ways, bool verbose,
            counts& all) {
  std::vector<std::vector<std::string>> shown;
  std::vector<std::string> also;
  bool passed = true;
  std::vector<step_path> paths;
  for (const way& how : ways) {
    const case_result result = result_of(of, how.make);
    ++all.runs;
    if (!result.paths.empty()) paths = result.paths;
    if (result.passed(of)) continue;
    if (std::exchange(passed, false)) std::cout << title_of(file, of) << "\n";
    if (std::ranges::count(shown, result.differences) > 0) {
      also.push_back(how.name);
      continue;
    }
    shown.push_back(result.differences);
    print_differences(how, of, result);
  }
  for (const std::string& name : also) std::cout << "  " << name << ": as before\n";
  if (verbose && passed) std::cout << title_of(file, of) << ": passed\n";
  if (verbose) print_paths(paths);
  ++all.cases;
  if (passed) ++all.passed;
  if (std::ranges::any_of(paths, [](const step_path& p) { return p.why_not.empty(); })) ++all.on_fast_path;
}

int replay_all(const replay_options& options) {
  std::vector<std::vector<transcript_case>> files;
  for (const std::string& file : options.files) files.push_back(read_transcripts(std::filesystem::path(file)));
  const std::vector<way> ways = ways_of(options);
  counts all;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (const transcript_case& of : files[f])
      if (options.cases.empty() || std::ranges::count(options.cases, of.number) > 0)
        replay(options.files[f], of, ways, options.verbose, all);
  std::cout << all.passed << " of " << all.cases << " cases passed, in " << ways.size() << " ways each ("
            << all.on_fast_path << " with a step on the fast path)\n";
  return all.passed == all.cases ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  replay_options options;
  CLI::App app{"Replays transcripts of pipelines on both runners, on the general and on the fast path"};
  app.add_option("files", options.files, "files of transcripts")->required();
  app.add_option("--runner", options.runner, "direct, actors or both")
      ->check(CLI::IsMember({"direct", "actors", "both"}));
  app.add_option("--shards", options.shards, "shards of each step, e.g. 1,2,3")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--seeds,--seed", options.seeds, "seeds of the order in which actors run")->delimiter(',');
  app.add_option("--case", options.cases, "only cases of these numbers")->delimiter(',');
  app.add_flag("--verbose", options.verbose, "print cases that pass too, and the path that each step takes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  }
  try {
    return replay_all(options);
  } catch (const transcript_error& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
