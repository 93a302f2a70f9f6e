#pragma once

#include <millrace/actors/job.hpp>
#include <millrace/actors/options.hpp>
#include <millrace/transforms/pipeline.hpp>

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

 private:
  caf::actor_system* system_;
};

}  // namespace millrace
