#include <millrace/actors/shard.hpp>

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace millrace {

namespace {
// Units of work between two looks at the mailbox.
constexpr int units_per_turn = 4;
// Of timers that set timers, before other messages have their turn; of a stepped job before the next stage has its own.
constexpr std::uint32_t timer_rounds = 2;
constexpr std::uint32_t timer_rounds_of_step = 64;
// Until a tick, after which the time is looked at anew: a clock may be set for times that no scheduler knows.
constexpr duration wait_longest = std::chrono::hours(24 * 365);
}  // namespace

caf::behavior shard_actor(caf::stateful_actor<shard_state>* self, blueprint_ptr job, shard_place at) {
  return self->state.run(std::move(job), std::move(at));
}

caf::behavior shard_state::run(blueprint_ptr job, shard_place at) {
  job_ = std::move(job);
  at_ = std::move(at);
  return {
      [this](start_shard& order) { start(order); },
      [this](shipment& in) { receive(std::move(in)); },
      [this](credit_grant& credit) {
        guarded([&] {
          core_->granted(std::move(credit));
          schedule();
        });
      },
      [this](work_atom) {
        work_scheduled_ = false;
        work();
      },
      [this](tick_atom, std::uint64_t tick) {
        if (tick != tick_) return;
        tick_at_ = timestamp::max();
        guarded([&] {
          core_->tick(job_->now());
          schedule();
        });
      },
      [this](barrier_atom, std::uint64_t epoch, std::uint64_t generation) {
        if (current(generation)) inject_barrier(epoch);
      },
      [this](commit_atom, std::uint64_t epoch, std::uint64_t generation) {
        if (!peers_ || peers_->generation != generation) return;
        guarded([&] {
          core_->commit(epoch, job_->now());
          schedule();
          self_->send(at_.checkpointer, commit_done{epoch, generation, at_.stage, at_.shard});
        });
      },
      [this](left_atom, std::uint64_t generation) { return ask(generation, false, 0); },
      [this](give_atom, std::uint64_t generation, std::uint64_t epoch) { return ask(generation, true, epoch); },
      [this](given_atom, std::uint64_t generation, bool taken) {
        if (current(generation)) settle_offer(taken);
      },
      [this](step_atom) {
        guarded([&] {
          core_->step(job_->now());
          schedule();
        });
      },
      [this](play_atom, std::uint64_t event) { guarded([&] { core_->play(event, job_->now()); }); },
      [this](drain_atom) {
        guarded([&] {
          core_->drain();
          schedule();
        });
      },
      [this](abort_atom) { abort(); },
      [this](status_atom) { return status(); },
  };
}

void shard_state::fail(shard_loss why, std::string message) {
  tell(shard_event::what::failed, why, std::move(message));
  abort();
}

// What a checkpoint that outlives the process refers to must stay for whoever resumes from it.
void shard_state::abort() {
  if (core_ && !job_->options.checkpoints->outlives_process()) core_->abort();
  drop_core();
  answer_asked();
}

// Also when the actor dies: then only its state is left to tell.
void shard_state::drop_core() {
  if (!core_) return;
  caf::anon_send(at_.supervisor, shard_work{core_->instance().attempted()});
  core_.reset();
}

void shard_state::start(const start_shard& order) {
  drop_core();
  started_ = false;
  seeking_ = false;
  peers_ = order.peers;
  tick_at_ = timestamp::max();
  ++tick_;
  const job_options& job = job_->options;
  const shard_options options{
      .stage = at_.stage,
      .generation = peers_->generation,
      .window_bytes = job.edge_window_bytes,
      .pack = job.edges == edge_compression::zstd,
      .stepped = job.stepped,
      .instance = {.shard = at_.shard,
                   .job = job_->job,
                   .temp_folder = job.temp_folder,
                   .attempts_max = job.attempts,
                   .batch_rows_max = job.batch_rows,
                   .bundle_rows_max = job.bundle_rows,
                   .fast_path = job.fast_path,
                   .general_nodes = job_->general_nodes,
                   .side_input_bytes_max = job.side_input_bytes,
                   .durable_epochs = true,
                   .time = job.clock,
                   .timer_rounds_max = job_->options.stepped ? timer_rounds_of_step : timer_rounds}};
  try {
    core_ = std::make_unique<shard_core>(*job_->of, job_->stages, options, *this);
  } catch (const std::exception& error) {
    return tell(shard_event::what::failed, shard_loss::user_function, error.what());
  }
  guarded([&] {
    if (order.from) {
      core_->start(job_->now(), *order.from->parts.at({at_.stage, at_.shard}), order.from->epoch);
      core_->commit(order.from->epoch, job_->now());
    } else {
      core_->start(job_->now(), std::nullopt);
    }
    started_ = true;
    if (core_->has_effects()) tell(shard_event::what::has_effects);
    tell(shard_event::what::started);
    auto early = std::exchange(early_, {});
    for (auto& in : early) receive(std::move(in));
    schedule();
  });
  answer_asked();
}

void shard_state::receive(shipment in) {
  const std::uint64_t own = peers_ ? peers_->generation : 0;
  if (in.generation > own) return early_.push_back(std::move(in));
  guarded([&] {
    core_->receive(std::move(in));
    schedule();
  });
}

void shard_state::inject_barrier(std::uint64_t epoch) {
  guarded([&] {
    core_->inject_barrier(epoch);
    schedule();
  });
  answer_asked();
}

void shard_state::work() {
  guarded([&] {
    const timestamp now = job_->now();
    for (int i = 0; i < units_per_turn; ++i)
      if (!core_->work(now)) {
        seek();
        return arm_tick();
      }
    if (core_->is_source()) core_->took(job_->now() - now);
    schedule();
  });
  answer_asked();
}

void shard_state::schedule() {
  if (std::exchange(work_scheduled_, true)) return;
  self_->send(self_, work_atom::value);
}

void shard_state::arm_tick() {
  if (job_->options.stepped || core_->blocked()) return;  // credit wakes it
  const auto wake = core_->next_wake();
  if (wake && *wake < tick_at_) {
    tick_at_ = *wake;
    const auto delay = std::clamp(*wake - job_->now(), duration{1}, wait_longest);
    self_->delayed_send(self_, delay, tick_atom::value, ++tick_);
  }
}

void shard_state::deliver(edge_id edge, std::uint32_t shard, shipment rows) {
  self_->send(peers_->shards.at(job_->stages.edges[edge].to).at(shard), std::move(rows));
}

void shard_state::grant(edge_id edge, std::uint32_t sender, credit_grant credit) {
  self_->send(peers_->shards.at(job_->stages.edges[edge].from).at(sender), std::move(credit));
}

void shard_state::snapshot_taken(std::uint64_t epoch, std::string bytes) {
  self_->send(at_.checkpointer, snapshot_part{epoch, peers_->generation, at_.stage, at_.shard, std::move(bytes)});
}

void shard_state::finished() {
  tell(shard_event::what::finished);
}

void shard_state::tell(shard_event::what happened, shard_loss why, std::string message) {
  self_->send(at_.supervisor, shard_event{happened, at_.stage, at_.shard, peers_->generation, why, std::move(message)});
}

void shard_state::tell_drops() {
  shard_drops due;
  for (step_drop& one : core_->take_drops())
    if (auto told = drops_.pass(std::move(one), job_->now())) due.drops.push_back(std::move(*told));
  if (!due.drops.empty()) self_->send(at_.supervisor, std::move(due));
}

shard_status_ptr shard_state::status() {
  auto s = std::make_shared<shard_status>();
  s->stage = at_.stage;
  s->shard = at_.shard;
  if (!core_) return s;
  s->generation = peers_->generation;
  s->input_watermark = core_->instance().input_watermark();
  s->output_watermark = core_->output_mark();
  s->queued_bytes = core_->queued_bytes();
  s->queued_bytes_max = core_->queued_bytes_max();
  s->has_state = core_->instance().has_state();
  s->idle = core_->idle();
  if (const source_head* source = core_->instance().source()) s->split = source->split_behind_promise();
  s->drops = drops_.rest();
  for (const auto& [path, board] : core_->instance().metrics()) s->metrics[path] = *board;
  s->attempted = core_->instance().attempted();
  s->traffic = core_->traffic();
  s->timer_traffic = core_->timer_traffic();
  return s;
}

}  // namespace millrace
