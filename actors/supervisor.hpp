#pragma once

#include <millrace/actors/checkpointer.hpp>
#include <millrace/actors/job_report.hpp>
#include <millrace/actors/messages.hpp>
#include <millrace/actors/stage.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/message_handler.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace millrace {

// The root actor of a job: starts the stages, begins generations, decides about lost shards, and ends the job. It never
// sees an element. Its phases: gathering (asking the stages for their shards) -> starting (until all shards run)
// -> running -> ending (collecting the last metrics) -> over. A lost shard leads back to gathering with the next
// generation, from the last complete epoch.
class supervisor_state {
 public:
  static constexpr const char* name = "millrace.supervisor";

  explicit supervisor_state(caf::stateful_actor<supervisor_state>* self) : self_(self) {}
  caf::behavior run(blueprint_ptr job, checkpoint_ptr from);
  // The shards of the running generation; null before the first and after the end.
  [[nodiscard]] const roster_ptr& peers() const { return peers_; }

 private:
  enum class phase : std::uint8_t { gathering, starting, running, ending, over };

  caf::message_handler calls_of_shards();
  caf::message_handler calls_of_users();
  caf::result<job_report_ptr> status();
  caf::result<handover> hand_over();
  void gather();
  void gathered();
  void event(const shard_event& e);
  void lost(const shard_event& e);
  void all_started();
  void drain_shards();
  void maybe_finish();
  void end(job_state how, std::string error);
  void stop_actors();
  // Asks every shard for its status and calls `then` with a report, and whether it is whole, when all have answered or
  // are gone.
  void collect(std::function<void(job_report&, bool)> then);
  // What the parts of a checkpoint contain.
  [[nodiscard]] std::map<std::string, metric_board> metrics_of(const checkpoint_ptr& complete) const;
  [[nodiscard]] job_report report_of(const std::vector<shard_status_ptr>& shards) const;
  void tell(const std::vector<step_drop>& drops);
  [[nodiscard]] bool ended() const { return phase_ == phase::ending || phase_ == phase::over; }

  caf::stateful_actor<supervisor_state>* self_;
  blueprint_ptr job_;
  caf::actor checkpointer_;
  std::vector<caf::actor> stages_;
  phase phase_ = phase::gathering;
  std::uint64_t generation_ = 0;
  roster_ptr peers_;
  std::vector<shard_list> gathering_;
  std::size_t awaited_ = 0;
  checkpoint_ptr last_;  // the last complete epoch
  std::uint64_t resumed_from_ = 0;
  std::map<std::string, metric_board> attempted_;  // by shards in generations that are over, and what it resumed with
  std::uint32_t rewinds_ = 0;
  std::uint32_t rewinds_since_progress_ = 0;
  std::set<epoch_ledger::shard_key> started_;
  std::set<epoch_ledger::shard_key> finished_;
  std::set<epoch_ledger::shard_key> with_effects_;
  bool draining_ = false;
  bool final_asked_ = false;
  drop_pace drops_{notices_every};
  notice_list notices_;
  job_report result_;
  std::vector<caf::response_promise> waiters_;
};

caf::behavior supervisor_actor(caf::stateful_actor<supervisor_state>* self, blueprint_ptr job, checkpoint_ptr from);

}  // namespace millrace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(millrace::shard_list)
