#pragma once

#include <millrace/actors/protocol/restart_policy.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/plan/plan.hpp>
#include <millrace/transforms/update/name_mapping.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace millrace {

// How a job is run on the actor runtime. Every field has a sensible default: `engine.launch(p)` is enough.
struct job_options {
  std::string name = {};                               // empty: the pipeline's
  std::uint32_t shards = 2;                            // of every stage that does not fix its own; 1 to 256
  std::shared_ptr<checkpoint_store> checkpoints = {};  // null: in memory, which survives shards but not the process
  std::chrono::milliseconds checkpoint_every{1000};
  // Epochs are committed, and so results appear, while the job runs, even if every source is bounded and no checkpoint
  // outlives the process. A job with an unbounded source or such checkpoints does so anyway.
  bool streaming = false;
  // A snapshot of another job, or a checkpoint of it. Where `checkpoints` hold nothing yet, this job starts from it; if
  // its program is another one, as an update does, with `transform_names`.
  std::shared_ptr<checkpoint_store> snapshot = {};
  // The checkpoints are those of an earlier program of the job, which this one replaces: it goes on from them with
  // `transform_names`, or the launch is refused. Checkpoints of the same program are gone on from as ever.
  bool update = false;
  name_mapping transform_names = {};
  std::size_t edge_window_bytes = 1 << 20;  // rows in flight from one shard to another before the sender waits
  edge_compression edges = edge_compression::automatic;
  std::string temp_folder = {};  // where sinks write what is not complete; empty: beside their targets
  std::uint32_t bundle_rows = 4096;
  std::uint32_t batch_rows = UINT32_MAX;  // an upper bound on batches inside a stage; for tests
  std::uint32_t attempts = 4;             // calls of a user function for one element before it counts as failed
  // Of side inputs that one shard of a stage may hold, and as many of elements that wait for them. More fails the job.
  std::size_t side_input_bytes = std::size_t{256} << 20;
  bool fuse = true;
  bool lift_combiners = false;
  bool fast_path = true;
  restart_policy restarts = {};
  // Processing time. Null: the system clock. A simulation gives its own.
  std::function<timestamp()> clock = {};
  // Told each notice as it comes, on a thread of the job's: elements that were dropped, a clock that went back
  // (transforms/metrics/notices.hpp). What it does must not take long; it must not throw.
  std::function<void(const std::string&)> on_notice = {};
  // The job ends when its input has. Else it goes on, without input, until it is told that nothing more comes: for
  // sessions.
  bool ends_with_input = true;
  // Watermarks and clocks move when the shards of a stage are told so, all of them together and stage after stage, not
  // as messages come: then nothing that comes out depends on which shard was faster. For simulations of test streams.
  bool stepped = false;
  // Blocking work runs on the job's own scheduler instead of a thread of its own; for simulations on one thread.
  bool on_one_thread = false;
};

}  // namespace millrace
