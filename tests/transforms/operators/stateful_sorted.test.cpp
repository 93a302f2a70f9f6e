#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::stateful_sorted_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;

windowing_strategy fixed_ten(std::int64_t lateness = 0) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.allowed_lateness = duration{lateness};
  return s;
}
windowing_strategy one_window(std::int64_t lateness = 0) {
  windowing_strategy s;
  s.allowed_lateness = duration{lateness};
  return s;
}

// Passes on what it is given, in the order in which it is given. An element "t7" sets a timer for 7; the window's
// expiration says what it has seen.
struct in_order {
  static constexpr bool requires_time_sorted_input = true;
  using output = std::string;
  auto cells() { return std::tie(seen_, timer_); }
  void process(const row& x, emitter<output>& out) {
    seen_.set(seen_.get() + x.value);
    out(x.key + x.value);
    if (x.value[0] == 't') timer_.set(timestamp{std::stoll(x.value.substr(1))});
  }
  void on_timer(const event_timer&, const std::string& key, emitter<output>& out) { out(key + " timer"); }
  value_state<std::string> seen_{"seen"};
  event_timer timer_{"timer"};
};
struct in_order_with_end : in_order {
  void on_window_expiration(const std::string&, emitter<output>& out) { out("end of " + seen_.get()); }
};

template <class Fn>
auto step_of(Fn fn, windowing_strategy strategy) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, std::move(strategy)) | par_do("step", std::move(fn)));
}

TEST(stateful_sorted_input, comes_in_the_order_of_time_once_the_watermark_is_past_10_8) {
  auto step = step_of(in_order{}, one_window());
  EXPECT_THAT(step.bundle({{{"k", "a"}, 5}, {{"k", "b"}, 3}, {{"k", "c"}, 4}}), IsEmpty());
  EXPECT_THAT(step.watermark(6), ElementsAre("\"kb\" global @3", "\"kc\" global @4", "\"ka\" global @5"));
  EXPECT_THAT(step.element({"k", "d"}, 2), IsEmpty());
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
  EXPECT_THAT(step.end(), IsEmpty());
}

TEST(stateful_sorted_input, waits_for_what_may_still_come_and_holds_the_watermark) {
  auto step = step_of(in_order{}, one_window());
  step.bundle({{{"k", "a"}, 5}, {{"k", "b"}, 3}, {{"j", "c"}, 4}});
  EXPECT_THAT(step.watermark(3), IsEmpty());
  EXPECT_EQ(step.output_watermark(), timestamp{3});
  EXPECT_THAT(step.watermark(4), ElementsAre("\"kb\" global @3"));
  EXPECT_EQ(step.output_watermark(), timestamp{4});
  EXPECT_THAT(step.element({"k", "d"}, 4), IsEmpty());
  EXPECT_THAT(step.element({"j", "e"}, 6), IsEmpty());
  // a is at the watermark: it comes with d, since nothing can come before it any more.
  EXPECT_THAT(step.watermark(5), ElementsAre("\"jc\" global @4", "\"kd\" global @4", "\"ka\" global @5"));
  EXPECT_EQ(step.output_watermark(), timestamp{5});
  EXPECT_THAT(step.end(), ElementsAre("\"je\" global @6"));
  EXPECT_EQ(step.output_watermark(), timestamp::max());
  EXPECT_EQ(step.metrics.dropped("late"), 0U);
}

TEST(stateful_sorted_input, keeps_elements_of_one_time_in_the_order_of_their_arrival) {
  auto step = step_of(in_order{}, one_window());
  step.element({"k", "b"}, 3);
  step.element({"k", "a"}, 3);
  EXPECT_THAT(step.watermark(4), ElementsAre("\"kb\" global @3", "\"ka\" global @3"));
}

TEST(stateful_sorted_input, waits_for_late_elements_that_are_allowed) {
  auto step = step_of(in_order{}, one_window(10));
  step.element({"k", "a"}, 5);
  EXPECT_THAT(step.watermark(15), IsEmpty());
  EXPECT_EQ(step.output_watermark(), timestamp{5});
  step.element({"k", "b"}, 5);  // at 15 one of 5 still counts
  step.element({"k", "c"}, 4);  // one of 4 does not
  EXPECT_EQ(step.metrics.dropped("late"), 1U);
  EXPECT_THAT(step.watermark(16), ElementsAre("\"ka\" global @5", "\"kb\" global @5"));
}

TEST(stateful_sorted_input, is_given_before_the_window_expires) {
  auto step = step_of(in_order_with_end{}, fixed_ten(5));
  const std::string nothing = step.snapshot();
  step.bundle({{{"k", "b"}, 9}, {{"k", "a"}, 2}});
  EXPECT_THAT(step.watermark(100), ElementsAre("\"ka\" [0, 10) @2", "\"kb\" [0, 10) @9", "\"end of ab\" [0, 10) @9"));
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_sorted_input, keeps_the_state_of_a_window_that_expires_with_it) {
  auto step = step_of(in_order{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "a"}, 1);
  EXPECT_THAT(step.watermark(2), ElementsAre("\"ka\" [0, 10) @1"));
  step.element({"k", "t9"}, 5);
  EXPECT_THAT(step.watermark(100), ElementsAre("\"kt9\" [0, 10) @5", "\"k timer\" [0, 10) @9"));
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_sorted_input, comes_before_a_timer_of_its_time) {
  auto step = step_of(in_order{}, one_window());
  step.element({"k", "t5"}, 1);
  EXPECT_THAT(step.watermark(2), ElementsAre("\"kt5\" global @1"));
  step.element({"k", "a"}, 5);
  EXPECT_THAT(step.watermark(6), ElementsAre("\"ka\" global @5", "\"k timer\" global @5"));
}

TEST(stateful_sorted_input, is_kept_through_restarts) {
  auto step = step_of(in_order{}, one_window());
  step.bundle({{{"k", "a"}, 5}, {{"k", "b"}, 3}, {{"j", "c"}, 4}});
  step.restart();
  step.element({"k", "d"}, 4);
  step.restart();
  EXPECT_THAT(step.watermark(6),
              ElementsAre("\"kb\" global @3", "\"kd\" global @4", "\"ka\" global @5", "\"jc\" global @4"));
}

TEST(stateful_sorted_input, that_is_overtaken_on_its_way_is_given_with_what_came_first) {
  auto step = step_of(in_order{}, one_window(10));
  step.element({"k", "a"}, 5);
  step.clock.input_watermark = timestamp{16};
  const auto due = step.take_due_timers();
  ASSERT_EQ(due[0].timers.size(), 1U);
  EXPECT_EQ(due[0].timers[0].fires, timestamp{15});
  step.element({"k", "c"}, 7);
  step.element({"k", "b"}, 6);
  EXPECT_THAT(step.accept_timers(due), ElementsAre("\"ka\" global @5", "\"kb\" global @6"));
  EXPECT_THAT(step.watermark(18), ElementsAre("\"kc\" global @7"));
}

TEST(stateful_sorted_input, is_named_in_the_description) {
  pipeline p{"p"};
  static_cast<void>(keyed_input<row>(p, {}) | par_do("step", in_order{}));
  EXPECT_THAT(p.description().nodes().back().spec->describe(), HasSubstr("in the order of time"));
}

// A timer that sets itself again for the same time, as often as it is told, beside one of the same time.
struct refiring {
  using output = std::string;
  auto cells() { return std::tie(left_, loop_, other_); }
  void process(const row& x, emitter<output>&) {
    left_.set(std::stoll(x.value));
    loop_.set(timestamp{5});
    other_.set(timestamp{5});
  }
  void on_timer(const event_timer& t, const std::string&, emitter<output>& out) {
    if (t == other_) return out("other after " + std::to_string(left_.get()));
    left_.set(left_.get() - 1);
    if (left_.get() > 0) loop_.set(timestamp{5});
  }
  value_state<std::int64_t> left_{"left"};
  event_timer loop_{"a loop"};
  event_timer other_{"other"};
};

TEST(stateful_timers, that_set_themselves_again_let_go_of_the_bundle_and_stay_in_order) {
  auto step = step_of(refiring{}, one_window());
  step.element({"k", "5000"}, 0);
  step.clock.input_watermark = timestamp{6};
  int bundles = 0;
  std::vector<std::string> out;
  while (out.empty() && bundles < 100) {
    out = step.accept_timers(step.take_due_timers());
    ++bundles;
  }
  EXPECT_THAT(out, ElementsAre("\"other after 0\" global @5"));
  EXPECT_EQ(bundles, 5);  // 1 + 1024 each time
}

}  // namespace
}  // namespace millrace::testing::stateful_sorted_test
