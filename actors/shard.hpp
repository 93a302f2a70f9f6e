#pragma once

#include <millrace/actors/messages.hpp>
#include <millrace/actors/shard_core.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

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
  void inject_barrier(std::uint64_t epoch);
  void work();
  void schedule();
  void arm_tick();
  [[nodiscard]] shard_status_ptr status();
  void tell_drops();
  [[nodiscard]] bool current(std::uint64_t generation) const { return core_ && peers_->generation == generation; }

  // Taking splits over from other shards of the stage (shard_splits.cpp). A shard that has come to the end of its own
  // asks all of them how much they have left, then one after the other for a part, the busiest first, until it has
  // taken one over. If nobody has anything to give it has come to its end.
  struct seeking;
  struct asked {
    caf::response_promise answer;
    std::uint64_t generation;
    bool for_split;  // or else how much is left
    std::uint64_t epoch;
  };
  void seek();
  void ask_next(const std::shared_ptr<seeking>& round);
  void offered(const std::shared_ptr<seeking>& round, const caf::actor& donor, const split_offer& offer);
  void end_seeking(const seeking& round);
  // Keeps a question until it can be answered: a shard that has not started, or that is behind the asker's epoch, will
  // be able to.
  caf::response_promise ask(std::uint64_t generation, bool for_split, std::uint64_t epoch);
  void answer_asked();
  bool answer(asked& one);
  split_offer offer(std::uint64_t epoch);
  void settle_offer(bool taken);

  void tell(shard_event::what happened, shard_loss why = shard_loss::crashed, std::string message = {});
  // The core has failed for good: tells the supervisor, which ends the job, and drops it.
  void fail(shard_loss why, std::string message);
  // Drops the core, whose work the supervisor remembers as attempted.
  void drop_core();
  // The same; effects outside that no checkpoint needs go with it.
  void abort();
  // Runs f on the core, if there is one; reports what it throws and drops the core.
  template <class F>
  void guarded(F&& f) {
    if (!core_) return;
    try {
      f();
      if (core_ && core_->instance().has_drops()) tell_drops();
    } catch (const broken_invariant& broken) {
      fail(shard_loss::broken_invariant, broken.what());
    } catch (const std::exception& error) {
      fail(shard_loss::user_function, error.what());
    } catch (...) {
      fail(shard_loss::user_function, "something that is no std::exception was thrown");
    }
  }

  caf::stateful_actor<shard_state>* self_;
  blueprint_ptr job_;
  shard_place at_;
  roster_ptr peers_;
  std::unique_ptr<shard_core> core_;
  std::deque<shipment> early_;  // of a generation that has not started here
  bool work_scheduled_ = false;
  bool seeking_ = false;
  bool started_ = false;  // the core is at work
  std::vector<asked> asked_;
  drop_pace drops_{duration{1000}};  // crowds of them cost a message a second
  std::uint64_t tick_ = 0;           // the only tick that counts
  timestamp tick_at_ = timestamp::max();
};

// The actor's body, for spawn().
caf::behavior shard_actor(caf::stateful_actor<shard_state>* self, blueprint_ptr job, shard_place at);

}  // namespace millrace
