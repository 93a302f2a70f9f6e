#include <millrace/actors/shard.hpp>
#include <millrace/actors/stage.hpp>

#include <algorithm>
#include <utility>

namespace millrace {

caf::behavior stage_actor(caf::stateful_actor<stage_state>* self, blueprint_ptr job, stage_id stage,
                          caf::actor supervisor) {
  return self->state.run(std::move(job), stage, std::move(supervisor));
}

caf::behavior stage_state::run(blueprint_ptr job, stage_id stage, caf::actor supervisor) {
  job_ = std::move(job);
  stage_ = stage;
  supervisor_ = std::move(supervisor);
  self_->set_down_handler([this](const caf::down_msg& gone) { down(gone); });
  return {
      [this](const start_stage& order) {
        checkpointer_ = order.checkpointer;
        for (std::uint32_t s = 0; s < job_->stages.stages[stage_].shards; ++s) shards_.push_back(spawn_shard(s));
        return shards_;
      },
      [this](shards_atom) { return shards_; },
      [this](abort_atom) {
        for (const auto& s : shards_) self_->send(s, abort_atom::value);
      },
      [this](final_atom) {
        stopping_ = true;
        for (const auto& s : shards_) self_->send_exit(s, caf::exit_reason::user_shutdown);
        self_->quit(caf::exit_reason::user_shutdown);
      },
  };
}

caf::actor stage_state::spawn_shard(std::uint32_t shard) {
  return self_->spawn<caf::monitored>(shard_actor, job_, shard_place{stage_, shard, supervisor_, checkpointer_});
}

void stage_state::down(const caf::down_msg& gone) {
  const auto found = std::ranges::find_if(shards_, [&](const caf::actor& a) { return a.address() == gone.source; });
  if (stopping_ || found == shards_.end()) return;
  const auto shard = static_cast<std::uint32_t>(found - shards_.begin());
  *found = spawn_shard(shard);
  self_->send(supervisor_, shard_event{shard_event::what::failed, stage_, shard, 0, shard_loss::crashed,
                                       "the actor of shard " + std::to_string(shard) + " of stage \""
                                           + job_->stages.stages[stage_].name + "\" died"});
}

}  // namespace millrace
