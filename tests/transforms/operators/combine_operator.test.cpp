#include "keyed_step.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/top.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::combine_operator_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::int64_t>;
using pairs = kv<std::string, std::int64_t>;

windowing_strategy fixed_ten(trigger fire = default_trigger(), std::int64_t lateness = 0,
                             panes keep = panes::discarding) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.fire = std::move(fire);
  s.allowed_lateness = duration{lateness};
  s.keep = keep;
  return s;
}

// Both paths must say the same.
class combine_paths : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] keyed_options options() const { return {.fast_path = GetParam()}; }
  [[nodiscard]] keyed_step<row, pairs> sums(windowing_strategy s) const {
    pipeline p{"p"};
    return keyed_step<row, pairs>(keyed_input<row>(p, std::move(s)) | combine_per_key("sum", sum), options());
  }
};
INSTANTIATE_TEST_SUITE_P(general_and_fast, combine_paths, ::testing::Bool());

TEST_P(combine_paths, gives_a_result_per_key_and_window_8_5) {
  auto step = sums(fixed_ten());
  step.bundle({{{"k", 1}, 1}, {{"k", 4}, 14}, {{"k", 2}, 2}});
  EXPECT_THAT(step.watermark(9), IsEmpty());
  EXPECT_THAT(step.watermark(100),
              ElementsAre("(\"k\", 3) [0, 10) @9 ON_TIME 0/0 F L", "(\"k\", 4) [10, 20) @19 ON_TIME 0/0 F L"));
}

TEST_P(combine_paths, gives_zero_for_an_empty_on_time_pane_5_4) {
  pipeline g{"g"};
  g.allow_unsafe_triggers();
  auto step = keyed_step<row, pairs>(
      keyed_input<row>(g, fixed_ten(at_watermark().early(after_count(2)))) | combine_per_key("sum", sum), options());
  EXPECT_THAT(step.bundle({{{"k", 3}, 1}, {{"k", 4}, 2}}), ElementsAre("(\"k\", 7) [0, 10) @9 EARLY 0/-1 F"));
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", 0) [0, 10) @9 ON_TIME 1/0 L"));
}

TEST_P(combine_paths, gives_nothing_where_there_is_no_result) {
  pipeline g{"g"};
  g.allow_unsafe_triggers();
  auto step = keyed_step<row, pairs>(keyed_input<row>(g, fixed_ten(at_watermark().early(after_count(1)), 0))
                                         | combine_per_key("max", millrace::max),
                                     options());
  EXPECT_THAT(step.element({"k", -3}, 1), ElementsAre("(\"k\", -3) [0, 10) @9 EARLY 0/-1 F"));
  EXPECT_THAT(step.watermark(10), IsEmpty());
}

TEST_P(combine_paths, corrects_accumulating_panes_and_drops_what_is_too_late_5_3) {
  auto step = sums(fixed_ten(default_trigger(), 20, panes::accumulating));
  step.bundle({{{"k", 1}, 3}, {{"k", 2}, 8}});
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", 3) [0, 10) @9 ON_TIME 0/0 F"));
  EXPECT_THAT(step.element({"k", 4}, 5), ElementsAre("(\"k\", 7) [0, 10) @9 LATE 1/1"));
  EXPECT_THAT(step.watermark(30), IsEmpty());
  EXPECT_THAT(step.element({"k", 4}, 5), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
}

TEST_P(combine_paths, continue_after_a_restart_between_any_two_events) {
  std::vector<std::string> expected;
  for (int restart_at = -1; restart_at < 12; ++restart_at) {
    auto step = sums(fixed_ten(at_watermark().early(each_element{}).late(each_element{}), 20, panes::accumulating));
    std::vector<std::string> seen;
    int event = 0;
    const auto after = [&](std::vector<std::string> lines) {
      std::ranges::sort(lines);
      seen.insert(seen.end(), lines.begin(), lines.end());
      if (event++ == restart_at) step.restart();
    };
    for (std::int64_t t = 0; t < 6; ++t) {
      after(step.bundle({{{"a", t}, 3 * t}, {{"b", 10 * t}, 4 * t}, {{"c", 1}, 1}}));
      after(step.watermark(6 * t));
    }
    if (restart_at < 0) expected = seen;
    EXPECT_EQ(seen, expected) << restart_at;
  }
  EXPECT_GT(expected.size(), 20U);
}

TEST(combine_per_key, takes_key_and_value_functions) {
  struct reading {
    std::string device;
    std::int32_t celsius = 0;
  };
  pipeline p{"p"};
  auto step = keyed_step<reading, kv<std::string, std::int32_t>>(
      keyed_input<reading>(p, fixed_ten())
      | combine_per_key("hottest", by(&reading::device), of(&reading::celsius), millrace::max));
  step.bundle({{{"a", 20}, 1}, {{"b", 5}, 2}, {{"a", 22}, 3}});
  EXPECT_THAT(step.end(),
              ElementsAre("(\"a\", 22) [0, 10) @9 ON_TIME 0/0 F L", "(\"b\", 5) [0, 10) @9 ON_TIME 0/0 F L"));
}

TEST(combine_per_key, averages_with_any_split_8_2) {
  for (const bool lift : {false, true}) {
    pipeline p{"p"};
    auto step = keyed_step<row, kv<std::string, double>>(
        keyed_input<row>(p, fixed_ten()) | combine_per_key("mean", mean), {.lift = lift});
    step.element({"a", 1}, 1);
    step.bundle({{{"a", 3}, 1}, {{"b", 5}, 1}});
    EXPECT_THAT(step.end(),
                ElementsAre("(\"a\", 2) [0, 10) @9 ON_TIME 0/0 F L", "(\"b\", 5) [0, 10) @9 ON_TIME 0/0 F L"));
    EXPECT_EQ(step.accumulator_rows, lift ? 3U : 0U);
  }
}

TEST(combine_per_key, merges_the_accumulators_of_sessions) {
  windowing_strategy s;
  s.into = sessions(duration{10});
  pipeline p{"p"};
  auto step = keyed_step<row, pairs>(keyed_input<row>(p, s) | combine_per_key("sum", sum));
  step.bundle({{{"k", 1}, 0}, {{"k", 2}, 15}});
  step.element({"k", 4}, 7);
  EXPECT_THAT(step.watermark(100), ElementsAre("(\"k\", 7) [0, 25) @24 ON_TIME 0/0 F L"));
}

// Counts and sums as text, in the smallest form a user may write.
struct joined {
  [[nodiscard]] std::string create() const { return {}; }
  void add(std::string& to, const std::int64_t& x) const { to += std::to_string(x); }
  void merge(std::string& to, const std::string& other) const { to += other; }
  [[nodiscard]] std::size_t extract(const std::string& of) const { return of.size(); }
};

TEST(combine_per_key, takes_any_combine_function) {
  pipeline p{"p"};
  auto step = keyed_step<row, kv<std::string, std::size_t>>(
      keyed_input<row>(p, fixed_ten()) | combine_per_key("join", joined{}), {.fast_path = true});
  step.bundle({{{"k", 100}, 1}, {{"k", 7}, 2}});
  step.restart();
  EXPECT_THAT(step.end(), ElementsAre("(\"k\", 4) [0, 10) @9 ON_TIME 0/0 F L"));
}

struct picky {
  [[nodiscard]] std::int64_t create() const { return 0; }
  void add(std::int64_t& to, const std::int64_t& x) const {
    if (x < 0) throw std::invalid_argument("negative");
    to += x;
  }
  void merge(std::int64_t& to, const std::int64_t& other) const { to += other; }
  [[nodiscard]] std::int64_t extract(const std::int64_t& of) const { return of; }
};

TEST(combine_per_key, names_step_and_element_when_its_function_throws) {
  for (const bool lift : {false, true})
    for (const bool fast : {false, true}) {
      pipeline p{"p"};
      p | create<row>("rows", {{"k", 1}, {"k", -1}}) | combine_per_key("sum", picky{});
      try {
        run_direct(p, {.lift_combiners = lift, .fast_path = fast});
        FAIL() << "no failure";
      } catch (const element_failure& e) {
        EXPECT_EQ(e.step(), "sum");
        EXPECT_EQ(e.element(), "(\"k\", -1)");
        EXPECT_EQ(e.cause(), "negative");
      }
    }
}

TEST(combine_per_key, decides_where_lifting_is_legal_8_4) {
  const auto why = [](windowing_strategy s) {
    pipeline p{"p"};
    p.allow_unsafe_triggers();
    const auto c = keyed_input<row>(p, std::move(s)) | combine_per_key("sum", sum);
    return p.description().at(p.description().collection_at(c.id()).producer).spec->why_not_lifted();
  };
  EXPECT_EQ(why(fixed_ten()), "");
  EXPECT_EQ(why(fixed_ten(repeatedly(after_delay(duration{10})))), "");
  EXPECT_EQ(why(fixed_ten(at_watermark().early(after_delay(duration{10})))), "");
  EXPECT_THAT(why(fixed_ten(repeatedly(after_count(1)))), HasSubstr("counts elements"));
  EXPECT_THAT(why(fixed_ten(repeatedly(after_count(7)))), HasSubstr("counts elements"));
  EXPECT_THAT(why(fixed_ten(at_watermark().early(after_count(2)))), HasSubstr("counts elements"));
  EXPECT_THAT(why(fixed_ten(always())), HasSubstr("counts elements"));
  windowing_strategy s = fixed_ten();
  s.timestamps = timestamp_combiner::earliest;
  EXPECT_THAT(why(s), HasSubstr("the time of each element"));
  s.timestamps = timestamp_combiner::latest;
  EXPECT_THAT(why(s), HasSubstr("the time of each element"));
}

TEST(combine_per_key, gives_the_same_lifted_on_many_shards_and_counts_drops_alike) {
  std::vector<std::string> expected;
  std::uint64_t dropped = 0;
  for (const std::uint32_t shards : {1U, 2U, 7U})
    for (const bool lift : {false, true})
      for (const bool fast : {false, true}) {
        pipeline p{"p"};
        auto step = keyed_step<row, pairs>(keyed_input<row>(p, fixed_ten(default_trigger(), 5, panes::accumulating))
                                               | combine_per_key("sum", sum),
                                           {.shards = shards, .lift = lift, .fast_path = fast, .bundle_rows_max = 100});
        std::vector<std::string> seen;
        std::mt19937 random(7);
        for (int round = 0; round < 20; ++round) {
          std::vector<timed<row>> rows;
          for (int i = 0; i < 200; ++i)
            rows.push_back({{"k" + std::to_string(random() % 20), static_cast<std::int64_t>(random() % 100)},
                            static_cast<std::int64_t>(random() % 100)});
          step.bundle(rows);
          for (auto& line : step.watermark(5 * round)) seen.push_back(std::move(line));
        }
        // What one bundle or another of a round fires late depends on bundle sizes; the panes on time do not.
        std::erase_if(seen, [](const std::string& line) { return line.find("ON_TIME") == std::string::npos; });
        std::ranges::sort(seen);
        if (expected.empty()) {
          expected = seen;
          dropped = step.metrics.dropped("late");
          ASSERT_GT(dropped, 0U);
        }
        EXPECT_EQ(seen, expected);
        EXPECT_EQ(step.metrics.dropped("late"), dropped);
        EXPECT_EQ(step.accumulator_rows > 0, lift);
      }
}

TEST(combine_per_key, stops_lifting_for_a_while_where_no_key_comes_twice) {
  using numbers = kv<std::int64_t, std::int64_t>;
  pipeline p{"p"};
  auto step =
      keyed_step<numbers, numbers>(keyed_input<numbers>(p, {}, true) | combine_per_key("sum", sum), {.lift = true});
  std::vector<timed<numbers>> rows;
  for (std::int64_t i = 0; i < 12000; ++i) rows.push_back({{i, 1}, 0});
  step.bundle(rows);
  EXPECT_EQ(step.accumulator_rows + step.input_rows, 12000U);
  EXPECT_GT(step.input_rows, 7000U);
  EXPECT_EQ(step.end().size(), 12000U);
}

TEST(combine_per_key, is_refused_where_no_window_ever_ends_7_1) {
  pipeline p{"p"};
  const auto in = keyed_input<row>(p, {});
  try {
    static_cast<void>(in | combine_per_key("sum", sum));
    FAIL() << "not refused";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("\"sum\""));
    EXPECT_THAT(e.what(), HasSubstr("window"));
    EXPECT_THAT(e.what(), HasSubstr("trigger"));
  }
  EXPECT_NO_THROW(static_cast<void>(keyed_input<row>(p, {}, true) | combine_per_key("sum", sum)));
}

TEST(combine_per_key, is_refused_with_a_trigger_that_loses_elements_4_12) {
  pipeline p{"p"};
  const auto in = keyed_input<row>(p, fixed_ten(after_count(2)));
  EXPECT_THROW(static_cast<void>(in | combine_per_key("sum", sum)), pipeline_error);
  p.allow_unsafe_triggers();
  EXPECT_NO_THROW(static_cast<void>(in | combine_per_key("sum", sum)));
}

TEST(combine_globally, gives_the_default_once_for_an_empty_input_8_1) {
  for (const bool fast : {false, true}) {
    pipeline p{"p"};
    auto step = keyed_step<std::int64_t, std::int64_t>(
        keyed_input<std::int64_t>(p, {}, true) | combine_globally("sum", sum), {.fast_path = fast});
    EXPECT_THAT(step.watermark(timestamp::end_of_global_window()), IsEmpty());
    EXPECT_THAT(step.end(), ElementsAre("0 global @gwmax ON_TIME 0/0 F L"));
    EXPECT_THAT(step.end(), IsEmpty());
    step.restart();
    EXPECT_THAT(step.end(), IsEmpty());
  }
}

TEST(combine_globally, gives_no_default_if_an_element_came_before_a_restart) {
  pipeline p{"p"};
  auto step =
      keyed_step<std::int64_t, std::int64_t>(keyed_input<std::int64_t>(p, {}, true) | combine_globally("sum", sum));
  step.bundle({{3, 0}, {4, 0}});
  step.restart();
  EXPECT_THAT(step.end(), ElementsAre("7 global @gwmax ON_TIME 0/0 F L"));
}

TEST(combine_globally, without_defaults_gives_nothing_for_an_empty_input_8_1) {
  pipeline p{"p"};
  auto step = keyed_step<std::int64_t, std::int64_t>(keyed_input<std::int64_t>(p, {}, true)
                                                     | combine_globally("sum", sum, without_defaults));
  EXPECT_THAT(step.end(), IsEmpty());
}

TEST(combine_globally, with_defaults_is_refused_over_windows_8_1) {
  pipeline p{"p"};
  const auto in = keyed_input<std::int64_t>(p, fixed_ten());
  try {
    static_cast<void>(in | combine_globally("sum", sum));
    FAIL() << "not refused";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("without_defaults"));
  }
  auto step = keyed_step<std::int64_t, std::int64_t>(in | combine_globally("sum", sum, without_defaults));
  step.bundle({{1, 1}, {4, 14}});
  EXPECT_THAT(step.watermark(100), ElementsAre("1 [0, 10) @9 ON_TIME 0/0 F L", "4 [10, 20) @19 ON_TIME 0/0 F L"));
}

TEST(count, counts_elements_keys_and_all) {
  pipeline p{"p"};
  auto words = keyed_step<std::string, kv<std::string, std::uint64_t>>(
      keyed_input<std::string>(p, {}, true) | count_per_element("words"), {.fast_path = true});
  words.bundle({{"to", 0}, {"be", 0}, {"to", 0}});
  auto lines = words.end();
  std::ranges::sort(lines);
  EXPECT_THAT(lines,
              ElementsAre("(\"be\", 1) global @gwmax ON_TIME 0/0 F L", "(\"to\", 2) global @gwmax ON_TIME 0/0 F L"));
  auto keys = keyed_step<row, kv<std::string, std::uint64_t>>(keyed_input<row>(p, {}, true) | count_per_key("keys"));
  keys.bundle({{{"a", 7}, 0}, {{"a", 8}, 0}});
  EXPECT_THAT(keys.end(), ElementsAre("(\"a\", 2) global @gwmax ON_TIME 0/0 F L"));
  auto all = keyed_step<row, std::uint64_t>(keyed_input<row>(p, {}, true) | count_globally("all"));
  all.bundle({{{"a", 7}, 0}, {{"b", 8}, 0}});
  EXPECT_THAT(all.end(), ElementsAre("2 global @gwmax ON_TIME 0/0 F L"));
}

TEST(top, gives_the_greatest_first_14_6) {
  pipeline p{"p"};
  auto step = keyed_step<row, kv<std::string, std::vector<std::int64_t>>>(
      keyed_input<row>(p, {}, true) | top_per_key("top", 2), {.shards = 3, .lift = true});
  step.bundle({{{"a", 5}, 0}, {{"a", 1}, 0}, {{"b", 1}, 0}});
  step.element({"a", 4}, 0);
  auto lines = step.end();
  std::ranges::sort(lines);
  EXPECT_THAT(lines, ElementsAre("(\"a\", [5, 4]) global @gwmax ON_TIME 0/0 F L",
                                 "(\"b\", [1]) global @gwmax ON_TIME 0/0 F L"));
}

}  // namespace
}  // namespace millrace::testing::combine_operator_test
