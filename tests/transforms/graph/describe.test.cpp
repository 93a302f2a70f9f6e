#include <millrace/transforms/graph/describe.hpp>
#include <millrace/transforms/graph/fingerprint.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/split.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::describe_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What a program may choose differently.
struct choices {
  std::string pipeline_name = "test";
  std::string step = "double";
  std::vector<int> values = {1, 2};
  duration size = std::chrono::minutes{1};
  bool side_input = true;
  bool wide = false;
};

pipeline build(const choices& c) {
  pipeline p(c.pipeline_name);
  const auto numbers = p | create("numbers", c.values) | window_into("windows", {.into = fixed(c.size)});
  const auto side = numbers | as_list("side");
  if (c.side_input) numbers | map(c.step, [](int x, const std::vector<int>& /*all*/) { return x * 2; }, with(side));
  else if (c.wide) numbers | map(c.step, [](int x) { return std::int64_t{x} * 2; });
  else numbers | map(c.step, [](int x) { return x * 2; });
  return p;
}

std::string print_of(const choices& c) {
  return fingerprint(build(c).description());
}

TEST(describe, tells_every_transform_with_what_it_reads_and_gives) {
  const auto text = describe(build({}).description());
  EXPECT_THAT(text, HasSubstr("numbers: read 2 values of "));
  EXPECT_THAT(text, HasSubstr("windows: "));
  EXPECT_THAT(text, HasSubstr("  reads numbers\n"));
  EXPECT_THAT(text, HasSubstr("double: "));
  EXPECT_THAT(text, HasSubstr("  side input side/view\n"));
  EXPECT_THAT(text, HasSubstr("  gives bounded " + any_coder::of<int>().name()));
}

TEST(describe, numbers_the_outputs_of_a_transform_with_several) {
  pipeline p("test");
  const auto [odd, even] = p | create("numbers", {1, 2}) | split("split", [](int x) -> std::variant<int, std::string> {
                             if (x % 2 == 1) return x;
                             return "even";
                           });
  even | map("map", [](const std::string& s) { return s; });
  EXPECT_THAT(describe(p.description()), HasSubstr("  reads split[1]\n"));
}

TEST(describe, draws_dot_and_mermaid) {
  const pipeline p = build({});
  const auto dot = describe(p.description(), diagram_format::dot);
  EXPECT_THAT(dot, HasSubstr("digraph \"test\" {"));
  EXPECT_THAT(dot, HasSubstr("n0 [label=\"numbers\\nread 2 values"));
  EXPECT_THAT(dot, HasSubstr("n0 -> n1 [label="));
  EXPECT_THAT(dot, HasSubstr("n3 -> n4 [label=\"" + any_coder::of<view_piece>().name() + "\", style=dashed]"));
  const auto chart = describe(p.description(), diagram_format::mermaid);
  EXPECT_THAT(chart, HasSubstr("flowchart TD\n"));
  EXPECT_THAT(chart, HasSubstr("n0[\"numbers<br/>read 2 values"));
  EXPECT_THAT(chart, HasSubstr("n3 -.->|"));
}

TEST(diagram, escapes_what_has_a_meaning) {
  diagram d("a \"b\"");
  d.add(diagram::box{"n0", {"x <y> \"z\" \\"}, "g"});
  d.title("g", "group");
  EXPECT_THAT(d.dot(), HasSubstr("digraph \"a \\\"b\\\"\""));
  EXPECT_THAT(d.dot(), HasSubstr("x <y> \\\"z\\\" \\\\"));
  EXPECT_THAT(d.dot(), HasSubstr("subgraph cluster_g"));
  EXPECT_THAT(d.mermaid(), HasSubstr("x #lt;y#gt; #quot;z#quot;"));
  EXPECT_THAT(d.mermaid(), HasSubstr("subgraph g[\"group\"]"));
}

TEST(fingerprint, is_equal_for_equal_programs) {
  EXPECT_EQ(print_of({}), print_of({}));
  EXPECT_EQ(print_of({}).size(), 16U);
  EXPECT_EQ(print_of({}), print_of({.pipeline_name = "another"}));
}

TEST(fingerprint, changes_with_names_values_windows_types_and_connections) {
  const auto same = print_of({});
  EXPECT_NE(same, print_of({.step = "twice"}));
  EXPECT_NE(same, print_of({.values = {1, 3}}));
  EXPECT_NE(same, print_of({.size = std::chrono::minutes{2}}));
  EXPECT_NE(same, print_of({.side_input = false}));
  EXPECT_NE(print_of({.side_input = false}), print_of({.side_input = false, .wide = true}));
}

}  // namespace
}  // namespace millrace::describe_test
