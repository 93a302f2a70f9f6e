#pragma once

#include <millrace/actors/job_report.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/options.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace millrace {

// What a program may give to run() besides its options.
struct run_extras {
  // Where epochs are kept: `directory(options.checkpoints)` of io. Null: in memory.
  std::shared_ptr<checkpoint_store> checkpoints = nullptr;
  // What a new job starts from: `directory(options.create_from_snapshot)` of io. Null: from nothing.
  std::shared_ptr<checkpoint_store> snapshot = nullptr;
  // Called on the calling thread now and then while the job runs, with a picture of the moment.
  std::function<void(const job_report&)> progress = nullptr;
  std::chrono::milliseconds progress_every{500};
};

// Runs a pipeline to its end on the runner that the options name, in an actor system of its own, and gives the report.
// An interrupt or termination signal cancels the job: what is not committed is not shown, and with a checkpoint
// directory the same command resumes it. A pipeline with test streams is played in a simulation, whichever runner is
// named. Throws what engine::launch throws, and std::invalid_argument for options.checkpoints without
// extras.checkpoints.
job_report execute(const pipeline& p, const pipeline_options& options = {}, const run_extras& extras = {});

// The same as the whole of a main(): errors and the outcome of a failed or resumed job go to stderr. Returns the exit
// code: 0 done or drained, 1 failed, 2 the pipeline or an option cannot be right, 130 cancelled.
int run(const pipeline& p, const pipeline_options& options = {}, const run_extras& extras = {});

}  // namespace millrace
