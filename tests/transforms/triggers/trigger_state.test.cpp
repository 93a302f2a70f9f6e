#include <millrace/transforms/triggers/trigger_state.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <vector>

namespace millrace::trigger_state_test {
namespace {

using namespace std::chrono_literals;
using ::testing::Eq;
using ::testing::Optional;

// One window [.., 9] with its trigger, at times that a test sets.
class scene {
 public:
  explicit scene(const trigger& t, bool merging = false) : program(t, merging), state(program) {}

  scene& elements(int count) {
    for (; count > 0; --count) state.on_element(program, facts);
    return *this;
  }
  scene& watermark(std::int64_t at) {
    facts.watermark = timestamp{at};
    return *this;
  }
  scene& clock(std::int64_t at) {
    facts.clock = timestamp{at};
    return *this;
  }
  // Whether it is ready; if so, it fires.
  bool look() {
    if (!state.ready(program, facts)) return false;
    state.on_fire(program, facts);
    return true;
  }
  [[nodiscard]] std::optional<timestamp> next() const { return state.next_clock(program, facts); }
  void merge(const std::vector<const trigger_state*>& others) {
    std::vector<const trigger_state*> all{&state};
    all.insert(all.end(), others.begin(), others.end());
    state.on_merge(program, all, nullptr, facts);
  }

  trigger_program program;
  trigger_facts facts{.watermark = timestamp{0}, .clock = timestamp{0}, .window_max = timestamp{9}};
  trigger_state state;
};

TEST(trigger_state, of_the_default_fires_after_the_end_of_the_window_and_ever_after) {
  scene s{default_trigger()};
  EXPECT_FALSE(s.elements(3).watermark(9).look());
  EXPECT_TRUE(s.watermark(10).look());
  EXPECT_TRUE(s.look());
  EXPECT_FALSE(s.state.finished());
}

TEST(trigger_state, of_the_watermark_finishes_there) {
  scene s{at_watermark()};
  EXPECT_TRUE(s.watermark(10).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, of_a_count_forgets_what_is_above_it) {
  scene s{repeatedly(after_count(2))};
  EXPECT_FALSE(s.elements(1).look());
  EXPECT_TRUE(s.elements(4).look());
  EXPECT_FALSE(s.look());
  EXPECT_FALSE(s.elements(1).look());
  EXPECT_TRUE(s.elements(1).look());
}

TEST(trigger_state, of_a_delay_counts_from_the_first_element_and_fires_above_its_time) {
  scene s{repeatedly(after_delay{10ms})};
  EXPECT_EQ(s.next(), std::nullopt);
  s.clock(1000).elements(1).clock(1005).elements(1);
  EXPECT_THAT(s.next(), Optional(Eq(timestamp{1010})));
  EXPECT_FALSE(s.clock(1010).look());
  EXPECT_TRUE(s.clock(1011).look());
  EXPECT_EQ(s.next(), std::nullopt);
}

TEST(trigger_state, of_a_delay_applies_its_steps_in_order) {
  EXPECT_EQ(delayed_until(timestamp{61}, {{clock_step::kind::align, 60ms, 0ms}, {clock_step::kind::plus, 10ms, 0ms}}),
            timestamp{130});
  EXPECT_EQ(delayed_until(timestamp{61}, {{clock_step::kind::plus, 10ms, 0ms}, {clock_step::kind::align, 60ms, 0ms}}),
            timestamp{120});
  EXPECT_EQ(delayed_until(timestamp{60}, {{clock_step::kind::align, 60ms, 0ms}}), timestamp{60});
  EXPECT_EQ(delayed_until(timestamp{60}, {{clock_step::kind::align, 60ms, 5ms}}), timestamp{65});
  EXPECT_EQ(delayed_until(timestamp{-61}, {{clock_step::kind::align, 60ms, 0ms}}), timestamp{-60});
}

TEST(trigger_state, of_synchronized_time_fires_at_the_next_tick) {
  scene s{after_synchronized_processing_time()};
  EXPECT_FALSE(s.clock(16).elements(1).look());
  EXPECT_THAT(s.next(), Optional(Eq(timestamp{16})));
  EXPECT_TRUE(s.clock(17).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, of_never_and_always_say_so) {
  EXPECT_FALSE(scene{never()}.elements(9).watermark(100).look());
  scene s{always()};
  EXPECT_TRUE(s.look());
  EXPECT_TRUE(s.look());
}

TEST(trigger_state, turns_from_early_to_late_at_the_end_of_the_window) {
  scene s{at_watermark().early(after_count(2)).late(after_count(3))};
  EXPECT_TRUE(s.elements(2).look());
  EXPECT_FALSE(s.elements(1).look());
  EXPECT_TRUE(s.watermark(10).look());
  EXPECT_FALSE(s.elements(2).look());
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_FALSE(s.elements(2).look());
  EXPECT_FALSE(s.state.finished());
}

TEST(trigger_state, with_an_early_part_only_finishes_at_the_end_of_the_window) {
  scene s{at_watermark().early(after_count(2))};
  EXPECT_TRUE(s.elements(2).look());
  EXPECT_FALSE(s.state.finished());
  EXPECT_TRUE(s.watermark(10).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, starts_a_composite_early_part_anew_after_each_firing) {
  scene s{at_watermark().early(first_of(after_count(2), after_delay{10ms}))};
  EXPECT_TRUE(s.elements(2).look());
  EXPECT_FALSE(s.elements(1).look());
  EXPECT_TRUE(s.clock(11).look());
  EXPECT_FALSE(s.look());
}

TEST(trigger_state, of_first_clears_the_parts_that_were_not_ready) {
  scene s{repeatedly(first_of(after_count(3), after_delay{10ms}))};
  EXPECT_TRUE(s.elements(2).clock(11).look());
  EXPECT_FALSE(s.elements(2).look());
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_EQ(s.next(), std::nullopt);
}

TEST(trigger_state, of_all_waits_for_every_part) {
  scene s{all_of(after_count(2), after_delay{10ms})};
  EXPECT_FALSE(s.elements(1).clock(11).look());
  EXPECT_EQ(s.next(), std::nullopt);
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, in_order_shows_elements_to_the_current_part_only) {
  scene s{in_order(after_count(1), after_count(2))};
  EXPECT_TRUE(s.elements(2).look());
  EXPECT_FALSE(s.elements(1).look());
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, until_counts_on_over_the_firings_of_what_it_limits) {
  scene s{repeatedly(after_count(2)).until(after_count(3))};
  EXPECT_TRUE(s.elements(2).look());
  EXPECT_FALSE(s.state.finished());
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_TRUE(s.state.finished());
}

TEST(trigger_state, adds_counts_and_takes_the_least_delay_when_windows_merge) {
  scene a{repeatedly(all_of(after_count(3), after_delay{10ms})), true};
  scene b{repeatedly(all_of(after_count(3), after_delay{10ms})), true};
  b.clock(2).elements(1);
  a.clock(5).elements(2);
  a.merge({&b.state});
  EXPECT_THAT(a.next(), Optional(Eq(timestamp{12})));
  EXPECT_TRUE(a.clock(13).look());
}

TEST(trigger_state, of_a_count_that_finished_in_one_window_is_finished_in_the_merged_one) {
  scene a{in_order(after_count(1), after_count(3)), true};
  scene b{in_order(after_count(1), after_count(3)), true};
  EXPECT_TRUE(a.elements(1).look());
  b.elements(1);
  a.merge({&b.state});
  EXPECT_FALSE(a.look());
}

TEST(trigger_state, of_the_watermark_comes_back_when_a_merge_moves_the_end) {
  scene a{at_watermark().early(after_count(5)).late(after_count(1)), true};
  EXPECT_TRUE(a.elements(1).watermark(10).look());
  a.facts.window_max = timestamp{19};
  a.merge({});
  EXPECT_FALSE(a.elements(1).look());
  EXPECT_TRUE(a.watermark(20).look());
  EXPECT_FALSE(a.look());
}

TEST(trigger_state, stays_late_when_windows_merge_that_all_are) {
  const trigger around = at_watermark().early(after_count(1)).late(after_count(3));
  scene a{around, true};
  scene b{around, true};
  EXPECT_TRUE(a.watermark(10).look());
  EXPECT_TRUE(b.watermark(10).look());
  a.elements(1);
  b.elements(1);
  a.merge({&b.state});
  EXPECT_FALSE(a.look());
  EXPECT_TRUE(a.elements(1).look());
}

TEST(trigger_state, is_early_again_when_a_window_joins_that_is_not_late) {
  const trigger around = at_watermark().early(after_count(9)).late(after_count(3));
  scene a{around, true};
  scene b{around, true};
  EXPECT_TRUE(a.watermark(10).look());
  b.elements(1);
  a.merge({&b.state});
  EXPECT_TRUE(a.look());
}

TEST(trigger_state, is_the_same_after_a_restore) {
  scene s{in_order(after_count(1), repeatedly(all_of(after_count(4), after_delay{10ms})))};
  EXPECT_TRUE(s.elements(1).look());
  s.elements(2);
  writer out;
  s.state.encode(out);
  reader in{out.bytes()};
  EXPECT_EQ(trigger_state::decode(s.program, in), s.state);
  in.expect_end();
}

TEST(trigger_state, refuses_counts_and_times_that_cannot_be) {
  const trigger_program count{after_count(2), false};
  const trigger_program delay{after_delay{2ms}, false};
  writer out;
  out.varint(0);
  out.fixed(std::int64_t{-1});
  reader of_count{out.bytes()};
  EXPECT_THROW((void)trigger_state::decode(count, of_count), decode_error);
  out.clear();
  out.varint(0);
  out.fixed(INT64_MAX);
  reader of_delay{out.bytes()};
  EXPECT_THROW((void)trigger_state::decode(delay, of_delay), decode_error);
}

TEST(trigger_state, has_a_bit_for_each_of_very_many_nodes) {
  std::vector<trigger> parts(100, after_count(1));
  scene s{in_order(parts)};
  for (int i = 0; i < 99; ++i) EXPECT_TRUE(s.elements(1).look());
  EXPECT_FALSE(s.state.finished());
  EXPECT_TRUE(s.elements(1).look());
  EXPECT_TRUE(s.state.finished());
}

}  // namespace
}  // namespace millrace::trigger_state_test
