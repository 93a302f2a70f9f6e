#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/tests/properties/comparison.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <exception>
#include <memory>
#include <sstream>

namespace millrace::properties {

namespace {

using transcripts::case_result;
using transcripts::transcript_case;

way on_direct_runner(std::uint64_t seed, bool fast) {
  const direct_options options{.shards = static_cast<std::uint32_t>(1 + seed % 3),
                               .batch_rows_max = seed % 5 == 0 ? 1U : 1000U,
                               .fuse = seed % 2 == 0,
                               .fast_path = fast};
  return {std::string("direct runner, ") + (fast ? "fast path" : "general path"),
          [options](const pipeline& p) { return std::make_unique<direct_session>(p, options); }};
}

way on_actors(std::uint64_t seed, bool fast) {
  simulation_options options;
  options.seed = seed;
  options.job.shards = static_cast<std::uint32_t>(1 + seed % 3);
  options.job.fast_path = fast;
  options.job.fuse = seed % 4 != 0;
  options.job.batch_rows = seed % 7 == 0 ? 1 : 1000;
  options.job.edges = edge_compression::none;
  options.job.stepped = true;
  return {std::string("actor runtime, ") + (fast ? "fast path" : "general path"),
          [options](const pipeline& p) { return std::make_unique<simulation_session>(p, options); }};
}

// Plays a case; what is thrown is a difference too.
case_result played(const transcript_case& of, const way& by) {
  try {
    return transcripts::play_case(of, by.make);
  } catch (const std::exception& error) {
    return {{std::string("it throws: ") + error.what()}, {}};
  }
}

}  // namespace

std::vector<way> ways_of(std::uint64_t seed) {
  return {on_direct_runner(seed, false), on_direct_runner(seed + 1, true), on_actors(seed + 2, false),
          on_actors(seed, true)};
}

comparison compare(const random_case& of, const std::vector<way>& ways) {
  comparison made;
  std::istringstream text(transcript_of(of));
  const transcript_case one = transcripts::read_transcripts(text, "a random case").at(0);
  for (const way& by : ways) {
    const case_result result = played(one, by);
    for (const auto& path : result.paths) (path.why_not.empty() ? made.fast : made.general) = true;
    if (result.differences.empty()) continue;
    made.differences.push_back(by.name);
    made.differences.insert(made.differences.end(), result.differences.begin(), result.differences.end());
  }
  return made;
}

}  // namespace millrace::properties
