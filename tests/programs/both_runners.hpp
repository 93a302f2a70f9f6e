#pragma once

#include "result_text.hpp"

#include <millrace/transforms/direct/job_session.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace::programs {

// How a case is run: on each runner plainly, and on each with several shards, fused steps that pass elements on one by
// one, lifted combines and the fast path.
enum class way : std::uint8_t { direct, direct_fast, actors, actors_fast };

inline constexpr way all_ways[] = {way::direct, way::direct_fast, way::actors, way::actors_fast};
[[nodiscard]] std::string name_of(way how);

// The acceptance cases that transcripts have no form for: each test runs in every way, and its name bears the number of
// its case. `INSTANTIATE_TEST_SUITE_P(on, SUITE, ::testing::ValuesIn(all_ways), way_name)` for each suite.
class both_runners : public ::testing::TestWithParam<way> {
 protected:
  // Runs a pipeline to its end. Throws what makes the job fail.
  metrics_by_step run(const pipeline& p) const;
  // What makes the job fail; empty if it does not.
  [[nodiscard]] std::string failure_of(const pipeline& p) const;
  // A job that is driven event by event.
  [[nodiscard]] std::unique_ptr<job_session> session(const pipeline& p) const;
  [[nodiscard]] bool on_actors() const { return GetParam() == way::actors || GetParam() == way::actors_fast; }
};

inline constexpr auto way_name = [](const testing::TestParamInfo<way>& of) { return name_of(of.param); };

// Dropped for a cause, over all steps.
[[nodiscard]] std::uint64_t dropped(const metrics_by_step& metrics, const std::string& cause);

// What was recorded with its stamps, `value [0,10) @9 ON_TIME 0/0 F`, sorted.
template <class T>
[[nodiscard]] std::vector<std::string> lines(const recording<T>& of) {
  std::vector<std::string> all;
  for (const auto& row : of.rows()) all.push_back(text_of(row.value) + " " + text_of_stamp(row.at));
  std::ranges::sort(all);
  return all;
}

// The same without stamps.
template <class T>
[[nodiscard]] std::vector<std::string> texts_of(const recording<T>& of) {
  std::vector<std::string> all;
  for (const auto& row : of.rows()) all.push_back(text_of(row.value));
  std::ranges::sort(all);
  return all;
}

}  // namespace millrace::programs
