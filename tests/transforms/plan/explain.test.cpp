#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/plan/explain.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace {
namespace {

using testing::HasSubstr;

using pair = kv<std::string, std::int64_t>;

pipeline build() {
  pipeline p("test");
  const auto pairs = p | create<pair>("pairs", {{"a", 1}}) | map("same", [](const pair& x) { return x; });
  pairs | combine_per_key("sum", sum);
  pairs | group_by_key("group");
  const auto side = pairs | as_list("side");
  pairs | reshuffle("shuffle")
      | map("join", [](const pair& x, const std::vector<pair>& /*all*/) { return x; }, with(side));
  return p;
}

std::string explained(const plan_options& options, diagram_format as = diagram_format::text) {
  const pipeline p = build();
  return explain(p.description(), make_plan(p.description(), options), as);
}

TEST(explain, tells_the_stages_with_their_transforms) {
  const auto text = explained({.shards = 4});
  EXPECT_THAT(text, HasSubstr("\"pairs\", 4 shards, reads a source\n  pairs: read 1 values"));
  EXPECT_THAT(text, HasSubstr("\n  same: "));
  EXPECT_THAT(text, HasSubstr("\"sum\", 4 shards, behind a shuffle by key\n  sum: "));
}

TEST(explain, tells_how_edges_route_and_why_they_are_not_lifted) {
  const auto text = explained({.shards = 4});
  EXPECT_THAT(text, HasSubstr("by key, not lifted: lifting is off"));
  EXPECT_THAT(text, HasSubstr("by key, not lifted: not a combine"));
  EXPECT_THAT(text, HasSubstr(", spread\n"));
  EXPECT_THAT(text, HasSubstr("broadcast as side input 0 of \"join\""));
  EXPECT_THAT(explained({.shards = 4, .lift_combiners = true}), HasSubstr("by key, lifted"));
}

TEST(explain, tells_which_path_a_keyed_transform_takes) {
  const auto text = explained({});
  EXPECT_THAT(text, HasSubstr("(fast path)"));
  EXPECT_THAT(text, HasSubstr("(general path: not a combine)"));
}

TEST(explain, draws_stages_as_groups) {
  const auto dot = explained({}, diagram_format::dot);
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_stage0 {\n    label=\"pairs, 1 shard\";"));
  EXPECT_THAT(dot, HasSubstr("style=dashed"));
  EXPECT_THAT(dot, HasSubstr("receives "));
  const auto chart = explained({}, diagram_format::mermaid);
  EXPECT_THAT(chart, HasSubstr("subgraph stage0[\"pairs, 1 shard\"]"));
  EXPECT_THAT(chart, HasSubstr("|\"spread\"|"));
}

}  // namespace
}  // namespace millrace
