#include <millrace/actors/engine.hpp>
#include <millrace/actors/run.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/actors/transform_names.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace millrace {

namespace {

struct run_config : caf::actor_system_config {
  explicit run_config(std::uint32_t threads) {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", static_cast<std::size_t>(threads));
    // A shard's message is many rows: after a few of them it is another actor's turn, so that barriers come soon.
    set("scheduler.max-throughput", std::size_t{5});
  }
};

std::uint32_t cores() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Blocks interrupt and termination for this thread and those it starts, until the end of the scope.
class blocked_signals {
 public:
  blocked_signals() {
    sigemptyset(&which_);
    sigaddset(&which_, SIGINT);
    sigaddset(&which_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &which_, &before_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Whether one came, waiting for at most that long.
  [[nodiscard]] bool came_within(std::chrono::milliseconds at_most) const {
    const timespec wait{at_most.count() / 1000, at_most.count() % 1000 * 1'000'000};
    return sigtimedwait(&which_, nullptr, &wait) > 0;
  }

 private:
  sigset_t which_{};
  sigset_t before_{};
};

void to_error_stream(const std::string& notice) {
  std::cerr << notice + '\n';
}

job_options job_options_of(const pipeline_options& options, const run_extras& extras) {
  if (!options.checkpoints.empty() && !extras.checkpoints)
    throw std::invalid_argument("option checkpoints = " + options.checkpoints
                                + ": this program gives run() no store; pass directory(options.checkpoints) to it");
  job_options job;
  job.name = options.job_name;
  job.shards = options.shards == 0 ? cores() : options.shards;
  job.checkpoints = extras.checkpoints;
  job.checkpoint_every = options.checkpoint_every;
  job.streaming = options.streaming;
  if (!options.update && options.create_from_snapshot.empty() && !options.transform_name_mapping.empty())
    throw std::invalid_argument("option transform_name_mapping: it belongs to an update or a snapshot; give --update "
                                "or --create_from_snapshot too");
  if (!options.create_from_snapshot.empty() && !extras.snapshot)
    throw std::invalid_argument("option create_from_snapshot = " + options.create_from_snapshot
                                + ": this program gives run() no store for it; pass "
                                  "directory(options.create_from_snapshot) to it");
  if (options.update && options.checkpoints.empty() && !extras.checkpoints)
    throw std::invalid_argument("option update: it goes on from checkpoints; give --checkpoints");
  job.snapshot = extras.snapshot;
  job.update = options.update;
  job.transform_names = transform_names_from(options.transform_name_mapping);
  job.edges = options.compression;
  job.temp_folder = options.temp_location;
  job.bundle_rows = options.bundle_rows;
  job.attempts = options.attempts;
  job.side_input_bytes = options.side_input_bytes;
  job.lift_combiners = options.lift_combiners;
  job.fast_path = options.fast_path;
  job.on_notice = to_error_stream;
  return job;
}

job_report on_direct_runner(const pipeline& p, const pipeline_options& options) {
  if (!options.checkpoints.empty())
    throw std::invalid_argument("option checkpoints: the direct runner keeps none; use --runner=actors");
  if (!options.create_from_snapshot.empty())
    throw std::invalid_argument("option create_from_snapshot: the direct runner knows none; use --runner=actors");
  if (options.update)
    throw std::invalid_argument("option update: the direct runner keeps no checkpoints; use --runner=actors");
  job_report report;
  report.job = options.job_name.empty() ? p.name() : options.job_name;
  report.warnings = graph_warnings(p.description());
  try {
    direct_result result = run_direct(p, {.attempts_max = options.attempts,
                                          .bundle_rows_max = options.bundle_rows,
                                          .lift_combiners = options.lift_combiners,
                                          .fast_path = false,
                                          .side_input_bytes = options.side_input_bytes,
                                          .job = options.job_name,
                                          .temp_folder = options.temp_location,
                                          .on_notice = to_error_stream});
    report.committed = result.metrics;
    report.metrics = std::move(result.metrics);
    report.attempted = std::move(result.attempted);
    report.notices = std::move(result.notices);
    report.state = job_state::done;
  } catch (const pipeline_error&) {
    throw;
  } catch (const std::exception& error) {
    report.state = job_state::failed;
    report.error = error.what();
  }
  return report;
}

job_report on_actors(const pipeline& p, const pipeline_options& options, const run_extras& extras) {
  const blocked_signals signals;
  run_config config(cores());
  caf::actor_system system(config);
  const job running = engine(system).launch(p, job_options_of(options, extras));
  constexpr std::chrono::milliseconds glance{20};
  auto told = std::chrono::steady_clock::now();
  while (true) {
    if (auto result = running.wait_for(glance)) return *result;
    if (signals.came_within(std::chrono::milliseconds{0})) running.cancel();
    if (!extras.progress || std::chrono::steady_clock::now() - told < extras.progress_every) continue;
    extras.progress(running.status());
    told = std::chrono::steady_clock::now();
  }
}

}  // namespace

job_report execute(const pipeline& p, const pipeline_options& options, const run_extras& extras) {
  for (const graph_warning& w : graph_warnings(p.description())) std::cerr << to_text(w) << '\n';
  if (has_test_streams(p)) return simulate(p, {.job = job_options_of(options, extras)}).report;
  if (options.runner == runner_kind::direct) return on_direct_runner(p, options);
  return on_actors(p, options, extras);
}

int run(const pipeline& p, const pipeline_options& options, const run_extras& extras) {
  try {
    const job_report r = execute(p, options, extras);
    if (r.resumed_from != 0) std::cerr << "job \"" << r.job << "\" resumed from epoch " << r.resumed_from << '\n';
    if (r.succeeded()) return 0;
    std::cerr << "job \"" << r.job << "\" " << to_text(r.state);
    if (!r.error.empty()) std::cerr << ": " << r.error;
    std::cerr << '\n';
    return r.state == job_state::cancelled ? 130 : 1;
  } catch (const std::exception& error) {
    std::cerr << p.name() << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace millrace
