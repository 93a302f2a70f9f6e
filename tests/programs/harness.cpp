#include "harness.hpp"

#include "result_text.hpp"

#include <millrace/actors/engine.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/tests/sanitizer.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/plan/plan.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace millrace::programs {

namespace {

struct two_threads : caf::actor_system_config {
  two_threads() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

std::string text_of(const job_options& o) {
  return std::to_string(o.shards) + " shards, bundles of " + std::to_string(o.bundle_rows)
         + (o.edges == edge_compression::zstd ? ", zstd" : ", not compressed") + (o.fuse ? ", fused" : ", not fused")
         + (o.lift_combiners ? ", lifted" : "") + (o.fast_path ? ", fast path" : "");
}

std::string text_of(const std::vector<shard_kill>& kills) {
  std::string text;
  for (const shard_kill& k : kills)
    text += ", stage " + std::to_string(k.stage) + " shard " + std::to_string(k.shard) + " killed at message "
            + std::to_string(k.at_message);
  return text;
}

// Builds and runs one program again and again and compares each result with what is expected.
class trial {
 public:
  explicit trial(const program& of, reading as) : of_(of), as_(as), expected_(expected_lines(of.name)) {}

  void on_direct_runner(const direct_options& options, const std::string& how) {
    run("direct runner, " + how, [&](const pipeline& p) { return run_direct(p, options).metrics; });
  }
  // Returns what simulate() gave, if it did not throw.
  simulation_result simulated(const simulation_options& options) {
    simulation_result result;
    run("simulation with seed " + std::to_string(options.seed) + ", " + text_of(options.job) + text_of(options.kills),
        [&](const pipeline& p) {
          result = simulate(p, options);
          return metrics_of(result.report);
        });
    return result;
  }
  void on_threads(caf::actor_system& system, const job_options& options) {
    run("actor runtime, " + text_of(options),
        [&](const pipeline& p) { return metrics_of(engine(system).launch(p, options).wait()); });
  }
  [[nodiscard]] bool failed() const { return failures_ >= failures_max; }

 private:
  static constexpr int failures_max = 3;  // more tell nothing new

  template <class Runner>
  void run(const std::string& how, const Runner& runner) {
    if (failed()) return;
    pipeline p(of_.name);
    outputs shown;
    std::string wrong;
    try {
      of_.build(p, shown);
      const metrics_by_step metrics = runner(p);
      wrong = difference(expected_, lines_of(shown, as_, metrics));
    } catch (const std::exception& error) {
      wrong = std::string("  threw ") + error.what() + "\n";
    }
    if (wrong.empty()) return;
    ++failures_;
    ADD_FAILURE() << of_.name << " on " << how << ":\n" << wrong;
  }

  static metrics_by_step metrics_of(const job_report& report) {
    if (!report.succeeded()) throw std::runtime_error("the job " + to_text(report.state) + ": " + report.error);
    return report.metrics;
  }

  const program& of_;
  reading as_;
  std::vector<std::string> expected_;
  int failures_ = 0;
};

constexpr std::uint32_t shard_counts[] = {1, 2, 4, 7};
constexpr std::uint32_t bundle_sizes[] = {1, 7, 1000};

void on_direct_runner(trial& t) {
  t.on_direct_runner({}, "plain");
  t.on_direct_runner({.fuse = true, .lift_combiners = true}, "fused and lifted");
  t.on_direct_runner({.fuse = true, .fast_path = true}, "fused, with the fast path");
}

// Each pair of shards and bundle size once, with compression so that each pair with it is there too.
void on_actor_runtime(trial& t) {
  two_threads config;
  caf::actor_system system(config);
  for (unsigned s = 0; s < 4; ++s)
    for (unsigned b = 0; b < 3; ++b) {
      job_options o;
      o.shards = shard_counts[s];
      o.bundle_rows = bundle_sizes[b];
      o.edges = (s + b) % 2 == 0 ? edge_compression::none : edge_compression::zstd;
      o.lift_combiners = (s / 2 + b) % 2 == 0;
      o.fast_path = (s + b / 2) % 2 == 0;
      o.checkpoint_every = std::chrono::milliseconds{5};
      t.on_threads(system, o);
    }
}

}  // namespace

void check_scripted(const program& of) {
  trial t(of, reading::stamped);
  on_direct_runner(t);
  for (std::uint64_t seed = 1; seed <= (under_sanitizer ? 12 : 24); ++seed) {
    simulation_options o;
    o.seed = seed;
    o.job.shards = shard_counts[seed % 4];
    o.job.edges = seed % 3 == 0 ? edge_compression::zstd : edge_compression::none;
    o.job.fuse = seed % 5 != 0;
    o.job.lift_combiners = seed % 2 == 0;
    o.job.fast_path = seed % 8 < 4;
    t.simulated(o);
  }
}

void check_free_running(const program& of) {
  trial t(of, of.as);
  on_direct_runner(t);
  t.on_direct_runner({.bundle_rows_max = 7, .batch_rows_max = 3}, "bundles of 7");
  on_actor_runtime(t);
  std::set<std::uint64_t> traces;
  constexpr std::uint64_t orders = under_sanitizer ? 20 : 200;
  for (std::uint64_t seed = 1; seed <= orders; ++seed) {
    simulation_options o;
    o.seed = seed;
    o.job.shards = seed % 2 == 0 ? 3 : 2;
    o.job.bundle_rows = bundle_sizes[seed % 3];
    o.job.edges = seed % 4 < 2 ? edge_compression::zstd : edge_compression::none;
    o.job.lift_combiners = seed % 8 < 4;
    o.job.fast_path = seed % 16 < 8;
    traces.insert(t.simulated(o).trace);
  }
  if (t.failed()) return;
  EXPECT_GE(traces.size(), orders / 2) << "seeds must lead to different orders of actors";
}

void check_with_kills(const program& of) {
  trial t(of, of.as);
  pipeline p(of.name);
  outputs shown;
  of.build(p, shown);
  std::mt19937_64 random(of.name.size());
  std::uint32_t rewinds = 0;
  constexpr std::uint64_t runs = under_sanitizer ? 10 : 100;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    simulation_options o;
    o.seed = seed;
    o.job.shards = 2 + seed % 2;
    o.job.bundle_rows = bundle_sizes[seed % 3];
    o.job.checkpoint_every = std::chrono::milliseconds{1};
    o.job.fast_path = seed % 4 < 2;
    const auto messages = t.simulated(o).messages;
    const auto stages = make_plan(p.description(), {.shards = o.job.shards}).stages;
    for (int i = 0; i < 3 && messages > 0; ++i) {
      const auto& stage = stages.at(random() % stages.size());
      const auto shard = static_cast<std::uint32_t>(random() % stage.shards);
      o.kills.push_back({1 + random() % messages, stage.id, shard});
    }
    rewinds += t.simulated(o).report.rewinds;
    if (t.failed()) return;
  }
  EXPECT_GT(rewinds, runs * 3 / 2) << "most kills must hit a running shard";
}

}  // namespace millrace::programs
