#include <millrace/actors/checkpointer.hpp>

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

caf::behavior store_writer_actor(caf::event_based_actor* /*self*/, std::shared_ptr<checkpoint_store> store) {
  return {
      // The message that went wrong, or an empty one.
      [store = std::move(store)](const checkpoint_ptr& complete) -> std::string {
        try {
          store->write(*complete);
          return {};
        } catch (const std::exception& error) {
          return error.what();
        }
      },
  };
}

caf::behavior checkpointer_actor(caf::stateful_actor<checkpointer_state>* self, blueprint_ptr job,
                                 caf::actor supervisor) {
  return self->state.run(std::move(job), std::move(supervisor));
}

caf::behavior checkpointer_state::run(blueprint_ptr job, caf::actor supervisor) {
  job_ = std::move(job);
  supervisor_ = std::move(supervisor);
  const auto& store = job_->options.checkpoints;
  writer_ = job_->options.on_one_thread ? self_->spawn<caf::linked>(store_writer_actor, store)
                                        : self_->spawn<caf::linked + caf::detached>(store_writer_actor, store);
  const auto& all = job_->of->collections();
  periodic_ = job_->options.streaming || store->outlives_process()
              || std::ranges::any_of(all, [](const auto& c) { return !c.bounded; })
              || std::ranges::any_of(job_->of->nodes(), [](const node& n) { return n.spec->waits_for_epochs(); });
  return {
      [this](begin_epochs& order) { begin(std::move(order)); },
      [this](cancel_atom) {  // the generation is over
        peers_ = nullptr;
        ledger_.reset();
        complete_ = nullptr;
      },
      [this](tick_atom, std::uint64_t generation) {
        if (!current(generation)) return;
        if (idle() && !final_wanted_ && !held_) open_epoch();
        arm();
      },
      [this](checkpoint_atom, std::uint64_t generation) {
        if (current(generation) && idle() && !final_wanted_ && !held_) open_epoch();
      },
      [this](final_atom, std::uint64_t generation) {
        if (!current(generation)) return;
        final_wanted_ = true;
        if (idle() && !held_) final_epoch_ = open_epoch();
      },
      // Answered with the epoch that the job may give way at, or with null if it ends before. One at a time.
      [this](hand_over_atom) -> caf::result<checkpoint_ptr> {
        if (held_ || hand_over_) return caf::make_error(caf::sec::runtime_error);
        hand_over_ = self_->make_response_promise();
        if (peers_ && idle() && !final_wanted_) open_epoch();
        return *hand_over_;
      },
      [this](go_on_atom) {
        held_ = false;
        if (peers_ && final_wanted_ && idle()) final_epoch_ = open_epoch();
      },
      [this](snapshot_part& p) { part(p); },
      [this](const commit_done& done) {
        if (current(done.generation) && ledger_->committed(done.epoch, {done.stage, done.shard})) over();
      },
  };
}

void checkpointer_state::begin(begin_epochs order) {
  peers_ = order.peers;
  next_epoch_ = std::max(next_epoch_, order.next_epoch);
  std::set<epoch_ledger::shard_key> shards;
  for (std::uint32_t stage = 0; stage < peers_->shards.size(); ++stage)
    for (std::uint32_t s = 0; s < peers_->shards[stage].size(); ++s) shards.emplace(stage, s);
  checkpoint like;
  like.job = job_->job;
  like.fingerprint = job_->fingerprint;
  like.program = job_->program;
  ledger_.emplace(std::move(like), std::move(shards), std::move(order.with_effects));
  complete_ = nullptr;
  final_wanted_ = false;
  final_epoch_ = 0;
  if (hand_over_) open_epoch();
  arm();
}

void checkpointer_state::arm() {
  if (periodic_) self_->delayed_send(self_, job_->options.checkpoint_every, tick_atom::value, peers_->generation);
}

std::uint64_t checkpointer_state::open_epoch() {
  const std::uint64_t epoch = next_epoch_++;
  ledger_->begin(epoch);
  for (const stage_plan& s : job_->stages.stages)
    if (s.inputs.empty())
      for (const auto& shard : peers_->shards[s.id]) self_->send(shard, barrier_atom::value, epoch, peers_->generation);
  return epoch;
}

void checkpointer_state::part(snapshot_part& p) {
  if (!current(p.generation)) return;
  complete_ = ledger_->part(p.epoch, {p.stage, p.shard}, std::move(p.bytes), job_->now());
  if (!complete_) return;
  const auto generation = p.generation;
  self_->request(writer_, caf::infinite, complete_)
      .then(
          [this, generation, epoch = p.epoch](const std::string& problem) {
            if (!current(generation)) return;
            if (problem.empty()) return written(epoch);
            self_->send(supervisor_, epoch_failed{generation, problem});
          },
          [this, generation](const caf::error& error) {
            self_->send(supervisor_, epoch_failed{generation, self_->system().render(error)});
          });
}

// Nothing is committed before the supervisor knows the epoch: it must not rewind to an earlier one any more.
void checkpointer_state::written(std::uint64_t epoch) {
  const auto generation = peers_->generation;
  self_->request(supervisor_, caf::infinite, epoch_durable{generation, complete_})
      .then(
          [this, generation, epoch](bool may_commit) {
            if (may_commit && current(generation)) commit(epoch);
          },
          [](const caf::error& /*the supervisor is gone, and the job with it*/) {});
}

void checkpointer_state::commit(std::uint64_t epoch) {
  const auto to_commit = ledger_->durable(epoch);
  for (const auto& [stage, shard] : to_commit)
    self_->send(peers_->shards[stage][shard], commit_atom::value, epoch, peers_->generation);
  if (to_commit.empty()) over();
}

void checkpointer_state::over() {
  const bool last = complete_->epoch == final_epoch_;
  if (hand_over_) {
    held_ = !last;
    hand_over_->deliver(last ? checkpoint_ptr() : complete_);
    hand_over_.reset();
  }
  self_->send(supervisor_, epoch_done{peers_->generation, std::exchange(complete_, nullptr), last});
  // An epoch that was open when the end of input was reached may lack the last rows: one more follows.
  if (final_wanted_ && !last && !held_) final_epoch_ = open_epoch();
}

}  // namespace millrace
