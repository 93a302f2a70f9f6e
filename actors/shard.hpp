#pragma once

#include <millrace/actors/messages.hpp>
#include <millrace/actors/shard_core.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <memory>

namespace millrace {

// Where a shard actor stands.
struct shard_place {
  stage_id stage = 0;
  std::uint32_t shard = 0;
  caf::actor supervisor;
  caf::actor checkpointer;
};

// A mailbox around a shard core: turns messages into calls and calls into messages, and catches exceptions in one
// place. It works in small units that it sends to itself, so that control messages are never far behind. Without a core
// (before start, or after a failure) data is dropped, but for bundles of a generation that it has not been told of yet.
class shard_state : public shard_surroundings {
 public:
  static constexpr const char* name = "millrace.shard";

  explicit shard_state(caf::stateful_actor<shard_state>* self) : self_(self) {}
  shard_state(const shard_state&) = delete;
  shard_state& operator=(const shard_state&) = delete;
  ~shard_state() override { drop_core(); }

  caf::behavior run(blueprint_ptr job, shard_place at);

  void deliver(edge_id edge, std::uint32_t shard, shipment rows) override;
  void grant(edge_id edge, std::uint32_t sender, credit_grant credit) override;
  void snapshot_taken(std::uint64_t epoch, std::string bytes) override;
  void finished() override;

 private:
  void start(const start_shard& order);
  void receive(shipment in);
  void work();
  void schedule();
  void arm_tick();
  [[nodiscard]] shard_status_ptr status() const;
  void tell(shard_event::what happened, shard_loss why = shard_loss::crashed, std::string message = {});
  // The core has failed for good: tells the supervisor, which ends the job, and drops it.
  void fail(shard_loss why, std::string message);
  // Drops the core, whose work the supervisor remembers as attempted.
  void drop_core();
  // The same; effects outside that no checkpoint needs go with it.
  void abort();
  // Runs f on the core, if there is one; reports what it throws and drops the core.
  template <class F>
  void guarded(F&& f);

  caf::stateful_actor<shard_state>* self_;
  blueprint_ptr job_;
  shard_place at_;
  roster_ptr peers_;
  std::unique_ptr<shard_core> core_;
  std::deque<shipment> early_;  // of a generation that has not started here
  bool work_scheduled_ = false;
  std::uint64_t tick_ = 0;  // the only tick that counts
  timestamp tick_at_ = timestamp::max();
};

// The actor's body, for spawn().
caf::behavior shard_actor(caf::stateful_actor<shard_state>* self, blueprint_ptr job, shard_place at);

}  // namespace millrace
