#include <millrace/actors/engine.hpp>
#include <millrace/actors/simulation/simulated_job.hpp>
#include <millrace/actors/supervisor.hpp>
#include <millrace/transforms/direct/scripted_nodes.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace millrace {

simulated_job::test_config::test_config() {
  set("scheduler.policy", caf::atom("testing"));
}

simulated_job::simulated_job(const pipeline& p, const simulation_options& options, timestamp clock)
    : options_(options), random_(options.seed), system_(config_),
      scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())),
      began_(scheduler_.clock().now()), first_(clock) {
  options_.job.on_one_thread = true;
  options_.job.clock = [this] { return now(); };
  supervisor_ = engine(system_).launch(p, options_.job).supervisor();
  find_scripts(p);
  waiter_ = ask(wait_atom::value, result_);
}

// A supervisor that is killed leaves its stages behind: the job ends first.
simulated_job::~simulated_job() {
  caf::anon_send(supervisor_, cancel_atom::value);
  while (scheduler_.try_run_once()) {
  }
  caf::anon_send_exit(waiter_, caf::exit_reason::kill);
  caf::anon_send_exit(supervisor_, caf::exit_reason::kill);
  waiter_ = nullptr;
  supervisor_ = nullptr;
  while (scheduler_.try_run_once()) {
  }
}

timestamp simulated_job::now() const {
  return first_ + std::chrono::floor<duration>(scheduler_.clock().now() - began_);
}

template <class Atom>
caf::actor simulated_job::ask(Atom what, const std::shared_ptr<answer>& to) {
  return system_.spawn([what, to, from = supervisor_](caf::event_based_actor* self) {
    self->request(from, caf::infinite, what).then([to](job_report_ptr& r) { to->report = std::move(r); });
  });
}

job_report_ptr simulated_job::status() {
  const auto got = std::make_shared<answer>();
  ask(status_atom::value, got);
  settle();
  if (!got->report) throw std::runtime_error("the simulated job does not answer");
  return got->report;
}

void simulated_job::find_scripts(const pipeline& p) {
  const job_options& job = options_.job;
  const plan stages =
      make_plan(p.description(), {.shards = job.shards, .fuse = job.fuse, .lift_combiners = job.lift_combiners});
  steps_ = stages.stages.size();
  for (const stage_plan& s : stages.stages) {
    if (s.begin != stage_begin::source) continue;
    auto made = test_stream_of(p.description().at(s.nodes.front()), clock_, metrics_);
    if (!made) continue;
    auto* head = made->as_scripted();
    scripts_.push_back({s.id, std::move(made), head});
  }
}

// One message of one randomly chosen actor.
bool simulated_job::step() {
  auto& jobs = scheduler_.jobs;
  if (jobs.empty()) return false;
  if (++messages_ > options_.messages_max)
    throw std::runtime_error("the simulated job needs more than " + std::to_string(options_.messages_max)
                             + " messages: it is stuck, or messages_max is too small");
  for (const shard_kill& k : options_.kills)
    if (k.at_message == messages_) kill(k);
  if (std::ranges::find(options_.epochs, messages_) != options_.epochs.end())
    caf::anon_send(supervisor_, checkpoint_atom::value);
  const auto i = static_cast<std::ptrdiff_t>(random_() % jobs.size());
  std::rotate(jobs.begin(), jobs.begin() + i, jobs.begin() + i + 1);
  trace_ = (trace_ ^ static_cast<std::uint64_t>(i)) * 0x100000001b3ULL + jobs.size();
  return scheduler_.try_run_once();
}

bool simulated_job::settle() {
  bool any = false;
  while (step()) any = true;
  return any;
}

void simulated_job::settle_event() {
  settle();
  if (!options_.job.stepped) return;
  const std::size_t stages = roster_now() ? roster_now()->shards.size() : 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const roster_ptr peers = roster_now();
    if (!peers) return;
    for (const caf::actor& shard : peers->shards[stage]) caf::anon_send(shard, step_atom::value);
    settle();
  }
}

void simulated_job::kill(const shard_kill& k) {
  const roster_ptr peers = roster_now();
  if (!peers || k.stage >= peers->shards.size()) return;
  if (k.shard >= peers->shards[k.stage].size())
    throw std::invalid_argument("the simulated job has no shard " + std::to_string(k.shard) + " of stage "
                                + std::to_string(k.stage) + " to kill; explain tells its stages and their shards");
  caf::anon_send_exit(peers->shards[k.stage][k.shard], caf::exit_reason::kill);
}

roster_ptr simulated_job::roster_now() {
  auto* self = dynamic_cast<caf::stateful_actor<supervisor_state>*>(caf::actor_cast<caf::abstract_actor*>(supervisor_));
  return self ? self->state.peers() : nullptr;
}

// Nobody in a stepped job waits for the scheduler's clock, which cannot reach as far as ours.
void simulated_job::pass_time(duration by) {
  if (options_.job.stepped) first_ = first_ + by;
  else scheduler_.advance_time(by);
}

std::size_t simulated_job::events() const {
  std::size_t longest = 0;
  for (const script& s : scripts_) longest = std::max(longest, s.head->events());
  return longest;
}

void simulated_job::play(std::size_t event) {
  for (const script& s : scripts_)
    if (event < s.head->events()) play(s, event);
}

void simulated_job::play(const script& s, std::size_t event) {
  if (s.head->kind(event) == scripted_head::event_kind::processing_time) {
    pass_time(s.head->clock_advance(event));
  } else {
    const roster_ptr peers = roster_now();
    if (!peers) return;
    caf::anon_send(peers->shards.at(s.stage).at(0), play_atom::value, static_cast<std::uint64_t>(event));
  }
  settle_event();
}

void simulated_job::end_scripts() {
  const auto waiting = [this] {
    std::size_t bytes = 0;
    const job_report_ptr now = status();
    for (const shard_report& shard : now->shards) bytes += shard.queued_bytes;
    return bytes;
  };
  for (std::size_t step = 0; step < steps() && !result() && waiting() > 0; ++step) {
    tell(checkpoint_atom::value);
    settle_event();
  }
  tell(settled_atom::value);
}

bool has_test_streams(const pipeline& p) {
  return first_test_stream(p.description()) != nullptr;
}

}  // namespace millrace
