#include <millrace/actors/engine.hpp>
#include <millrace/actors/supervisor.hpp>
#include <millrace/transforms/checkpoints/memory_checkpoints.hpp>
#include <millrace/transforms/graph/fingerprint.hpp>
#include <millrace/transforms/graph/validate.hpp>

#include <caf/actor_system.hpp>

#include <chrono>
#include <stdexcept>

namespace millrace {

namespace {

void refuse_bad(const job_options& o) {
  if (o.shards < 1 || o.shards > slices_max)
    throw std::invalid_argument("job option shards = " + std::to_string(o.shards) + ": give 1 to "
                                + std::to_string(slices_max));
  if (o.checkpoint_every.count() <= 0)
    throw std::invalid_argument("job option checkpoint_every = " + std::to_string(o.checkpoint_every.count())
                                + " ms: give a positive duration");
  if (o.bundle_rows < 1 || o.batch_rows < 1 || o.attempts < 1 || o.edge_window_bytes < 1)
    throw std::invalid_argument("job options bundle_rows, batch_rows, attempts and edge_window_bytes must be positive");
}

// The newest epoch of the store, if it belongs to this program.
checkpoint_ptr resumable(checkpoint_store& store, const std::string& fingerprint) {
  auto newest = store.newest();
  if (!newest) return nullptr;
  if (newest->fingerprint != fingerprint)
    throw std::runtime_error("the checkpoint in " + store.describe() + " (job \"" + newest->job + "\", epoch "
                             + std::to_string(newest->epoch)
                             + ") was written by another pipeline or with another number of shards; resume it with the "
                               "program and options that wrote it, or give a new checkpoint directory");
  return std::make_shared<const checkpoint>(std::move(*newest));
}

}  // namespace

job engine::launch(const pipeline& p, job_options options) {
  refuse_bad(options);
  validate(p.description());
  auto shared = std::make_shared<blueprint>();
  shared->of = p.shared_graph();
  shared->stages = make_plan(
      p.description(), {.shards = options.shards, .fuse = options.fuse, .lift_combiners = options.lift_combiners});
  shared->job = options.name.empty() ? p.name() : options.name;
  shared->fingerprint = fingerprint(p.description()) + "/" + std::to_string(options.shards);
  if (!options.clock) options.clock = [] { return timestamp{std::chrono::system_clock::now()}; };
  if (!options.checkpoints) options.checkpoints = std::make_shared<memory_checkpoints>();
  const checkpoint_ptr from = resumable(*options.checkpoints, shared->fingerprint);
  shared->options = std::move(options);
  const blueprint_ptr job = std::move(shared);
  // Epochs take many messages to and fro, which must not wait behind rows.
  return {*system_, job->options.on_one_thread ? system_->spawn(supervisor_actor, job, from)
                                               : system_->spawn<caf::detached>(supervisor_actor, job, from)};
}

}  // namespace millrace
