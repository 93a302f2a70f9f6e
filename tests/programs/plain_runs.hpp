#pragma once

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// Tests of what both runners do alike, at one shard: a suite is instantiated with `each_runner()`.
namespace millrace::programs {

enum class runner : std::uint8_t { direct, actors };

class on_each_runner : public ::testing::TestWithParam<runner> {};

inline auto each_runner() {
  return ::testing::Values(runner::direct, runner::actors);
}
inline std::string runner_name(const testing::TestParamInfo<runner>& of) {
  return of.param == runner::direct ? "direct" : "actors";
}

// The metrics of a run by path.
struct run_metrics {
  std::map<std::string, metric_board> metrics;
  std::map<std::string, metric_board> attempted;
};

// Runs a pipeline to its end. Throws std::runtime_error with what the job failed of.
inline run_metrics run_on(runner which, const pipeline& p, std::size_t side_input_bytes = std::size_t{256} << 20) {
  if (which == runner::direct) {
    direct_result result = run_direct(p, {.side_input_bytes = side_input_bytes});
    return {std::move(result.metrics), std::move(result.attempted)};
  }
  simulation_result result = simulate(p, {.job = {.shards = 1, .side_input_bytes = side_input_bytes}});
  if (!result.report.succeeded()) throw std::runtime_error(result.report.error);
  return {std::move(result.report.metrics), std::move(result.report.attempted)};
}

// What a run that must fail says.
inline std::string failure_on(runner which, const pipeline& p, std::size_t side_input_bytes = std::size_t{256} << 20) {
  try {
    run_on(which, p, side_input_bytes);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "it did not fail";
}

template <class T>
std::vector<T> values_of(const recording<T>& of) {
  std::vector<T> all;
  for (const auto& row : of.rows()) all.push_back(row.value);
  return all;
}

}  // namespace millrace::programs
