#include "keyed_step.hpp"

#include <millrace/transforms/group_by_key.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::group_operator_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;
using grouped = kv<std::string, std::vector<std::string>>;

windowing_strategy fixed_ten(trigger fire = default_trigger(), std::int64_t lateness = 0,
                             panes keep = panes::discarding) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.fire = std::move(fire);
  s.allowed_lateness = duration{lateness};
  s.keep = keep;
  return s;
}

keyed_step<row, grouped> groups(windowing_strategy s, keyed_options options = {}) {
  pipeline p{"p"};
  p.allow_unsafe_triggers();
  return keyed_step<row, grouped>(keyed_input<row>(p, std::move(s)) | group_by_key("group"), options);
}

TEST(group_by_key, gives_late_panes_and_drops_what_is_too_late_4_1) {
  auto step = groups(fixed_ten(default_trigger(), 20));
  step.watermark(0);
  step.element({"k", "a"}, 3);
  step.element({"k", "b"}, 8);
  EXPECT_THAT(step.watermark(9), IsEmpty());
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", [\"a\", \"b\"]) [0, 10) @9 ON_TIME 0/0 F"));
  EXPECT_THAT(step.element({"k", "c"}, 5), ElementsAre("(\"k\", [\"c\"]) [0, 10) @9 LATE 1/1"));
  EXPECT_THAT(step.watermark(29), IsEmpty());
  EXPECT_THAT(step.element({"k", "d"}, 1), ElementsAre("(\"k\", [\"d\"]) [0, 10) @9 LATE 2/2"));
  EXPECT_THAT(step.watermark(30), IsEmpty());
  EXPECT_THAT(step.element({"k", "e"}, 2), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
  EXPECT_EQ(step.metrics.elements_in, 5U);
  EXPECT_EQ(step.metrics.elements_out, 3U);
}

TEST(group_by_key, takes_the_earliest_time_and_accumulates_4_2) {
  windowing_strategy s = fixed_ten(at_watermark().early(after_count(2)).late(after_count(1)), 20, panes::accumulating);
  s.timestamps = timestamp_combiner::earliest;
  auto step = groups(s);
  step.watermark(0);
  step.element({"k", "a"}, 3);
  EXPECT_EQ(step.output_watermark(), timestamp{0});
  EXPECT_THAT(step.element({"k", "b"}, 1), ElementsAre("(\"k\", [\"a\", \"b\"]) [0, 10) @1 EARLY 0/-1 F"));
  step.element({"k", "c"}, 4);
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", [\"a\", \"b\", \"c\"]) [0, 10) @4 ON_TIME 1/0"));
  EXPECT_THAT(step.element({"k", "d"}, 7), ElementsAre("(\"k\", [\"a\", \"b\", \"c\", \"d\"]) [0, 10) @9 LATE 2/1"));
  EXPECT_THAT(step.watermark(30), IsEmpty());
}

TEST(group_by_key, looks_at_the_trigger_once_a_bundle_4_3) {
  auto step = groups(fixed_ten(repeatedly(after_count(2))));
  EXPECT_THAT(step.bundle({{{"k", "0"}, 0}, {{"k", "1"}, 1}, {{"k", "2"}, 2}, {{"k", "3"}, 3}, {{"k", "4"}, 4}}),
              ElementsAre("(\"k\", [\"0\", \"1\", \"2\", \"3\", \"4\"]) [0, 10) @9 EARLY 0/-1 F"));
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", []) [0, 10) @9 ON_TIME 1/0 L"));
}

TEST(group_by_key, fires_by_the_processing_clock_4_5) {
  windowing_strategy s = fixed_ten(repeatedly(after_delay(duration{10})), 50);
  s.into = fixed(duration{100});
  auto step = groups(s);
  step.processing_time(1000);
  step.element({"k", "a"}, 5);
  EXPECT_EQ(step.running().as_head()->next_clock_timer(), timestamp{1011});
  EXPECT_THAT(step.processing_time(1010), IsEmpty());
  EXPECT_THAT(step.processing_time(1011), ElementsAre("(\"k\", [\"a\"]) [0, 100) @99 EARLY 0/-1 F"));
  step.element({"k", "b"}, 6);
  EXPECT_THAT(step.watermark(100), IsEmpty());
  EXPECT_THAT(step.processing_time(1022), ElementsAre("(\"k\", [\"b\"]) [0, 100) @99 ON_TIME 1/0"));
  step.element({"k", "c"}, 7);
  EXPECT_THAT(step.watermark(150), ElementsAre("(\"k\", [\"c\"]) [0, 100) @99 LATE 2/1 L"));
}

TEST(group_by_key, counts_what_a_closed_window_drops_4_8) {
  windowing_strategy s = fixed_ten(repeatedly(after_count(2)).until(after_count(5)));
  auto step = groups(s);
  for (const char* v : {"a", "b", "c", "d"}) step.element({"k", v}, 1);
  EXPECT_THAT(step.element({"k", "e"}, 1), ElementsAre("(\"k\", [\"e\"]) [0, 10) @9 EARLY 2/-1 L"));
  step.element({"k", "f"}, 1);
  step.element({"k", "g"}, 1);
  EXPECT_EQ(step.metrics.dropped("closed_window"), 2U);
  EXPECT_THAT(step.watermark(100), IsEmpty());
}

TEST(group_by_key, merges_sessions_of_a_key_2_3) {
  windowing_strategy s;
  s.into = sessions(duration{10});
  auto step = groups(s);
  step.bundle({{{"k", "a"}, 0}, {{"k", "b"}, 15}});
  step.element({"k", "c"}, 7);
  step.element({"j", "d"}, 7);
  EXPECT_THAT(step.watermark(100), ElementsAre("(\"j\", [\"d\"]) [7, 17) @16 ON_TIME 0/0 F L",
                                               "(\"k\", [\"a\", \"b\", \"c\"]) [0, 25) @24 ON_TIME 0/0 F L"));
}

TEST(group_by_key, holds_the_watermark_at_its_earliest_element_3_1) {
  windowing_strategy s = fixed_ten();
  s.timestamps = timestamp_combiner::earliest;
  auto step = groups(s);
  step.watermark(0);
  step.bundle({{{"k", "a"}, 2}, {{"k", "b"}, 7}, {{"k", "c"}, 4}});
  step.watermark(8);
  EXPECT_EQ(step.output_watermark(), timestamp{2});
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", [\"a\", \"b\", \"c\"]) [0, 10) @2 ON_TIME 0/0 F L"));
  EXPECT_EQ(step.output_watermark(), timestamp{10});
}

TEST(group_by_key, continues_after_a_restart_between_any_two_events) {
  std::vector<std::string> expected;
  for (int restart_at = -1; restart_at < 16; ++restart_at) {
    windowing_strategy s =
        fixed_ten(at_watermark().early(after_delay(duration{5})).late(each_element{}), 20, panes::accumulating);
    s.into = sessions(duration{7});
    s.timestamps = timestamp_combiner::latest;
    auto step = groups(s);
    std::vector<std::string> seen;
    int event = 0;
    const auto after = [&](const std::vector<std::string>& lines) {
      seen.insert(seen.end(), lines.begin(), lines.end());
      if (event++ == restart_at) step.restart();
    };
    for (std::int64_t t = 0; t < 5; ++t) {
      after(step.bundle({{{"a", "x"}, 6 * t}, {{"b", "y"}, 9 * t}}));
      after(step.processing_time(4 * t));
      after(step.watermark(8 * t));
    }
    after(step.end());
    if (restart_at < 0) expected = seen;
    EXPECT_EQ(seen, expected) << restart_at;
  }
  EXPECT_GT(expected.size(), 10U);
}

TEST(group_by_key, gives_every_key_to_one_shard) {
  auto step = groups(fixed_ten(), {.shards = 4, .bundle_rows_max = 7});
  std::vector<timed<row>> rows;
  for (int i = 0; i < 100; ++i) rows.push_back({{"k" + std::to_string(i % 25), std::to_string(i)}, i % 10});
  step.bundle(rows);
  EXPECT_EQ(step.watermark(10).size(), 25U);
}

TEST(group_by_key, leaves_merged_windows_and_a_continuation_trigger_7_6) {
  pipeline p{"p"};
  windowing_strategy s = fixed_ten(repeatedly(after_count(7)));
  s.into = sessions(duration{7});
  const auto out = keyed_input<row>(p, s) | group_by_key("group");
  EXPECT_FALSE(out.windowing().merges());
  EXPECT_EQ(out.windowing().fire, repeatedly(after_count(1)));
}

TEST(group_by_key, is_refused_for_unbounded_input_without_windows_or_trigger_7_1) {
  pipeline p{"p"};
  EXPECT_NO_THROW(static_cast<void>(keyed_input<row>(p, {}, true) | group_by_key("bounded")));
  const auto in = keyed_input<row>(p, {});
  try {
    static_cast<void>(in | composite("outer", [](const auto& c) { return c | group_by_key("inner"); }));
    FAIL() << "not refused";
  } catch (const pipeline_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("outer/inner"));
  }
}

}  // namespace
}  // namespace millrace::testing::group_operator_test
