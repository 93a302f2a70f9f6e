#include "countdown.hpp"
#include "frequent.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gtest/gtest.h>

// What CONTRIBUTING.md shows how to add works on both runners.
namespace millrace {
namespace {

TEST(contributing, shows_a_transform_that_works) {
  pipeline p{"frequent"};
  expectations e;
  e.that("twice", p | create("letters", {"a", "b", "a", "c", "b", "a"}) | frequent("frequent", 2))
      .contains_in_any_order({"a", "b"});
  run_direct(p);
  e.verify();
}

TEST(contributing, shows_a_source_that_works_and_survives_a_crash) {
  for (const bool crash : {false, true}) {
    SCOPED_TRACE(crash);
    pipeline p{"countdown"};
    expectations e;
    e.that("numbers", p | read("count", countdown(3))).contains_in_any_order({3, 2, 1});
    simulation_options options;
    if (crash) options.kills.push_back({.at_message = 12, .stage = 0, .shard = 0});
    const simulation_result result = simulate(p, options);
    EXPECT_TRUE(result.report.succeeded()) << result.report.error;
    EXPECT_EQ(result.report.rewinds, crash ? 1U : 0U);
    e.verify();
  }
}

}  // namespace
}  // namespace millrace
