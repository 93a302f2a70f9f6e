#include <millrace/actors/engine.hpp>
#include <millrace/actors/messages.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/actors/supervisor.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

namespace millrace {

namespace {

struct simulation_config : caf::actor_system_config {
  simulation_config() { set("scheduler.policy", caf::atom("testing")); }
};

// One test stream of the pipeline: its script, and the stage that plays it.
struct script {
  stage_id stage;
  std::unique_ptr<stage_operator> made;  // only read: the shard has its own
  scripted_head* head;
};

// The operator of a node that plays a test stream, to read its script; null for any other node.
std::unique_ptr<stage_operator> test_stream_of(const node& n, const stage_clock& clock, metric_board& metrics) {
  if (n.spec->kind() != operator_kind::read) return nullptr;
  auto made = n.spec->make({.step = n.path, .clock = clock, .metrics = metrics});
  return made->as_scripted() ? std::move(made) : nullptr;
}

class simulation {
 public:
  simulation(const pipeline& p, const simulation_options& options)
      : options_(options), random_(options.seed), system_(config_),
        scheduler_(dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())) {
    job_options job = options.job;
    job.on_one_thread = true;
    job.clock = [this] { return timestamp{std::chrono::floor<duration>(scheduler_.clock().now() - began_).count()}; };
    began_ = scheduler_.clock().now();
    supervisor_ = engine(system_).launch(p, job).supervisor();
    find_scripts(p, job);
    ask_for_result();
  }
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  ~simulation() {
    caf::anon_send_exit(waiter_, caf::exit_reason::kill);
    caf::anon_send_exit(supervisor_, caf::exit_reason::kill);
    waiter_ = nullptr;
    supervisor_ = nullptr;
    while (scheduler_.try_run_once()) {
    }
  }

  simulation_result run() {
    if (!scripts_.empty()) play_scripts();
    while (!result_->report) {
      if (settle()) continue;
      if (!scheduler_.trigger_timeout())
        throw std::runtime_error("the simulated job is stuck: nobody has anything to do");
    }
    return {*result_->report, messages_, trace_};
  }

 private:
  struct answer {
    job_report_ptr report;
  };

  void ask_for_result() {
    result_ = std::make_shared<answer>();
    waiter_ = system_.spawn([to = result_, from = supervisor_](caf::event_based_actor* self) {
      self->request(from, caf::infinite, wait_atom::value).then([to](job_report_ptr& r) { to->report = std::move(r); });
    });
  }

  void find_scripts(const pipeline& p, const job_options& job) {
    const plan stages =
        make_plan(p.description(), {.shards = job.shards, .fuse = job.fuse, .lift_combiners = job.lift_combiners});
    for (const stage_plan& s : stages.stages) {
      if (s.begin != stage_begin::source) continue;
      auto made = test_stream_of(p.description().at(s.nodes.front()), clock_, metrics_);
      if (!made) continue;
      auto* head = made->as_scripted();
      scripts_.push_back({s.id, std::move(made), head});
    }
  }

  // One message of one randomly chosen actor.
  bool step() {
    auto& jobs = scheduler_.jobs;
    if (jobs.empty()) return false;
    if (++messages_ > options_.messages_max)
      throw std::runtime_error("the simulated job needs more than " + std::to_string(options_.messages_max)
                               + " messages: it is stuck, or messages_max is too small");
    for (const shard_kill& k : options_.kills)
      if (k.at_message == messages_) kill(k);
    const auto i = static_cast<std::ptrdiff_t>(random_() % jobs.size());
    std::rotate(jobs.begin(), jobs.begin() + i, jobs.begin() + i + 1);
    trace_ = (trace_ ^ static_cast<std::uint64_t>(i)) * 0x100000001b3ULL + jobs.size();
    return scheduler_.try_run_once();
  }
  // Runs until nobody has a message; false if nobody had one.
  bool settle() {
    bool any = false;
    while (step()) any = true;
    return any;
  }

  void kill(const shard_kill& k) {
    if (auto peers = roster_now(); peers && k.stage < peers->shards.size())
      caf::anon_send_exit(peers->shards.at(k.stage).at(k.shard), caf::exit_reason::kill);
  }

  // The roster, read from the supervisor's own state: between two steps nobody runs.
  roster_ptr roster_now() {
    auto* self =
        dynamic_cast<caf::stateful_actor<supervisor_state>*>(caf::actor_cast<caf::abstract_actor*>(supervisor_));
    return self ? self->state.peers() : nullptr;
  }

  void play_scripts() {
    settle();
    std::size_t longest = 0;
    for (const script& s : scripts_) longest = std::max(longest, s.head->events());
    for (std::size_t event = 0; event < longest; ++event)
      for (const script& s : scripts_)
        if (event < s.head->events()) play(s, event);
    caf::anon_send(supervisor_, settled_atom::value);
  }

  void play(const script& s, std::size_t event) {
    if (s.head->kind(event) == scripted_head::event_kind::processing_time) {
      scheduler_.advance_time(s.head->clock_advance(event));
    } else {
      const roster_ptr peers = roster_now();
      if (!peers) return;
      caf::anon_send(peers->shards.at(s.stage).at(0), play_atom::value, static_cast<std::uint64_t>(event));
    }
    settle();
  }

  const simulation_options& options_;
  std::mt19937_64 random_;
  simulation_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  caf::actor_clock::time_point began_;
  caf::actor supervisor_;
  caf::actor waiter_;
  std::shared_ptr<answer> result_;
  stage_clock clock_;
  metric_board metrics_;
  std::vector<script> scripts_;
  std::uint64_t messages_ = 0;
  std::uint64_t trace_ = 0xcbf29ce484222325ULL;
};

}  // namespace

simulation_result simulate(const pipeline& p, const simulation_options& options) {
  return simulation(p, options).run();
}

bool has_test_streams(const pipeline& p) {
  const stage_clock clock;
  metric_board metrics;
  return std::ranges::any_of(p.description().nodes(),
                             [&](const node& n) { return test_stream_of(n, clock, metrics) != nullptr; });
}

}  // namespace millrace
