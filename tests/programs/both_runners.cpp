#include "both_runners.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/direct_session.hpp>

#include <stdexcept>

namespace millrace::programs {

namespace {

direct_options on_direct_runner(way how) {
  direct_options options;
  if (how == way::direct) return options;
  options.shards = 3;
  options.batch_rows_max = 1;
  options.fuse = true;
  options.lift_combiners = true;
  options.fast_path = true;
  return options;
}

simulation_options on_actor_runtime(way how) {
  simulation_options options;
  options.job.shards = 1;
  options.job.fast_path = false;
  if (how == way::actors) return options;
  options.seed = 7;
  options.job.shards = 3;
  options.job.batch_rows = 1;
  options.job.lift_combiners = true;
  options.job.fast_path = true;
  return options;
}

bool is_direct(way how) {
  return how == way::direct || how == way::direct_fast;
}

}  // namespace

std::string name_of(way how) {
  static constexpr const char* names[] = {"direct_runner", "direct_runner_fast_path", "actors", "actors_fast_path"};
  return names[static_cast<std::size_t>(how)];
}

metrics_by_step both_runners::run(const pipeline& p) const {
  if (is_direct(GetParam())) return run_direct(p, on_direct_runner(GetParam())).metrics;
  const simulation_result result = simulate(p, on_actor_runtime(GetParam()));
  if (!result.report.succeeded()) throw std::runtime_error(result.report.error);
  return result.report.metrics;
}

std::string both_runners::failure_of(const pipeline& p) const {
  try {
    run(p);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::unique_ptr<job_session> both_runners::session(const pipeline& p) const {
  if (is_direct(GetParam())) return std::make_unique<direct_session>(p, on_direct_runner(GetParam()));
  simulation_options options = on_actor_runtime(GetParam());
  options.job.stepped = true;
  return std::make_unique<simulation_session>(p, options);
}

std::uint64_t dropped(const metrics_by_step& metrics, const std::string& cause) {
  std::uint64_t all = 0;
  for (const auto& [step, board] : metrics)
    if (const auto found = board.dropped_elements().find(cause); found != board.dropped_elements().end())
      all += found->second;
  return all;
}

}  // namespace millrace::programs
