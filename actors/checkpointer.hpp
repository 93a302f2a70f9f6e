#pragma once

#include <millrace/actors/messages.hpp>
#include <millrace/actors/protocol/epoch_ledger.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

#include <optional>
#include <set>

namespace millrace {

// All shards of a generation run: epochs may begin. The first one is `next_epoch`.
struct begin_epochs {
  roster_ptr peers;
  std::set<epoch_ledger::shard_key> with_effects;
  std::uint64_t next_epoch = 1;
};

// An epoch is durable: the job rewinds to it from now on. The supervisor answers whether it may be committed, which it
// may not once its generation is over: what is committed must never be rewound behind.
struct epoch_durable {
  std::uint64_t generation = 0;
  checkpoint_ptr complete;
};

// An epoch is over: durable and committed everywhere. Told to the supervisor.
struct epoch_done {
  std::uint64_t generation = 0;
  checkpoint_ptr complete;
  bool last = false;  // it holds everything the job ever produced
};

// The store refused an epoch. Told to the supervisor.
struct epoch_failed {
  std::uint64_t generation = 0;
  std::string message;
};

// Injects barriers, gathers the parts of an epoch, has it written, and tells sinks to commit: in this order. Between
// end_epochs (a rewind) and the next begin_epochs it does nothing.
class checkpointer_state {
 public:
  static constexpr const char* name = "millrace.checkpointer";

  explicit checkpointer_state(caf::stateful_actor<checkpointer_state>* self) : self_(self) {}
  caf::behavior run(blueprint_ptr job, caf::actor supervisor);

 private:
  void begin(begin_epochs order);
  std::uint64_t open_epoch();
  void part(snapshot_part& p);
  void written(std::uint64_t epoch);
  void commit(std::uint64_t epoch);
  void over();
  void arm();
  // Whether no epoch is open, nor on its way to the store.
  [[nodiscard]] bool idle() const { return ledger_->idle() && !complete_; }
  [[nodiscard]] bool current(std::uint64_t generation) const { return peers_ && peers_->generation == generation; }

  caf::stateful_actor<checkpointer_state>* self_;
  blueprint_ptr job_;
  caf::actor supervisor_;
  caf::actor writer_;
  roster_ptr peers_;
  std::optional<epoch_ledger> ledger_;
  std::uint64_t next_epoch_ = 1;
  checkpoint_ptr complete_;  // the open epoch, once whole
  bool periodic_ = false;
  bool final_wanted_ = false;
  bool held_ = false;  // no epoch begins: the job may give way at the last one
  std::optional<caf::response_promise> hand_over_;
  std::uint64_t final_epoch_ = 0;  // the last one, once it is open
};

caf::behavior checkpointer_actor(caf::stateful_actor<checkpointer_state>* self, blueprint_ptr job,
                                 caf::actor supervisor);

// Writes checkpoints, which may block: on a thread of its own.
caf::behavior store_writer_actor(caf::event_based_actor* self, std::shared_ptr<checkpoint_store> store);

}  // namespace millrace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::begin_epochs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::epoch_durable)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::epoch_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::epoch_failed)
