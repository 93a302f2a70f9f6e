#include "countdown.hpp"
#include "frequent.hpp"
#include "shift_windows.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/timestamps.hpp>

#include <gtest/gtest.h>

// What CONTRIBUTING.md shows how to add works on both runners.
namespace millrace::contributing_test {
namespace {

TEST(contributing, shows_a_transform_that_works) {
  pipeline p{"frequent"};
  expectations e;
  e.that("twice", p | create("letters", {"a", "b", "a", "c", "b", "a"}) | frequent("frequent", 2))
      .contains_in_any_order({"a", "b"});
  run_direct(p);
  e.verify();
}

// 1970-01-01T15:00 is in the late shift, from 14:00 to 22:00, of the day that began at 6:00.
TEST(contributing, shows_a_window_function_that_works_and_survives_a_crash) {
  using namespace std::chrono_literals;
  const timestamp start{0};
  for (const bool crash : {false, true}) {
    SCOPED_TRACE(crash);
    pipeline p{"shifts"};
    expectations e;
    const auto counts = p | create("readings", {1, 2})
                        | with_timestamps("three o'clock", [=](int /*x*/) { return start + 15h; })
                        | window_into("shifts", {.into = custom_windows_of(shift_windows{})})
                        | count_globally("count", without_defaults);
    e.that("late", counts).in_window({start + 14h, start + 22h}).contains_in_any_order({std::uint64_t{2}});
    e.that("day", counts).in_window({start + 6h, start + 30h}).contains_in_any_order({std::uint64_t{2}});
    simulation_options options;
    if (crash) options.kills.push_back({.at_message = 12, .stage = 0, .shard = 0});
    const simulation_result result = simulate(p, options);
    EXPECT_TRUE(result.report.succeeded()) << result.report.error;
    e.verify();
  }
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
}  // namespace millrace::contributing_test
