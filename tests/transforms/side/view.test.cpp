#include <millrace/tests/transforms/one_step.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace millrace::testing::view_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

pane_info pane(std::uint32_t index) {
  return {index, static_cast<std::int32_t>(index), pane_timing::on_time, index == 0, false};
}

// A bundle with one pane of a view.
template <class T>
bundle pane_of(const window& in, std::uint32_t index, const std::vector<T>& elements) {
  bundle b;
  b.clear(column::variable, column_width<view_piece>);
  element_blocks all;
  for (const T& e : elements) all.add(e);
  writer scratch;
  append_value(b.values, view_piece{all.blocks.empty() ? "" : all.blocks.front(), all.count, true}, scratch);
  b.rows = 1;
  b.contexts = {{in, pane(index)}};
  b.runs = {{1, 0}};
  return b;
}
template <class T>
void give(one_step& step, const window& in, std::uint32_t index, const std::vector<T>& elements,
          std::uint32_t view = 0) {
  step.op->as_view_consumer()->accept_view(view, pane_of(in, index, elements));
}

// Main elements are texts in windows of 10 ms, the side input numbers in windows of 10 ms.
struct labelled {
  pipeline p{"p"};
  pcollection<std::string> main = input_of<std::string>(p, "main") | window_into("main windows", {.into = fixed(10ms)});
  pcollection<int> side = input_of<int>(p, "side") | window_into("side windows", {.into = fixed(10ms)});
};
rows<std::string> texts(std::vector<std::string> values, std::vector<timestamp> times, const window& in) {
  return {std::move(values), std::move(times), {in, {}}, {}};
}
std::string join(const std::string& x, const int& n) {
  return x + std::to_string(n);
}

TEST(side_input, is_read_in_the_window_of_the_element) {
  labelled g;
  one_step step(g.main | map("join", join, with(g.side | as_singleton("sum", 0))));
  auto& out = step.output<std::string>();
  give<int>(step, win(0, 10), 0, {1});
  give<int>(step, win(10, 20), 0, {5});
  step.feed(texts({"A", "C"}, {at(4), at(7)}, win(0, 10)));
  step.feed(texts({"B"}, {at(15)}, win(10, 20)));
  EXPECT_THAT(out.values, ElementsAre("A1", "C1", "B5"));
  EXPECT_THAT(out.times, ElementsAre(at(4), at(7), at(15)));
}

TEST(side_input, keeps_elements_waiting_with_a_hold_until_it_is_ready) {
  labelled g;
  one_step step(g.main | map("join", join, with(g.side | as_singleton("sum", 0))));
  auto& out = step.output<std::string>();
  step.feed(texts({"C", "A"}, {at(7), at(4)}, win(0, 10)));
  EXPECT_TRUE(out.values.empty());
  EXPECT_EQ(step.op->hold(), at(4));
  step.op->as_view_consumer()->advance_view(0, at(9));
  EXPECT_TRUE(out.values.empty());
  step.op->as_view_consumer()->advance_view(0, at(10));
  EXPECT_THAT(out.values, ElementsAre("C0", "A0")) << "the window is empty: the default";
  EXPECT_THAT(out.times, ElementsAre(at(7), at(4)));
  EXPECT_EQ(out.contexts[0].windows.front(), win(0, 10));
  EXPECT_EQ(step.op->hold(), timestamp::max());
}

TEST(side_input, releases_what_waits_when_the_first_pane_arrives) {
  labelled g;
  one_step step(g.main | map("join", join, with(g.side | as_singleton("sum"))));
  auto& out = step.output<std::string>();
  step.feed(texts({"A"}, {at(4)}, win(0, 10)));
  step.feed(texts({"B"}, {at(15)}, win(10, 20)));
  give<int>(step, win(0, 10), 0, {1});
  EXPECT_THAT(out.values, ElementsAre("A1"));
  EXPECT_EQ(step.op->hold(), at(15));
}

TEST(side_input, shows_the_newest_pane) {
  labelled g;
  one_step step(g.main
                | map(
                    "join",
                    [](const std::string& x, const std::vector<int>& all) {
                      std::string text = x;
                      for (const int i : all) text += std::to_string(i);
                      return text;
                    },
                    with(g.side | as_list("all"))));
  auto& out = step.output<std::string>();
  give<int>(step, win(0, 10), 0, {1});
  step.feed(texts({"a"}, {at(1)}, win(0, 10)));
  give<int>(step, win(0, 10), 1, {1, 2});
  step.feed(texts({"b"}, {at(2)}, win(0, 10)));
  give<int>(step, win(0, 10), 1, {3});
  step.feed(texts({"c"}, {at(2)}, win(0, 10)));
  give<int>(step, win(0, 10), 2, {7});
  give<int>(step, win(0, 10), 1, {9});
  step.feed(texts({"d"}, {at(3)}, win(0, 10)));
  EXPECT_THAT(out.values, ElementsAre("a1", "b12", "c123", "d7"));
}

TEST(side_input, fails_the_elements_that_read_an_empty_singleton) {
  labelled g;
  one_step step(g.main | map("join", join, with(g.side | as_singleton("sum"))), 1);
  step.output<std::string>();
  step.op->as_view_consumer()->advance_view(0, timestamp::max());
  try {
    step.feed(texts({"A"}, {at(4)}, win(0, 10)));
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_EQ(e.element(), "\"A\" @4 [0, 10)");
    EXPECT_THAT(e.cause(),
                HasSubstr("side input \"sum\" in window [0, 10) is empty where a singleton has one element"));
  }
}

TEST(side_input, sends_elements_that_cannot_read_it_to_the_error_output) {
  labelled g;
  auto [good, bad] = g.main | map("join", join, with(g.side | as_singleton("sum")), with_errors);
  one_step step(good, 1);
  auto& out = step.output<std::string>(0);
  auto& errors = step.output<failed<std::string>>(1);
  give<int>(step, win(0, 10), 0, {1, 2});
  give<int>(step, win(10, 20), 0, {3});
  step.feed(texts({"A"}, {at(4)}, win(0, 10)));
  step.feed(texts({"B"}, {at(14)}, win(10, 20)));
  EXPECT_THAT(out.values, ElementsAre("B3"));
  ASSERT_EQ(errors.values.size(), 1U);
  EXPECT_THAT(errors.values[0].message, HasSubstr("has 2 elements where a singleton has one"));
}

TEST(side_input, as_a_map_refuses_a_key_with_two_values_which_a_multimap_takes) {
  labelled g;
  const auto pairs = g.side | map("pair", [](const int& x) { return kv<std::string, int>{"a", x}; });
  const auto by_map =
      g.main
      | map(
          "m", [](const std::string& x, const std::map<std::string, int>& m) { return x + std::to_string(m.at("a")); },
          with(pairs | as_map("map")));
  const auto by_multimap = g.main
                           | map(
                               "mm",
                               [](const std::string& x, const std::multimap<std::string, int>& m) {
                                 return x + std::to_string(m.count("a"));
                               },
                               with(pairs | as_multimap("multimap")));
  one_step one(by_map, 1);
  one.output<std::string>();
  give<kv<std::string, int>>(one, win(0, 10), 0, {{"a", 1}, {"a", 2}});
  try {
    one.feed(texts({"x"}, {at(1)}, win(0, 10)));
    FAIL();
  } catch (const element_failure& e) {
    EXPECT_THAT(e.cause(), HasSubstr("has several values for key \"a\""));
  }
  one_step many(by_multimap);
  auto& out = many.output<std::string>();
  give<kv<std::string, int>>(many, win(0, 10), 0, {{"a", 1}, {"a", 2}});
  many.feed(texts({"x"}, {at(1)}, win(0, 10)));
  EXPECT_THAT(out.values, ElementsAre("x2"));
}

TEST(side_input, processes_an_element_in_several_windows_as_each_becomes_ready) {
  labelled g;
  const auto sliding_main = input_of<std::string>(g.p, "other") | window_into("slide", {.into = sliding(10ms, 5ms)});
  const auto sliding_side = input_of<int>(g.p, "other side") | window_into("slide side", {.into = sliding(10ms, 5ms)});
  one_step step(sliding_main | map("join", join, with(sliding_side | as_singleton("sum"))));
  auto& out = step.output<std::string>();
  give<int>(step, win(0, 10), 0, {1});
  const window both[] = {win(5, 15), win(0, 10)};
  step.feed(rows<std::string>{{"A"}, {at(7)}, {window_set{both}, {}}, {}});
  EXPECT_THAT(out.values, ElementsAre("A1"));
  EXPECT_EQ(out.contexts[0].windows, window_set{win(0, 10)});
  give<int>(step, win(5, 15), 0, {2});
  EXPECT_THAT(out.values, ElementsAre("A1", "A2"));
  EXPECT_EQ(out.contexts[1].windows, window_set{win(5, 15)});
}

TEST(side_input, waits_for_all_views_of_a_step) {
  labelled g;
  const auto more = input_of<int>(g.p, "more") | window_into("more windows", {.into = fixed(10ms)});
  one_step step(
      g.main
      | filter(
          "both",
          [](const std::string&, const int& a, const std::vector<int>& b) { return a == static_cast<int>(b.size()); },
          with(g.side | as_singleton("one"), more | as_list("two"))));
  auto& out = step.output<std::string>();
  step.feed(texts({"A"}, {at(4)}, win(0, 10)));
  give<int>(step, win(0, 10), 0, {2});
  EXPECT_TRUE(out.values.empty());
  give<int>(step, win(0, 10), 0, {8, 9}, 1);
  EXPECT_THAT(out.values, ElementsAre("A"));
}

TEST(side_input, is_an_argument_of_process_before_the_emitter) {
  struct joining {
    using output = std::string;
    void process(const std::string& x, const int& n, emitter<std::string>& out) { out(x + std::to_string(n)); }
  };
  labelled g;
  one_step step(g.main | par_do("join", joining{}, with(g.side | as_singleton("sum", 7))));
  auto& out = step.output<std::string>();
  step.feed(texts({"A"}, {at(4)}, win(0, 10)));
  step.op->as_view_consumer()->advance_view(0, timestamp::max());
  EXPECT_THAT(out.values, ElementsAre("A7"));
}

TEST(side_input, continues_after_a_restore) {
  labelled g;
  const auto joined = g.main | map("join", join, with(g.side | as_singleton("sum")));
  one_step first(joined);
  first.output<std::string>();
  give<int>(first, win(0, 10), 0, {1});
  first.feed(texts({"B"}, {at(15)}, win(10, 20)));
  writer to;
  first.op->snapshot(to);

  one_step second(joined);
  auto& out = second.output<std::string>();
  reader from(to.bytes());
  second.op->restore(from);
  from.expect_end();
  EXPECT_EQ(second.op->hold(), at(15));
  second.feed(texts({"A"}, {at(4)}, win(0, 10)));
  give<int>(second, win(10, 20), 0, {5});
  EXPECT_THAT(out.values, ElementsAre("A1", "B5"));
}

TEST(side_input, forgets_contents_and_drops_elements_behind_the_end_of_their_windows) {
  labelled g;
  one_step step(g.main | map("join", join, with(g.side | as_singleton("sum"))));
  auto& out = step.output<std::string>();
  give<int>(step, win(0, 10), 0, {1});
  step.clock.output_watermark = at(9);
  step.op->as_view_consumer()->advance_view(0, at(30));
  step.feed(texts({"A"}, {at(4)}, win(0, 10)));
  step.clock.output_watermark = at(10);
  step.op->as_view_consumer()->advance_view(0, at(31));
  step.feed(texts({"late"}, {at(4)}, win(0, 10)));
  EXPECT_THAT(out.values, ElementsAre("A1"));
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
}

TEST(view, is_a_grouping_and_a_node_of_its_own_kind) {
  labelled g;
  const auto sum = g.side | as_singleton("sum");
  const auto joined = g.main | map("join", join, with(sum));
  const graph& d = g.p.description();
  const node& consumer = d.at(d.collection_at(joined.id()).producer);
  EXPECT_THAT(consumer.views, ElementsAre(sum.id()));
  const node& viewing = d.at(d.collection_at(sum.id()).producer);
  EXPECT_EQ(viewing.path, "sum/view");
  EXPECT_EQ(viewing.spec->kind(), operator_kind::view);
  const node& gathering = d.at(d.collection_at(viewing.inputs[0]).producer);
  EXPECT_EQ(gathering.path, "sum/gather");
  EXPECT_EQ(gathering.spec->kind(), operator_kind::keyed);
}

TEST(view, refuses_sessions) {
  pipeline p{"p"};
  const auto side = input_of<int>(p) | window_into("w", {.into = sessions(10ms)});
  try {
    (void)(side | as_list("v"));
    FAIL();
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("transform \"v\": a side input cannot be in sessions"));
  }
}

TEST(view, refuses_a_step_of_another_pipeline) {
  labelled g;
  labelled other;
  const auto v = other.side | as_singleton("sum");
  EXPECT_THROW((void)(g.main | map("join", join, with(v))), pipeline_error);
}

}  // namespace
}  // namespace millrace::testing::view_test
