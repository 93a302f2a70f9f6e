#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/plan/explain.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// One element that means much work.
namespace millrace::programs::fan_out_test {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t pieces = 10'000;

void one_to_many(pipeline& p, bool spread, const recording<std::int64_t>& out) {
  const auto many = p | create("one", {1}) | flat_map("pieces", [](int, emitter<std::int64_t>& all) {
                      for (std::int64_t i = 0; i < pieces; ++i) all(i);
                    });
  (spread ? many | reshuffle("spread") : many) | map("work", [](std::int64_t i) { return i * i; })
      | combine_globally("sum", sum) | collect("out", out);
}
// How many elements each shard of a stage has worked on, the busiest first.
std::vector<std::uint64_t> worked(const job_report& r, const std::string& stage) {
  std::vector<std::uint64_t> all;
  for (const auto& s : r.shards)
    if (s.stage == stage) all.push_back(s.elements_in);
  std::ranges::sort(all, std::greater{});
  return all;
}

TEST(fan_out, V1_is_worked_on_by_all_shards_behind_a_reshuffle_and_by_one_without) {
  const std::int64_t expected = (pieces - 1) * pieces * (2 * pieces - 1) / 6;
  for (const bool spread : {false, true}) {
    pipeline direct{"fan out"};
    const recording<std::int64_t> alone;
    one_to_many(direct, spread, alone);
    run_direct(direct);
    EXPECT_THAT(alone.values(), ElementsAre(expected));

    pipeline p{"fan out"};
    const recording<std::int64_t> out;
    one_to_many(p, spread, out);
    const auto r = simulate(p, {.job = {.shards = 2}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_THAT(out.values(), ElementsAre(expected));
    if (spread) {
      const auto shards = worked(r.report, "spread");
      ASSERT_EQ(shards.size(), 2U);
      EXPECT_LE(shards[0], 6'000U) << "so that two workers need at most 0.6 of the time of one";
    } else {
      EXPECT_THAT(worked(r.report, "one"), ElementsAre(1, 0)) << "one shard has all of the work";
    }
  }
}

TEST(fan_out, V1_is_in_one_stage_with_its_work_as_explain_shows) {
  for (const bool spread : {false, true}) {
    pipeline p{"fan out"};
    one_to_many(p, spread, {});
    const std::string text = explain(p.description(), make_plan(p.description(), {.shards = 2}));
    const std::size_t from = text.find("\n  pieces: ");
    const std::size_t to = text.find("\n  work: ");
    ASSERT_LT(from, to) << text;
    ASSERT_NE(to, std::string::npos) << text;
    const bool same_stage = text.substr(from, to - from).find("shards, ") == std::string::npos;
    EXPECT_EQ(same_stage, !spread) << text;
  }
}

}  // namespace
}  // namespace millrace::programs::fan_out_test
