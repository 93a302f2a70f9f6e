#pragma once

#include <millrace/actors/messages.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace millrace {

// A job in an actor system of its own, on the calling thread and in virtual time: which actor takes its next message is
// drawn from a seed. What simulate() and its sessions have alike. Whoever owns it says when time passes and what is
// played; the job dies with it.
class simulated_job {
 public:
  // The clock reads `clock` at first.
  simulated_job(const pipeline& p, const simulation_options& options, timestamp clock = timestamp{0});
  simulated_job(const simulated_job&) = delete;
  simulated_job& operator=(const simulated_job&) = delete;
  ~simulated_job();

  [[nodiscard]] timestamp now() const;
  // Runs until nobody has a message; false if nobody had one. Throws std::runtime_error for a job that does not stop.
  bool settle();
  // The same, and in a stepped job lets watermarks and clock reach one stage after the other.
  void settle_event();
  // Lets time pass; what waited for it gets its messages.
  void pass_time(duration by);
  // Time jumps to the next thing that waits for it; false if nothing does.
  bool jump() { return scheduler_.trigger_timeout(); }

  [[nodiscard]] bool has_scripts() const { return !scripts_.empty(); }
  // Events of the longest test stream.
  [[nodiscard]] std::size_t events() const;
  // Plays an event of every test stream that has so many, and settles the event after each.
  void play(std::size_t event);
  // How many epochs what waits for one may have to wait for, one step behind the other: as many as there are stages.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  // Says that everything was played. What waits for an epoch comes out behind it first, and may wait again in a later
  // step.
  void end_scripts();
  // Sends the supervisor a message of one atom.
  template <class Atom>
  void tell(Atom what) {
    caf::anon_send(supervisor_, what);
  }
  // The result, or null while there is none.
  [[nodiscard]] const job_report_ptr& result() const { return result_->report; }
  // A picture of the moment. Settles.
  [[nodiscard]] job_report_ptr status();

  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t trace() const { return trace_; }

 private:
  struct test_config : caf::actor_system_config {
    test_config();
  };
  // One test stream of the pipeline: its script, and the stage that plays it.
  struct script {
    stage_id stage;
    std::unique_ptr<stage_operator> made;  // only read: the shard has its own
    scripted_head* head;
  };
  struct answer {
    job_report_ptr report;
  };

  template <class Atom>
  caf::actor ask(Atom what, const std::shared_ptr<answer>& to);
  void find_scripts(const pipeline& p);
  bool step();
  void kill(const shard_kill& k);
  // The roster, read from the supervisor's own state: between two steps nobody runs.
  roster_ptr roster_now();
  void play(const script& s, std::size_t event);

  simulation_options options_;
  std::mt19937_64 random_;
  test_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  caf::actor_clock::time_point began_;
  timestamp first_;  // what the clock read then
  caf::actor supervisor_;
  caf::actor waiter_;
  std::shared_ptr<answer> result_ = std::make_shared<answer>();
  stage_clock clock_;
  metric_board metrics_;
  std::vector<script> scripts_;
  std::size_t steps_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t trace_ = 0xcbf29ce484222325ULL;
};

}  // namespace millrace
