#include <millrace/transforms/side/side_windows.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace millrace::side_windows_test {
namespace {

using namespace std::chrono_literals;

windowing_strategy strategy_of(window_fn into, trigger fire = {}, duration lateness = 0ms) {
  windowing_strategy s;
  s.into = std::move(into);
  s.fire = std::move(fire);
  s.allowed_lateness = lateness;
  return s;
}
window win(std::int64_t from, std::int64_t to) {
  return {timestamp{from}, timestamp{to}};
}
pane_info pane(std::uint32_t index) {
  return {index, static_cast<std::int32_t>(index), pane_timing::on_time, index == 0, false};
}

TEST(side_windows, maps_a_main_window_to_the_side_window_that_contains_its_end) {
  EXPECT_EQ(side_windows(strategy_of(fixed(7ms)), 0ms).of(win(10, 20)), win(14, 21));
  EXPECT_EQ(side_windows(strategy_of(sliding(10ms, 5ms)), 0ms).of(win(10, 20)), win(10, 20));
  EXPECT_EQ(side_windows(strategy_of({}), 0ms).of(win(10, 20)), window::global());
  EXPECT_THROW((void)side_windows(strategy_of(fixed(7ms)), 0ms).of(window::global()), window_error);
}

TEST(side_windows, are_ready_when_a_pane_has_arrived) {
  side_windows s(strategy_of(fixed(10ms)), 0ms);
  EXPECT_FALSE(s.ready(win(0, 10)));
  s.arrived(win(0, 10), pane(0));
  EXPECT_TRUE(s.ready(win(0, 10)));
  EXPECT_FALSE(s.ready(win(10, 20)));
}

TEST(side_windows, are_ready_when_the_watermark_says_that_the_window_is_empty) {
  side_windows s(strategy_of(fixed(10ms), {}, 100ms), 0ms);
  s.advance(timestamp{9});
  EXPECT_FALSE(s.ready(win(0, 10)));
  s.advance(timestamp{10});
  EXPECT_TRUE(s.ready(win(0, 10))) << "the default trigger has fired by 10, lateness does not matter";
  s.advance(timestamp{5});
  EXPECT_TRUE(s.ready(win(0, 10))) << "the watermark never moves back";
}

TEST(side_windows, wait_for_expiry_where_no_watermark_guarantees_a_firing) {
  side_windows s(strategy_of(fixed(10ms), repeatedly(after_count(3)), 100ms), 0ms);
  s.advance(timestamp{109});
  EXPECT_FALSE(s.ready(win(0, 10)));
  s.advance(timestamp{110});
  EXPECT_TRUE(s.ready(win(0, 10)));
}

TEST(side_windows, keep_the_newest_pane) {
  using effect = side_windows::effect;
  side_windows s(strategy_of({}), 0ms);
  const window w = window::global();
  EXPECT_EQ(s.arrived(w, pane(0)), effect::replaces);
  EXPECT_EQ(s.arrived(w, pane(0)), effect::adds);
  EXPECT_EQ(s.arrived(w, pane(2)), effect::replaces);
  EXPECT_EQ(s.arrived(w, pane(1)), effect::is_outdated);
}

TEST(side_windows, may_be_forgotten_when_no_main_element_can_ask) {
  const side_windows s(strategy_of(fixed(10ms)), 20ms);
  constexpr timestamp nothing_waits = timestamp::max();
  EXPECT_FALSE(s.collectable(win(0, 10), timestamp{29}, nothing_waits));
  EXPECT_TRUE(s.collectable(win(0, 10), timestamp{30}, nothing_waits));
  EXPECT_FALSE(s.collectable(win(0, 10), timestamp{30}, timestamp{7})) << "an element at 7 still waits";
  EXPECT_FALSE(s.collectable(window::global(), timestamp::max(), nothing_waits));
}

TEST(side_windows, continue_after_a_restore) {
  side_windows s(strategy_of(fixed(10ms)), 0ms);
  s.arrived(win(10, 20), pane(3));
  s.advance(timestamp{12});
  writer to;
  s.snapshot(to);
  side_windows t(strategy_of(fixed(10ms)), 0ms);
  reader from(to.bytes());
  t.restore(from);
  EXPECT_TRUE(t.ready(win(10, 20)));
  EXPECT_TRUE(t.ready(win(0, 10)));
  EXPECT_EQ(t.arrived(win(10, 20), pane(2)), side_windows::effect::is_outdated);
}

}  // namespace
}  // namespace millrace::side_windows_test
