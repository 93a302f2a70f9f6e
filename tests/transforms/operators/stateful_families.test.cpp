#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace millrace::testing::stateful_families_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using row = kv<std::string, std::string>;

timestamp at(std::int64_t millis) {
  return timestamp{millis};
}
windowing_strategy fixed_ten(std::int64_t lateness = 0) {
  windowing_strategy s;
  s.into = fixed(duration{10});
  s.allowed_lateness = duration{lateness};
  return s;
}
windowing_strategy one_window() {
  return {};
}
template <class Fn>
auto step_of(Fn fn, windowing_strategy strategy, keyed_options options = {}) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, std::move(strategy)) | par_do("step", std::move(fn)),
                                              options);
}

// Elements are commands: "f=a@5" sets tag a of family f for 5, "f=a@5/3" with output timestamp 3, "f-a" clears it,
// "t=@5" sets the single timer, "c=a@5" a tag of the clock's family. Whatever fires says its name, tag and time. A
// tag "bc" clears b when it fires, "bs" sets b for the time after its own.
struct families {
  using output = kv<std::string, std::string>;
  auto cells() { return std::tie(f_, g_, t_, c_); }

  void process(const row& x, emitter<output>&) {
    const std::string& command = x.value;
    event_timer_family& family = command[0] == 'g' ? g_ : f_;
    if (command[1] == '-') return family.clear(command.substr(2));
    const auto time = command.find('@');
    const auto slash = command.find('/');
    const std::string tag = command.substr(2, time - 2);
    const timestamp fires{std::stoll(command.substr(time + 1))};
    timer_output holding;
    if (slash != std::string::npos) holding = timestamp{std::stoll(command.substr(slash + 1))};
    if (command[0] == 't') t_.set(fires, holding);
    else if (command[0] == 'c') c_.set(tag, fires, holding);
    else family.set(tag, fires, holding);
    if (command.find('!') != std::string::npos && *failures > 0) {
      --*failures;
      throw std::runtime_error("not yet");
    }
  }
  void on_timer(const event_timer_family& t, const std::string& key, emitter<output>& out) {
    say(t, t.tag(), key, out);
    if (t.tag().size() < 2) return;
    const std::string other = t.tag().substr(0, 1);
    if (t.tag()[1] == 'c') f_.clear(other);
    else f_.set(other, t.fired_at() + duration{1});
  }
  void on_timer(const processing_timer_family& t, const std::string& key, emitter<output>& out) {
    say(t, t.tag(), key, out);
  }
  void on_timer(const event_timer& t, const std::string& key, emitter<output>& out) { say(t, "", key, out); }
  static void say(const keyed_timer& t, const std::string& tag, const std::string& key, emitter<output>& out) {
    out({key, t.name() + ":" + tag + " " + std::to_string(t.fired_at().millis())});
  }

  int* failures = nullptr;
  event_timer_family f_{"f"};
  event_timer_family g_{"g"};
  event_timer t_{"a"};
  processing_timer_family c_{"c"};
};

TEST(timer_families, keep_timers_of_one_tag_apart_10_2c) {
  auto step = step_of(families{}, one_window());
  for (const char* command : {"f=a@5", "g=a@5", "t=@5"}) step.element({"k", command}, 0);
  EXPECT_THAT(step.watermark(6), ElementsAre("(\"k\", \"f:a 5\") global @5", "(\"k\", \"g:a 5\") global @5",
                                             "(\"k\", \"a: 5\") global @5"));
  EXPECT_THAT(step.end(), IsEmpty());
}

TEST(timer_families, fire_each_tag_by_time_then_tag) {
  auto step = step_of(families{}, one_window());
  step.bundle({{{"k", "f=b@5"}, 0}, {{"k", "f=c@4"}, 0}, {{"k", "f=a@5"}, 0}, {{"j", "f=a@9"}, 0}});
  EXPECT_THAT(step.watermark(9), ElementsAre("(\"k\", \"f:c 4\") global @4", "(\"k\", \"f:a 5\") global @5",
                                             "(\"k\", \"f:b 5\") global @5"));
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"j\", \"f:a 9\") global @9"));
}

TEST(timer_families, replace_and_clear_tags_10_2) {
  auto step = step_of(families{}, one_window());
  const std::string nothing = step.snapshot();
  for (const char* command : {"f=a@5", "f=a@8", "f=b@5", "f-b", "f-none"}) step.element({"k", command}, 0);
  EXPECT_THAT(step.watermark(6), IsEmpty());
  EXPECT_THAT(step.watermark(9), ElementsAre("(\"k\", \"f:a 8\") global @8"));
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(timer_families, hold_the_watermark_for_each_tag_10_3) {
  auto step = step_of(families{}, one_window());
  step.element({"k", "f=a@20/5"}, 0);
  step.element({"k", "f=b@21/7"}, 0);
  step.watermark(15);
  EXPECT_EQ(step.output_watermark(), at(5));
  EXPECT_THAT(step.watermark(21), ElementsAre("(\"k\", \"f:a 20\") global @5"));
  EXPECT_EQ(step.output_watermark(), at(7));
  step.element({"k", "f-b"}, 21);
  EXPECT_EQ(step.output_watermark(), at(21));
}

TEST(timer_families, see_what_a_callback_sets_and_clears_10_5) {
  auto step = step_of(families{}, one_window());
  step.bundle({{{"k", "f=bs@1"}, 0}, {{"k", "f=c@3"}, 0}, {{"k", "f=ac@4"}, 0}, {{"k", "f=a@9"}, 0}});
  EXPECT_THAT(step.watermark(10), ElementsAre("(\"k\", \"f:bs 1\") global @1", "(\"k\", \"f:b 2\") global @2",
                                              "(\"k\", \"f:c 3\") global @3", "(\"k\", \"f:ac 4\") global @4"));
}

TEST(timer_families, of_the_clock_are_dropped_with_their_window_10_4) {
  auto step = step_of(families{}, fixed_ten());
  const std::string nothing = step.snapshot();
  step.element({"k", "c=a@100"}, 1);
  step.element({"k", "c=b@50"}, 2);
  EXPECT_EQ(step.running().as_head()->next_clock_timer(), at(51));
  EXPECT_THAT(step.processing_time(51), ElementsAre("(\"k\", \"c:b 50\") [0, 10) @2"));
  step.watermark(10);
  EXPECT_THAT(step.processing_time(101), IsEmpty());
  step.watermark(11);
  EXPECT_EQ(step.snapshot(), nothing);
}

TEST(timer_families, take_back_what_a_failed_call_set_13_1) {
  int failures = 1;
  families fn;
  fn.failures = &failures;
  auto step = step_of(fn, one_window(), {.attempts_max = 1});
  step.element({"k", "f=a@5"}, 0);
  EXPECT_THROW(step.element({"k", "f=a@3!"}, 0), element_failure);
  failures = 1;
  EXPECT_THROW(step.element({"k", "f=b@3!"}, 0), element_failure);
  EXPECT_THAT(step.watermark(9), ElementsAre("(\"k\", \"f:a 5\") global @5"));
}

TEST(timer_families, survive_a_restart_and_fire_once) {
  auto step = step_of(families{}, one_window());
  for (const char* command : {"f=a@5", "f=b@7", "c=a@100"}) step.element({"k", command}, 0);
  step.restart();
  EXPECT_THAT(step.watermark(6), ElementsAre("(\"k\", \"f:a 5\") global @5"));
  step.restart();
  EXPECT_THAT(step.processing_time(101), ElementsAre("(\"k\", \"c:a 100\") global @0"));
  EXPECT_THAT(step.end(), ElementsAre("(\"k\", \"f:b 7\") global @7"));
}

TEST(timer_families, name_the_timer_and_refuse_what_is_after_expiry) {
  auto step = step_of(families{}, fixed_ten(5), {.attempts_max = 1});
  try {
    step.element({"k", "f=a@15"}, 1);
    FAIL() << "not refused";
  } catch (const element_failure& e) {
    EXPECT_THAT(e.what(), HasSubstr("timer \"f\": its time 15 is after the expiry of the window, 14"));
  }
}

// Sets timers relative to the present: "5" after, "/60" aligned to a period, "/60+7" with an offset, of both clocks.
struct relative {
  using output = std::string;
  auto cells() { return std::tie(event_, clock_); }
  void process(const row& x, emitter<output>&) {
    const bool event = x.key == "event";
    if (x.value[0] == '/') {
      const auto plus = x.value.find('+');
      const duration period{std::stoll(x.value.substr(1))};
      const duration offset{plus == std::string::npos ? 0 : std::stoll(x.value.substr(plus + 1))};
      if (event) event_.align(period, offset, no_output);
      else clock_.align(period, offset, no_output);
    } else if (event) {
      event_.after(duration{std::stoll(x.value)}, no_output);
    } else {
      clock_.after(duration{std::stoll(x.value)}, no_output);
    }
  }
  void on_timer(const event_timer& t, const std::string&, emitter<output>& out) { say(t, t.now(), out); }
  void on_timer(const processing_timer& t, const std::string&, emitter<output>& out) { say(t, t.now(), out); }
  static void say(const keyed_timer& t, timestamp now, emitter<output>& out) {
    out(std::to_string(t.fired_at().millis()) + " seen at " + std::to_string(now.millis()));
  }
  event_timer event_{"event"};
  processing_timer clock_{"clock"};
};

TEST(relative_timers, count_from_their_own_clock) {
  auto step = step_of(relative{}, one_window());
  step.watermark(100);
  step.processing_time(1000);
  step.element({"event", "5"}, 500);
  step.element({"clock", "5"}, 500);
  EXPECT_THAT(step.watermark(105), IsEmpty());
  EXPECT_THAT(step.watermark(106), ElementsAre("\"105 seen at 106\" global @105"));
  EXPECT_THAT(step.processing_time(1005), IsEmpty());
  EXPECT_THAT(step.processing_time(1006), ElementsAre("\"1005 seen at 1006\" global @gwmax"));
}

TEST(relative_timers, align_to_the_next_multiple_with_now_included) {
  struct {
    const char* command;
    std::int64_t watermark;
    std::int64_t fires;
  } cases[] = {{"/60", 100, 120},  {"/60", 120, 120}, {"/60+7", 100, 113},  {"/60+7", 113, 113},
               {"/60", -100, -60}, {"/60", -60, -60}, {"/60+7", -100, -67}, {"/60+127", 100, 113}};
  for (const auto& c : cases) {
    auto step = step_of(relative{}, one_window());
    step.watermark(c.watermark);
    step.element({"event", c.command}, 500);
    EXPECT_THAT(step.watermark(c.fires), IsEmpty()) << c.command << c.watermark;
    EXPECT_EQ(step.watermark(c.fires + 1).size(), 1U) << c.command << c.watermark;
  }
  auto step = step_of(relative{}, one_window());
  step.processing_time(100);
  step.element({"clock", "/60"}, 0);
  EXPECT_EQ(step.running().as_head()->next_clock_timer(), at(121));
}

TEST(relative_timers, of_the_watermark_are_bounded_by_the_expiry_of_the_window) {
  for (const char* command : {"1000", "/1000"}) {
    auto step = step_of(relative{}, fixed_ten(5));
    step.watermark(3);
    step.element({"event", command}, 5);
    EXPECT_THAT(step.watermark(14), IsEmpty());
    EXPECT_THAT(step.watermark(15), ElementsAre("\"14 seen at 15\" [0, 10) @14"));
  }
}

TEST(relative_timers, refuse_a_period_that_is_not_above_zero) {
  auto step = step_of(relative{}, one_window());
  EXPECT_THROW(step.element({"event", "/0"}, 0), element_failure);
}

}  // namespace
}  // namespace millrace::testing::stateful_families_test
