#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/plan/plan.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

// Where programs are cut into stages.
namespace millrace::programs::plans_test {
namespace {

using namespace std::chrono_literals;
using number = std::int64_t;

// The stage of each step by its path.
std::map<std::string, stage_id> stages_of(const pipeline& p, const plan& cut) {
  std::map<std::string, stage_id> found;
  for (const stage_plan& s : cut.stages)
    for (const node_id n : s.nodes) found[p.description().at(n).path] = s.id;
  return found;
}

pcollection<number> numbers(pipeline& p) {
  return p | sequence("numbers", {.to = 10});
}
number same(number n) {
  return n;
}

TEST(plan_of, element_wise_steps_is_one_stage) {
  pipeline p("chain");
  numbers(p) | map("first", same) | filter("second", [](number n) { return n > 2; }) | map("third", same);
  const plan cut = make_plan(p.description(), {.shards = 3});
  ASSERT_EQ(cut.stages.size(), 1U);
  EXPECT_EQ(cut.stages.front().nodes.size(), 4U);
  EXPECT_EQ(cut.stages.front().shards, 3U);
  EXPECT_TRUE(cut.edges.empty());
}

TEST(plan_of, shuffles_and_reshuffles_begin_stages) {
  pipeline p("shuffles");
  numbers(p) | with_keys("key", same) | group_by_key("group") | keys("keys") | reshuffle("spread") | map("last", same);
  const plan cut = make_plan(p.description(), {.shards = 3});
  const auto stage = stages_of(p, cut);
  EXPECT_EQ(cut.stages.size(), 3U);
  EXPECT_EQ(stage.at("numbers"), stage.at("key"));
  EXPECT_NE(stage.at("key"), stage.at("group"));
  EXPECT_EQ(stage.at("group"), stage.at("keys"));
  EXPECT_NE(stage.at("keys"), stage.at("last"));
  ASSERT_EQ(cut.edges.size(), 2U);
  EXPECT_EQ(cut.edges.front().by, routing::by_key);
  EXPECT_EQ(cut.edges.back().by, routing::spread);
}

TEST(plan_of, a_side_input_is_made_in_another_stage_than_its_reader) {
  pipeline p("side");
  const auto all = numbers(p);
  const auto least = all | combine_globally("least", min) | as_singleton("view");
  all | map("read", [](number n, number smallest) { return n - smallest; }, with(least));
  const plan cut = make_plan(p.description(), {.shards = 3});
  const auto stage = stages_of(p, cut);
  EXPECT_NE(stage.at("read"), stage.at("least"));
  EXPECT_TRUE(std::ranges::any_of(cut.edges, [&](const edge_plan& e) {
    return e.view_of.has_value() && e.by == routing::broadcast && e.to == stage.at("read");
  }));
}

TEST(plan_of, unfused_programs_gives_each_step_its_stage) {
  pipeline p("unfused");
  numbers(p) | map("first", same) | map("second", same) | map("third", same);
  EXPECT_EQ(make_plan(p.description(), {.fuse = false}).stages.size(), 4U);
}

TEST(plan_of, combines_lifts_only_where_it_is_legal) {
  pipeline p("lifted");
  const auto keyed = numbers(p) | window_into("windows", {.into = fixed(10ms)}) | with_keys("key", same);
  keyed | combine_per_key("by default", sum);
  keyed
      | window_into("counting",
                    {.fire = at_watermark().early(after_count(2)), .keep = panes::discarding, .allowed_lateness = 0ms})
      | combine_per_key("by count", sum);
  keyed | window_into("earliest", {.timestamps = timestamp_combiner::earliest}) | combine_per_key("by time", sum);
  keyed | group_by_key("group");
  const plan cut = make_plan(p.description(), {.lift_combiners = true});
  const auto stage = stages_of(p, cut);
  for (const edge_plan& e : cut.edges) EXPECT_EQ(e.lift, e.to == stage.at("by default")) << e.to;
  for (const edge_plan& e : make_plan(p.description(), {}).edges) EXPECT_FALSE(e.lift);
}

}  // namespace
}  // namespace millrace::programs::plans_test
