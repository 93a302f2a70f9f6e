#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/plan/explain.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace millrace::explain_test {
namespace {

using ::testing::HasSubstr;

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

void first_letter(const std::string& word, emitter<std::string_view>& out) {
  out(std::string_view(word).substr(0, 1));
}

TEST(make_plan, keeps_views_of_text_in_the_stage_that_made_them_even_where_nothing_is_fused) {
  pipeline p("letters");
  p | create<std::string>("words", {"be"}) | flat_map("letter", first_letter)
      | map("text", [](const std::string_view& letter) { return std::string(letter); });
  const plan stages = make_plan(p.description(), {.fuse = false});
  ASSERT_EQ(stages.stages.size(), 2U);
  EXPECT_EQ(stages.stages[1].nodes.size(), 2U) << "letter and text";
}

TEST(make_plan, refuses_views_of_text_that_leave_their_stage) {
  pipeline p("letters");
  const auto some = p | create<std::string>("words", {"be"}) | flat_map("letter", first_letter);
  const auto others = p | create<std::string>("more words", {"or"}) | flat_map("other letter", first_letter);
  flatten("all", some, others) | map("text", [](const std::string_view& letter) { return std::string(letter); });
  try {
    static_cast<void>(make_plan(p.description(), {}));
    FAIL() << "it must be refused";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("letter"));
    EXPECT_THAT(e.what(), HasSubstr("cannot leave its stage for \"all\"; give out std::string instead"));
  }
}

}  // namespace
}  // namespace millrace::explain_test
