#pragma once

#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace millrace {

// What the direct runner may be told. The defaults are what the other runner is compared with: nothing fused, nothing
// lifted, no fast path.
struct direct_options {
  std::uint32_t shards = 1;  // of every stage that does not fix its own
  std::uint32_t attempts_max = 4;
  std::uint32_t bundle_rows_max = 1000;
  std::uint32_t batch_rows_max = UINT32_MAX;
  bool fuse = false;
  bool lift_combiners = false;
  bool fast_path = false;
  std::size_t side_input_bytes = std::size_t{256} << 20;  // of side inputs, and of elements that wait for them
  std::string job = {};                                   // empty: the pipeline's name
  std::string temp_folder = {};  // empty: sinks write what is not complete beside their targets
  // Processing time for sources and timers, in a pipeline without test streams. Null: a clock that jumps to the next
  // timer whenever nothing else is left to do.
  std::function<timestamp()> clock = {};
  // Told each notice as it comes: drops, for one (transforms/metrics/notices.hpp).
  std::function<void(const std::string&)> on_notice = {};
};

// What a run gave: the metrics of every transform, by path.
struct direct_result {
  std::map<std::string, metric_board> metrics;    // every element once: committed
  std::map<std::string, metric_board> attempted;  // with what failed calls have reported
  std::vector<std::string> notices = {};          // what happened and is seldom meant, the last of it

  [[nodiscard]] std::uint64_t dropped(const std::string& cause) const;
};

// Runs a pipeline in a loop on the calling thread, one shard a stage unless told otherwise, until every
// source has ended and everything has come out; sinks commit at the end. It is the oracle of the runtime: as plain as
// it can be. Test streams are played event by event, each only when nothing is left to do. Throws what a user function
// threw, named by step and element.
direct_result run_direct(const pipeline& p, const direct_options& options = {});

}  // namespace millrace
