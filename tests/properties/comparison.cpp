#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/tests/properties/comparison.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>

namespace millrace::properties {

namespace {

using transcripts::case_result;
using transcripts::transcript_case;

std::string name_of(const std::string& runner, bool fast, std::uint32_t shards) {
  return runner + (fast ? ", fast path, " : ", general path, ") + std::to_string(shards)
         + (shards == 1 ? " shard" : " shards");
}

way on_direct_runner(std::uint64_t seed, std::uint32_t shards, bool fast) {
  const direct_options options{
      .shards = shards, .batch_rows_max = seed % 5 == 0 ? 1U : 1000U, .fuse = seed % 2 == 0, .fast_path = fast};
  return {name_of("direct runner", fast, shards),
          [options](const pipeline& p) { return std::make_unique<direct_session>(p, options); }, shards > 1};
}

way on_actors(std::uint64_t seed, std::uint32_t shards, bool fast) {
  simulation_options options;
  options.seed = seed;
  options.job.shards = shards;
  options.job.fast_path = fast;
  options.job.fuse = seed % 4 != 0;
  options.job.batch_rows = seed % 7 == 0 ? 1 : 1000;
  options.job.edges = edge_compression::none;
  options.job.stepped = true;
  return {name_of("actor runtime", fast, shards),
          [options](const pipeline& p) { return std::make_unique<simulation_session>(p, options); }, shards > 1};
}

// Plays a case; what is thrown is a difference too.
case_result played(const transcript_case& of, const way& by) {
  try {
    return transcripts::play_case(of, by.make);
  } catch (const std::exception& error) {
    return {{std::string("it throws: ") + error.what()}, {}};
  }
}

// Whether a user's timer may hold the watermark for an element that is behind it already. It does so where its shard
// has not promised more yet.
bool may_hold_late(const random_case& of) {
  return std::ranges::any_of(of.pipeline.steps, keeps_state);
}

// Outputs of one event in any order.
std::vector<std::string> in_order(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

std::vector<way> ways_of(std::uint64_t seed) {
  const auto shards = static_cast<std::uint32_t>(seed % 2 == 0 ? 1 : 2 + seed % 3);
  return {on_direct_runner(seed / 2, 1, false), on_direct_runner(seed / 2 + 1, shards, true),
          on_actors(seed / 2, shards, false), on_actors(seed / 2 + 1, shards, true)};
}

comparison compare(const random_case& of, const std::vector<way>& ways) {
  comparison made;
  std::istringstream text(transcript_of(of));
  const transcript_case one = transcripts::read_transcripts(text, "a random case").at(0);
  const bool sharding_may_show = may_hold_late(of);
  std::optional<std::vector<std::string>> of_shards;  // how those of several shards differ from one
  for (const way& by : ways) {
    const case_result result = played(one, by);
    for (const auto& path : result.paths) (path.why_not.empty() ? made.fast : made.general) = true;
    std::vector<std::string> expected;
    if (by.sharded && sharding_may_show) {
      if (!of_shards) of_shards = in_order(result.differences);
      expected = *of_shards;
      made.sharding_shows = !expected.empty();
    }
    if (in_order(result.differences) == expected) continue;
    made.differences.push_back(by.name);
    made.differences.insert(made.differences.end(), result.differences.begin(), result.differences.end());
    if (!expected.empty()) made.differences.emplace_back("where the ways before it have:");
    made.differences.insert(made.differences.end(), expected.begin(), expected.end());
  }
  return made;
}

}  // namespace millrace::properties
