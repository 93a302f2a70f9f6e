#include <millrace/actors/engine.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

// What jobs do with the library's state when they end.
namespace millrace::programs::library_runtime_test {
namespace {

using namespace std::chrono_literals;
using number = std::int64_t;

TEST(endless_job, when_drained_gives_out_batches_that_are_not_complete_U16) {
  pipeline p("batches");
  recording<kv<number, std::vector<number>>> batches;
  p | sequence("numbers", {.rate = 2000, .time_of = [](number n) { return timestamp{n}; }})
      | with_keys("one key", [](number /*n*/) { return number{7}; }) | group_into_batches("batch", {.count = 300})
      | collect("collect", batches);
  caf::actor_system_config config;
  caf::actor_system system(config);
  const job running = engine(system).launch(p, {.shards = 2, .checkpoint_every = 10ms});
  while (running.status().metrics["numbers"].elements_out < 350 && !running.wait_for(2ms)) {
  }
  running.drain();
  const job_report report = running.wait();
  EXPECT_EQ(report.state, job_state::drained) << report.error;
  // Each of the two readers gives every second number, and hears of the drain at its own moment.
  std::array<std::vector<number>, 2> given;
  for (const auto& b : batches.values())
    for (const number n : b.value) given.at(static_cast<std::size_t>(n % 2)).push_back(n);
  for (std::size_t reader = 0; reader < given.size(); ++reader) {
    auto& numbers = given.at(reader);
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(numbers[i], static_cast<number>(2 * i + reader)) << "each number comes once";
  }
  EXPECT_GE(given[0].size() + given[1].size(), 350U);
  EXPECT_EQ(given[0].size() + given[1].size(), report.metrics.at("numbers").elements_out);
}

}  // namespace
}  // namespace millrace::programs::library_runtime_test
