#include <millrace/actors/engine.hpp>
#include <millrace/actors/supervisor.hpp>
#include <millrace/transforms/checkpoints/memory_checkpoints.hpp>
#include <millrace/transforms/direct/scripted_nodes.hpp>
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

// Everything of a job but what it goes on from.
std::shared_ptr<blueprint> drawn(const pipeline& p, job_options options) {
  refuse_bad(options);
  validate(p.description());
  if (const node* script = options.on_one_thread ? nullptr : first_test_stream(p.description()))
    throw pipeline_error(script->path, "a test stream is played by the direct runner or in a simulation, not by a job "
                                       "that is launched; call run_direct, simulate or execute");
  auto job = std::make_shared<blueprint>();
  job->of = p.shared_graph();
  job->stages = make_plan(p.description(),
                          {.shards = options.shards, .fuse = options.fuse, .lift_combiners = options.lift_combiners});
  job->job = options.name.empty() ? p.name() : options.name;
  job->fingerprint = fingerprint(p.description()) + "/" + std::to_string(options.shards);
  if (!options.clock) options.clock = [] { return timestamp{std::chrono::system_clock::now()}; };
  if (!options.checkpoints) options.checkpoints = std::make_shared<memory_checkpoints>();
  job->options = std::move(options);
  return job;
}

void describe(blueprint& job) {
  job.program = encode_description(describe_job(*job.of, job.stages, {job.options.fast_path, job.general_nodes}));
}

// Makes a job one that goes on from a checkpoint of another program.
checkpoint_ptr take_over(blueprint& job, const checkpoint& old) {
  adopted_checkpoint taken =
      adopt(old, {*job.of, job.stages, job.fingerprint, job.options.fast_path}, job.options.transform_names);
  job.general_nodes = std::move(taken.general_nodes);
  job.notices = std::move(taken.notices);
  return std::make_shared<const checkpoint>(std::move(taken.from));
}

void refuse_other_name(const blueprint& job, const checkpoint& old) {
  if (old.job != job.job)
    throw std::runtime_error("an update keeps the name of the job: the checkpoint is of job \"" + old.job
                             + "\", and this one is \"" + job.job + "\"");
}

checkpoint_ptr unchanged(blueprint& job, checkpoint from) {
  job.general_nodes = general_nodes_of(from, *job.of);
  return std::make_shared<const checkpoint>(std::move(from));
}

// The snapshot that a new job starts from.
checkpoint_ptr started(blueprint& job) {
  if (!job.options.snapshot) return nullptr;
  auto from = job.options.snapshot->newest();
  if (!from) throw std::runtime_error("there is no snapshot in " + job.options.snapshot->describe());
  if (from->fingerprint == job.fingerprint) return unchanged(job, std::move(*from));
  return take_over(job, *from);
}

// The newest epoch of the job's store, in the form of its program.
checkpoint_ptr resumed(blueprint& job) {
  checkpoint_store& store = *job.options.checkpoints;
  auto newest = store.newest();
  if (!newest && job.options.update)
    throw std::runtime_error("there is nothing to update: " + store.describe() + " holds no checkpoint");
  if (!newest) return started(job);
  if (newest->fingerprint == job.fingerprint) return unchanged(job, std::move(*newest));
  if (job.options.update) {
    refuse_other_name(job, *newest);
    return take_over(job, *newest);
  }
  throw std::runtime_error("the checkpoint in " + store.describe() + " (job \"" + newest->job + "\", epoch "
                           + std::to_string(newest->epoch)
                           + ") was written by another pipeline or with another number of shards; resume it with the "
                             "program and options that wrote it, let this program go on from it with the option "
                             "update, or give a new checkpoint directory");
}

// Epochs take many messages to and fro, which must not wait behind rows.
job spawned(caf::actor_system& system, const blueprint_ptr& job, const checkpoint_ptr& from) {
  return {system, job->options.on_one_thread ? system.spawn(supervisor_actor, job, from)
                                             : system.spawn<caf::detached>(supervisor_actor, job, from)};
}

}  // namespace

job engine::launch(const pipeline& p, job_options options) {
  const std::shared_ptr<blueprint> job = drawn(p, std::move(options));
  const checkpoint_ptr from = resumed(*job);
  describe(*job);
  return spawned(*system_, job, from);
}

job engine::update(const job& running, const pipeline& p, job_options options) {
  const bool own_store = options.checkpoints != nullptr;
  const bool own_name = !options.name.empty();
  const std::shared_ptr<blueprint> next = drawn(p, std::move(options));
  const handover old = running.hand_over();
  if (!old.at)
    throw std::runtime_error("job \"" + (old.job ? old.job->job : next->job) + "\" cannot be updated: " + old.refused);
  checkpoint_ptr from;
  try {
    if (!own_store) next->options.checkpoints = old.job->options.checkpoints;
    if (!own_name) next->job = old.job->job;
    refuse_other_name(*next, *old.at);
    from = take_over(*next, *old.at);
    describe(*next);
  } catch (...) {
    running.go_on();
    throw;
  }
  running.give_way();
  return spawned(*system_, next, from);
}

}  // namespace millrace
