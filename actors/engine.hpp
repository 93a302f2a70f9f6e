#pragma once

#include <millrace/actors/job.hpp>
#include <millrace/actors/options.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/update/adopt.hpp>  // IWYU pragma: export

#include <caf/fwd.hpp>

namespace millrace {

// The door into a user's actor system: launches pipelines as jobs. It holds no state of its own. The system must
// outlive the jobs; set scheduler.max-throughput (50, say) and scheduler.policy = sharing in its configuration, as
// run() does.
class engine {
 public:
  explicit engine(caf::actor_system& system) : system_(&system) {}

  // Starts a job and returns at once. Throws pipeline_error for a graph that cannot be right, std::invalid_argument for
  // options that cannot, and std::runtime_error when the checkpoint store cannot be read or holds another program's
  // checkpoint. A store with a complete epoch resumes from it; job_report::resumed_from tells which.
  job launch(const pipeline& p, job_options options = {});

  // Replaces the program of a running job by a changed one, which goes on from where it stands: with its state, what it
  // had buffered, and the positions of its sources. See adopt() for what may change; options.transform_names says which
  // transforms have new names. Everything is checked while the old program runs on; then it ends as UPDATED, at a
  // checkpoint, and the new one begins there. What an effect outside has been given since that checkpoint is given
  // again, as after a crash. The job keeps its name and, unless the options name others, its checkpoints. Blocks.
  // Throws what launch throws, update_refused where the programs do not fit, and std::runtime_error for a job that has
  // ended or is being drained; the old program goes on, unless it has ended.
  job update(const job& running, const pipeline& p, job_options options = {});

 private:
  caf::actor_system* system_;
};

}  // namespace millrace
