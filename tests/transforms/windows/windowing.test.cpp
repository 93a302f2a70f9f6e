#include <millrace/transforms/windows/windowing.hpp>

#include <gmock/gmock.h>

#include <chrono>

namespace millrace::windowing_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Optional;

const windowing per_minute{
    .into = fixed(1min),
    .fire = at_watermark().early(after_delay{10s}).late(each_element{}),
    .keep = panes::accumulating,
    .allowed_lateness = 1h,
};

windowing_strategy strategy_of(const windowing& options) {
  return compose({}, options);
}

TEST(windowing_strategy, has_the_defaults_of_the_model) {
  EXPECT_EQ(windowing_strategy{}.describe(), "global, default, discarding, allowed lateness 0ms, timestamps "
                                             "end_of_window, closing if_non_empty, on time always");
}

TEST(windowing_strategy, takes_what_is_written_and_keeps_the_rest) {
  windowing_strategy expected;
  expected.into = fixed(1min);
  expected.fire = at_watermark().early(after_delay{10s}).late(each_element{});
  expected.keep = panes::accumulating;
  expected.allowed_lateness = 1h;
  expected.lateness_written = true;
  expected.panes_written = true;
  EXPECT_EQ(strategy_of(per_minute), expected);

  expected.timestamps = timestamp_combiner::earliest;
  expected.closing = fires::always;
  expected.on_time = fires::if_non_empty;
  EXPECT_EQ(
      compose(strategy_of(per_minute),
              {.timestamps = timestamp_combiner::earliest, .closing = fires::always, .on_time = fires::if_non_empty}),
      expected);
}

TEST(windowing_strategy, never_lessens_the_allowed_lateness) {
  const windowing_strategy first = strategy_of({.into = fixed(10ms), .allowed_lateness = 60ms});
  EXPECT_EQ(compose(first, {.into = fixed(10ms), .allowed_lateness = 10ms}).allowed_lateness, 60ms);
  EXPECT_EQ(compose(first, {.allowed_lateness = 70ms}).allowed_lateness, 70ms);
}

TEST(windowing_strategy, expires_a_window_at_the_end_of_the_global_one_at_the_latest) {
  windowing_strategy strategy;
  strategy.allowed_lateness = 20ms;
  EXPECT_EQ(strategy.expiry({timestamp{0}, timestamp{10}}), timestamp{29});
  EXPECT_EQ(strategy.expiry(window::global()), timestamp::end_of_global_window());
}

TEST(windowing_strategy, continues_after_a_grouping_with_merged_windows) {
  const windowing_strategy grouped =
      after_grouping(strategy_of({.into = sessions(10ms), .fire = repeatedly(after_count(7))}));
  EXPECT_FALSE(grouped.merges());
  EXPECT_TRUE(grouped.into.merging());
  EXPECT_EQ(grouped.fire, repeatedly(after_count(1)));
  EXPECT_FALSE(after_grouping(grouped).merges());
  EXPECT_TRUE(remerged(grouped).merges());
  EXPECT_TRUE(compose(grouped, {.into = sessions(10ms)}).merges());
  EXPECT_FALSE(compose(grouped, {.keep = panes::accumulating}).merges());
}

TEST(windowing_strategy, is_flattened_with_equal_triggers_and_compatible_windows) {
  EXPECT_TRUE(compatible(strategy_of({.into = sessions(10ms)}), strategy_of({.into = sessions(20ms)})));
  EXPECT_FALSE(compatible(strategy_of({.into = fixed(10ms)}), strategy_of({.into = fixed(20ms)})));
  EXPECT_FALSE(
      compatible(strategy_of({.into = fixed(10ms)}), strategy_of({.into = fixed(10ms), .fire = each_element{}})));
}

TEST(window_refusal, asks_for_a_lateness_beside_a_trigger) {
  EXPECT_THAT(window_refusal(strategy_of({.into = fixed(10ms), .fire = each_element{}, .keep = panes::discarding})),
              Optional(HasSubstr("explicit allowed lateness")));
  EXPECT_EQ(window_refusal(strategy_of({.into = global_windows(), .fire = each_element{}, .keep = panes::discarding})),
            std::nullopt);
  EXPECT_EQ(window_refusal(strategy_of(per_minute)), std::nullopt);
}

TEST(window_refusal, asks_for_an_accumulation_mode_where_there_may_be_several_panes) {
  EXPECT_THAT(window_refusal(strategy_of({.into = fixed(10ms), .allowed_lateness = 5ms})),
              Optional(HasSubstr("accumulation mode")));
  EXPECT_THAT(window_refusal(strategy_of({.fire = each_element{}})), Optional(HasSubstr("accumulation mode")));
  EXPECT_EQ(window_refusal(strategy_of({.into = fixed(10ms)})), std::nullopt);
  EXPECT_EQ(window_refusal(strategy_of({.allowed_lateness = 5ms})), std::nullopt);
}

TEST(grouping_refusal, names_an_unbounded_global_window_without_a_trigger) {
  EXPECT_THAT(grouping_refusal({}, {.bounded = false}), Optional(HasSubstr("global window")));
  EXPECT_EQ(grouping_refusal({}, {.bounded = true}), std::nullopt);
}

TEST(grouping_refusal, names_a_trigger_that_would_lose_elements_unless_that_is_allowed) {
  const auto refuses = [](trigger fire, duration lateness) {
    const windowing_strategy strategy = strategy_of({.into = fixed(10ms), .fire = fire, .allowed_lateness = lateness});
    EXPECT_EQ(grouping_refusal(strategy, {.unsafe_triggers_allowed = true}), std::nullopt);
    return grouping_refusal(strategy, {}).has_value();
  };
  EXPECT_TRUE(refuses(after_count(2), 0ms));
  EXPECT_TRUE(refuses(at_watermark(), 10ms));
  EXPECT_TRUE(refuses(at_watermark().early(after_count(2)), 10ms));
  EXPECT_TRUE(refuses(repeatedly(after_count(2)).until(at_watermark()), 0ms));
  EXPECT_FALSE(refuses(at_watermark(), 0ms));
  EXPECT_FALSE(refuses(at_watermark().early(after_count(2)), 0ms));
  EXPECT_FALSE(refuses(at_watermark().early(after_count(2)).late(after_count(1)), 10ms));
  EXPECT_FALSE(refuses(never(), 10ms));
}

}  // namespace
}  // namespace millrace::windowing_test
