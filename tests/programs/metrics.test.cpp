#include "plain_runs.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/plan/plan.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/cell.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>

// Metrics that are committed, and those that are attempted: with calls that fail, and with shards that die.
namespace millrace::programs::metrics_test {
namespace {

using number = std::int64_t;
using pair = kv<number, number>;

// Counts and measures each element, and fails at first for those that it is told to.
class measuring {
 public:
  using output = number;
  explicit measuring(std::set<number> fails) : left_(std::make_shared<std::set<number>>(std::move(fails))) {}
  void process(const number& x, emitter<number>& out) {
    ++seen_;
    sizes_.add(x);
    largest_.set(static_cast<double>(x));
    out(x);
    if (left_->erase(x) > 0) throw std::runtime_error("not yet");
  }
  auto metrics() { return std::tie(seen_, sizes_, largest_); }

 private:
  std::shared_ptr<std::set<number>> left_;
  counter seen_{"seen"};
  distribution sizes_{"sizes"};
  gauge largest_{"largest"};
};

// The same per key, and by names at each use.
class measuring_with_state {
 public:
  using output = pair;
  explicit measuring_with_state(std::set<number> fails) : left_(std::make_shared<std::set<number>>(std::move(fails))) {}
  void process(const pair& x, emitter<pair>& out, metric_board& metrics) {
    metrics.counter("values") += x.value;
    sum_.set(sum_.get() + x.value);
    out(pair{x.key, sum_.get()});
    if (left_->erase(x.value) > 0) throw std::runtime_error("not yet");
  }
  auto cells() { return std::tie(sum_); }

 private:
  std::shared_ptr<std::set<number>> left_;
  value_state<number> sum_{"sum"};
};

class metric_results : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, metric_results, each_runner(), runner_name);

TEST_P(metric_results, of_calls_that_failed_are_attempted_and_not_committed) {
  pipeline p("retries");
  p | sequence("numbers", {.to = 10}) | par_do("measure", measuring({3, 7}))
      | map("name",
            [failed = std::make_shared<bool>()](number x, metric_board& metrics) {
              metrics.counter("named") += x;
              if (x == 5 && !std::exchange(*failed, true)) throw std::runtime_error("not yet");
              return pair{x % 2, x};
            })
      | par_do("sum", measuring_with_state({8}));
  auto [committed, attempted] = run_on(GetParam(), p);
  EXPECT_EQ(committed.at("measure").counters().at("seen"), 10);
  EXPECT_EQ(committed.at("measure").elements_in, 10U);
  EXPECT_EQ(committed.at("measure").distributions().at("sizes"), (distribution_value{10, 45, 0, 9}));
  EXPECT_EQ(committed.at("name").counters().at("named"), 45);
  EXPECT_EQ(committed.at("sum").counters().at("values"), 45);
  EXPECT_EQ(attempted.at("measure").counters().at("seen"), 12);
  EXPECT_EQ(attempted.at("measure").elements_in, 12U);
  EXPECT_EQ(attempted.at("measure").elements_out, 10U);
  EXPECT_EQ(attempted.at("measure").distributions().at("sizes"), (distribution_value{12, 55, 0, 9}));
  EXPECT_EQ(attempted.at("name").counters().at("named"), 50);
  EXPECT_EQ(attempted.at("sum").counters().at("values"), 53);
  EXPECT_EQ(attempted.at("sum").elements_in, 11U);
}

// Keeps a bundle, so that it is done again as a whole.
class measuring_bundles : public measuring {
 public:
  using measuring::measuring;
  void start_bundle() {}
};

TEST_P(metric_results, of_a_bundle_that_failed_are_attempted_whole) {
  pipeline p("bundles");
  p | test_stream<number>("numbers").add({1, 2, 3}).add({4}).advance_watermark_to_infinity()
      | par_do("measure", measuring_bundles({3}));
  auto [committed, attempted] = run_on(GetParam(), p);
  EXPECT_EQ(committed.at("measure").counters().at("seen"), 4);
  EXPECT_EQ(committed.at("measure").distributions().at("sizes"), (distribution_value{4, 10, 1, 4}));
  EXPECT_EQ(attempted.at("measure").counters().at("seen"), 7);
  EXPECT_EQ(attempted.at("measure").elements_in, 7U);
  EXPECT_EQ(attempted.at("measure").distributions().at("sizes"), (distribution_value{7, 16, 1, 4}));
}

// 300 numbers, measured, and summed by their last digit.
void measured_sums(pipeline& p) {
  p | sequence("numbers", {.to = 300, .rate = 10'000}) | par_do("measure", measuring({}))
      | with_keys("by digit", [](number x) { return x % 10; }) | combine_per_key("sum", sum);
}
simulation_options with_seed(std::uint64_t seed) {
  return {.seed = seed,
          .job = {.shards = 2, .checkpoint_every = std::chrono::milliseconds{5}, .streaming = true, .bundle_rows = 7}};
}
void expect_exact(const job_report& r, const std::string& how) {
  EXPECT_EQ(r.committed.at("measure").counters().at("seen"), 300) << how;
  EXPECT_EQ(r.committed.at("measure").distributions().at("sizes"), (distribution_value{300, 44'850, 0, 299})) << how;
  EXPECT_EQ(r.committed.at("measure").elements_in, 300U) << how;
  EXPECT_EQ(r.committed.at("sum").elements_in, 300U) << how;
  EXPECT_EQ(r.committed.at("sum").elements_out, 10U) << how;
  for (const auto& [path, board] : r.metrics) {
    EXPECT_EQ(board.elements_in, r.committed.at(path).elements_in) << how << " " << path;
    EXPECT_EQ(board.elements_out, r.committed.at(path).elements_out) << how << " " << path;
  }
}

TEST(metrics_with_kills, are_committed_exactly_and_attempted_at_least_as_much) {
  std::mt19937_64 random(5);
  std::uint32_t rewinds = 0;
  number attempted_more = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    pipeline p("killed");
    measured_sums(p);
    const auto quiet = simulate(p, with_seed(seed));
    expect_exact(quiet.report, "without kills");
    EXPECT_EQ(quiet.report.attempted.at("measure").counters().at("seen"), 300);
    EXPECT_EQ(quiet.report.attempted.at("sum").elements_in, 300U);
    auto options = with_seed(seed);
    const auto stages = make_plan(p.description(), {.shards = 2}).stages;
    for (int i = 0; i < 3; ++i)
      options.kills.push_back({1 + random() % quiet.messages, stages.at(random() % stages.size()).id,
                               static_cast<std::uint32_t>(random() % 2)});
    const job_report r = simulate(p, options).report;
    expect_exact(r, "with kills, seed " + std::to_string(seed));
    rewinds += r.rewinds;
    for (const auto& [path, board] : r.committed) {
      EXPECT_GE(r.attempted.at(path).elements_in, board.elements_in) << path;
      EXPECT_GE(r.attempted.at(path).elements_out, board.elements_out) << path;
    }
    const auto& sizes = r.attempted.at("measure").distributions().at("sizes");
    EXPECT_EQ(sizes.count, r.attempted.at("measure").counters().at("seen"));
    EXPECT_EQ(sizes.least, 0);
    EXPECT_EQ(sizes.greatest, 299);
    attempted_more += sizes.count - 300;
  }
  EXPECT_GT(rewinds, 60U) << "most kills must hit a running shard";
  EXPECT_GT(attempted_more, 1000) << "crashes must have taken work back";
}

TEST(metrics_with_kills, have_everything_that_a_dead_shard_has_done_as_attempted) {
  pipeline p("one shard");
  const auto calls = std::make_shared<number>(0);
  p | sequence("numbers", {.to = 300, .rate = 10'000}) | map("count", [calls](number x, metric_board& metrics) {
    ++*calls;
    ++metrics.counter("seen");
    return x;
  });
  auto options = with_seed(3);
  options.job.shards = 1;
  const auto quiet = simulate(p, options);
  EXPECT_EQ(std::exchange(*calls, 0), 300);
  options.kills = {{quiet.messages / 3, 0, 0}, {quiet.messages / 2, 0, 0}};
  const job_report r = simulate(p, options).report;
  EXPECT_GT(r.rewinds, 0U);
  EXPECT_GT(*calls, 300);
  EXPECT_EQ(r.attempted.at("count").counters().at("seen"), *calls);
  EXPECT_EQ(r.committed.at("count").counters().at("seen"), 300);
}

}  // namespace
}  // namespace millrace::programs::metrics_test
