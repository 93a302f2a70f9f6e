#include "splittable_functions.hpp"

#include <millrace/actors/engine.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace millrace::programs::splittable_drain_test {
namespace {

using ::testing::ElementsAre;

template <class Fn>
std::vector<int> drained(const Fn& fn) {
  pipeline p{"p"};
  const recording<int> out;
  p | create("in", std::vector<int>{1}) | par_do_splittable("wait", fn) | collect("out", out);
  caf::actor_system_config config;
  caf::actor_system system{config};
  const job j = engine(system).launch(p, {.shards = 2});
  while (j.status().metrics["wait/process"].elements_out < 4) {
  }
  j.drain();
  const auto report = j.wait();
  EXPECT_EQ(report.state, job_state::drained) << report.error;
  auto values = out.values();
  std::ranges::sort(values);
  return values;
}

TEST(case_12_6, a_drained_job_finishes_what_ends_and_drops_what_does_not) {
  EXPECT_THAT(drained(waiting_at_four<10>{}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(drained(waiting_at_four<offset_range::endless>{}), ElementsAre(0, 1, 2, 3));
}

TEST(par_do_splittable, ends_a_call_that_has_taken_longer_than_it_may) {
  pipeline p{"p"};
  const recording<int> out;
  const counting_in_time fn;
  p | create("in", std::vector<int>{10}) | par_do_splittable("count", fn, {.time_max = std::chrono::seconds{1}})
      | collect("out", out);
  caf::actor_system_config config;
  caf::actor_system system{config};
  const auto report =
      engine(system).launch(p, {.shards = 1, .clock = [clock = fn.clock] { return timestamp{clock->load()}; }}).wait();
  EXPECT_TRUE(report.succeeded()) << report.error;
  EXPECT_EQ(out.values(), up_to(10));
  EXPECT_THAT(*fn.begins, ElementsAre(0, 4, 8)) << "at the claim of 4 the call has taken 1.2 s";
}

}  // namespace
}  // namespace millrace::programs::splittable_drain_test
