#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace millrace::testing::stateful_expiry_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;

windowing_strategy fixed_ten(std::int64_t lateness = 0) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.allowed_lateness = duration{lateness};
  return s;
}

template <class Fn>
auto step_of(Fn fn, windowing_strategy strategy) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, std::move(strategy)) | par_do("step", std::move(fn)));
}

// Collects values; "after D" semantics of the papers' `bag`, with a last word at expiry.
struct farewell {
  using output = kv<std::string, std::string>;
  auto cells() { return std::tie(bag_, timer_); }
  void process(const row& x, emitter<output>&) {
    bag_.add(x.value);
    if (x.value == "t") timer_.after(duration{1000});
  }
  void on_timer(const event_timer&, const std::string& key, emitter<output>& out) { out({key, "timer " + words()}); }
  void on_window_expiration(const std::string& key, emitter<output>& out) { out({key, "bye " + words()}); }
  std::string words() {
    std::string all;
    for (const std::string& w : bag_.read()) all += w;
    return all;
  }
  bag_state<std::string> bag_{"bag"};
  event_timer timer_{"timer"};
};

TEST(stateful_expiry, on_window_expiration_comes_one_instant_after_expiry_10_7) {
  auto step = step_of(farewell{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "a"}, 3);
  step.element({"j", "b"}, 4);
  step.watermark(9);
  EXPECT_EQ(step.output_watermark(), timestamp{9});
  EXPECT_THAT(step.watermark(10), IsEmpty());
  EXPECT_EQ(step.output_watermark(), timestamp{9});
  EXPECT_THAT(step.watermark(11), ElementsAre("(\"j\", \"bye b\") [0, 10) @9", "(\"k\", \"bye a\") [0, 10) @9"));
  EXPECT_EQ(step.output_watermark(), timestamp{11});
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(stateful_expiry, on_window_expiration_waits_for_the_lateness_10_7b) {
  auto step = step_of(farewell{}, fixed_ten(5));
  step.element({"k", "a"}, 3);
  step.watermark(12);
  EXPECT_EQ(step.output_watermark(), timestamp{9});
  step.element({"k", "b"}, 4);
  EXPECT_THAT(step.watermark(15), IsEmpty());
  EXPECT_THAT(step.watermark(16), ElementsAre("(\"k\", \"bye ab\") [0, 10) @9"));
}

TEST(stateful_expiry, timers_at_expiry_come_before_on_window_expiration_10_7c) {
  auto step = step_of(farewell{}, fixed_ten());
  step.watermark(0);
  step.element({"k", "t"}, 3);
  EXPECT_THAT(step.watermark(100), ElementsAre("(\"k\", \"timer t\") [0, 10) @9", "(\"k\", \"bye t\") [0, 10) @9"));
}

TEST(stateful_expiry, on_window_expiration_survives_a_restart_between_bundles) {
  auto step = step_of(farewell{}, fixed_ten());
  step.element({"k", "a"}, 3);
  step.clock.input_watermark = timestamp{11};
  static_cast<void>(step.take_due_timers());  // the bundle is lost with the crash
  const std::string state = step.snapshot();
  auto after = step_of(farewell{}, fixed_ten());
  after.restore(state);
  EXPECT_THAT(after.watermark(11), ElementsAre("(\"k\", \"bye a\") [0, 10) @9"));
}

// Relative timers and the calls around bundles.
struct relative {
  using output = std::string;
  auto cells() { return std::tie(event_, clock_); }
  void process(const row&, emitter<output>&) {
    event_.after(duration{5});
    clock_.after(duration{7}, no_output);
  }
  void on_timer(const event_timer& t, const std::string&, emitter<output>& out) {
    out("event " + std::to_string(t.fired_at().millis()));
  }
  void on_timer(const processing_timer& t, const std::string&, emitter<output>& out) {
    out("clock " + std::to_string(t.fired_at().millis()));
  }
  event_timer event_{"event"};
  processing_timer clock_{"clock"};
};

TEST(stateful_timers, relative_ones_count_from_the_watermark_and_the_clock) {
  auto step = step_of(relative{}, fixed_ten(10));
  step.watermark(2);
  step.processing_time(100);
  step.element({"k", ""}, 1);
  EXPECT_THAT(step.processing_time(107), IsEmpty());
  EXPECT_THAT(step.processing_time(108), ElementsAre("\"clock 107\" [0, 10) @9"));
  EXPECT_THAT(step.watermark(7), IsEmpty());
  EXPECT_THAT(step.watermark(8), ElementsAre("\"event 7\" [0, 10) @7"));
  step.watermark(18);
  step.element({"k", ""}, 1);
  EXPECT_THAT(step.watermark(20), ElementsAre("\"event 19\" [0, 10) @19"));
}

// Calls around bundles, several outputs and metrics.
struct lifecycle {
  using output = std::tuple<std::string, std::int64_t>;
  auto cells() { return std::tie(seen_); }
  auto metrics() { return std::tie(calls_); }
  void setup() { *log += "setup,"; }
  void start_bundle() { *log += "start,"; }
  void process(const row& x, emitter<std::string>& words, emitter<std::int64_t>& counts) {
    *log += x.value + ",";
    ++calls_;
    seen_.set(seen_.get() + 1);
    words(x.value);
    counts(seen_.get());
  }
  void finish_bundle(emitter<std::string>& words, emitter<std::int64_t>& counts) {
    *log += "finish,";
    words.emit("end of bundle", timestamp{5}, {timestamp{0}, timestamp{10}});
    static_cast<void>(counts);
  }
  void teardown() { *log += "teardown"; }
  std::string* log;
  value_state<std::int64_t> seen_{"seen"};
  counter calls_{"calls"};
};

TEST(stateful_lifecycle, calls_around_bundles_and_gives_several_outputs_13_2) {
  struct numbers final : receiver<std::int64_t> {
    std::vector<std::int64_t> seen;
    void accept(const batch<std::int64_t>& in) override {
      in.each([&](std::uint32_t, std::int64_t n) { seen.push_back(n); });
    }
  } counts;
  std::string log;
  pipeline p{"p"};
  auto [words, numbers_of] = keyed_input<row>(p, fixed_ten()) | par_do("step", lifecycle{&log});
  static_assert(std::is_same_v<decltype(numbers_of), pcollection<std::int64_t>>);
  keyed_step<row, std::string> step(
      words, {}, [&](stage_operator& o) { o.connect(1, static_cast<receiver<std::int64_t>&>(counts)); });
  EXPECT_THAT(step.bundle({{{"k", "a"}, 1}, {{"k", "b"}, 2}}),
              ElementsAre("\"a\" [0, 10) @1", "\"b\" [0, 10) @2", "\"end of bundle\" [0, 10) @5"));
  step.running().teardown();
  EXPECT_EQ(log, "setup,start,a,b,finish,teardown");
  EXPECT_THAT(counts.seen, ElementsAre(1, 2));
  EXPECT_EQ(step.metrics.counter("calls"), 2);
}

}  // namespace
}  // namespace millrace::testing::stateful_expiry_test
