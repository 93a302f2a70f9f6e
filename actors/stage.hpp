#pragma once

#include <millrace/actors/messages.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <vector>

namespace millrace {

// Begin to spawn the shards of a stage; answered like shards_atom.
struct start_stage {
  caf::actor checkpointer;
};

// The actor of a stage: spawns and watches its shards, puts a new one into the place of one that died, and tells the
// supervisor. It is never on the data path.
class stage_state {
 public:
  static constexpr const char* name = "millrace.stage";

  explicit stage_state(caf::stateful_actor<stage_state>* self) : self_(self) {}
  caf::behavior run(blueprint_ptr job, stage_id stage, caf::actor supervisor);

 private:
  caf::actor spawn_shard(std::uint32_t shard);
  void down(const caf::down_msg& gone);

  caf::stateful_actor<stage_state>* self_;
  blueprint_ptr job_;
  stage_id stage_ = 0;
  caf::actor supervisor_;
  caf::actor checkpointer_;
  std::vector<caf::actor> shards_;
  bool stopping_ = false;
};

caf::behavior stage_actor(caf::stateful_actor<stage_state>* self, blueprint_ptr job, stage_id stage,
                          caf::actor supervisor);

// The shards of a stage as they are now.
using shard_list = std::vector<caf::actor>;

}  // namespace millrace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::start_stage)
