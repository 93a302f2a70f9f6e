#pragma once

#include <millrace/actors/job_report.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace millrace {

struct handover;

// A handle on a running job: cheap to copy, and dropping it does not cancel the job. It must not outlive the actor
// system that the job runs in. The blocking calls are for threads that are not actors; an actor monitors supervisor()
// instead.
class job {
 public:
  job(caf::actor_system& system, caf::actor supervisor) : system_(&system), supervisor_(std::move(supervisor)) {}

  // Blocks until the job has ended and gives its result. May be called again.
  [[nodiscard]] job_report wait() const;
  // The same, but gives up after a while.
  [[nodiscard]] std::optional<job_report> wait_for(std::chrono::milliseconds at_most) const;
  // A picture of the moment: states, metrics, watermarks, queues.
  [[nodiscard]] job_report status() const;
  // Stops now; what was in flight is lost, and what no epoch has committed does not appear. Returns at once.
  void cancel() const;
  // Begins an epoch at once, unless one is under way. Returns at once.
  void checkpoint() const;
  // Stops the sources; everything read so far comes out (open windows fire, timers run) and the job ends DRAINED.
  void drain() const;

  // Writes the state of this moment into a store of its own, where it stays as it is while the job goes on: a new job
  // starts from it (job_options::snapshot). Blocks. Throws std::runtime_error for a job that has ended or is being
  // drained, and what the store throws.
  void snapshot(checkpoint_store& to) const;

  // The root actor. It stays until the last handle is gone; its messages are internal.
  [[nodiscard]] const caf::actor& supervisor() const { return supervisor_; }
  // The shard actors of the running generation, by stage and shard: to watch them, or to kill one in a test.
  [[nodiscard]] std::vector<std::vector<caf::actor>> shard_actors() const;

 private:
  friend class engine;

  // A checkpoint at which it may give way; then it takes no further one until it is told which. Blocks.
  [[nodiscard]] handover hand_over() const;
  void go_on() const;
  // Ends it there, and waits until its shards are gone. Throws std::runtime_error if it has ended otherwise.
  void give_way() const;

  caf::actor_system* system_;
  caf::actor supervisor_;
};

}  // namespace millrace
