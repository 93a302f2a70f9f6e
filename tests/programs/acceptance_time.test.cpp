#include "both_runners.hpp"
#include "marked_source.hpp"

#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>

// Timestamps and watermarks: the acceptance cases of the paper, section 1, and user cases of group A.
namespace millrace::programs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using text = std::string;
using number = std::int64_t;
using pair = kv<text, number>;

class time_cases : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, time_cases, testing::ValuesIn(all_ways), way_name);

// Says of each element at which watermark it came, and of its key when the watermark had passed everything.
class says_watermark {
 public:
  using output = pair;
  void process(const kv<text, text>& x, emitter<pair>& out) {
    out(pair{x.value, end_.now().millis()});
    end_.set(timestamp::end_of_global_window());
  }
  void on_timer(const event_timer& /*which*/, const text& /*key*/, emitter<pair>& out) {
    out(pair{"end", end_.now() == timestamp::max() ? 1 : 0});
  }
  auto cells() { return std::tie(end_); }

 private:
  event_timer end_{"end"};
};

// The watermarks at which elements reach a step behind a shuffle.
std::map<text, number> watermarks_of(const recording<pair>& of) {
  std::map<text, number> all;
  for (const pair& one : of.values()) all[one.key] = one.value;
  return all;
}
auto one_key() {
  return with_keys("one key", [](const text& /*x*/) { return text("k"); });
}

TEST_P(time_cases, 1_1_an_impulse_is_at_the_least_time_in_the_global_window) {
  recording<text> given;
  pipeline p("impulse");
  p | create("impulse", {text()}) | collect("given", given);
  run(p);
  EXPECT_THAT(lines(given), ElementsAre(" [global) @min UNKNOWN 0/0 F L"));
}

TEST_P(time_cases, 1_2_the_input_watermark_is_the_least_of_all_inputs_and_never_falls) {
  recording<pair> seen;
  pipeline p("two inputs");
  const auto a = p
                 | read("a", marked_source({{{.clock = 0, .promise = {timestamp{10}}},
                                             {.clock = 1, .element = "both", .time = 90, .promise = {timestamp{10}}},
                                             {.clock = 3, .element = "b ended", .time = 90, .promise = {timestamp{8}}},
                                             {.clock = 4, .element = "a said 8", .time = 90, .promise = {timestamp{8}}},
                                             {.clock = 5}}}));
  const auto b = p | read("b", marked_source({{{.clock = 0, .promise = {timestamp{7}}}, {.clock = 2}}}));
  flatten("both", a, b) | one_key() | par_do("look", says_watermark{}) | collect("seen", seen);
  run(p);
  EXPECT_EQ(watermarks_of(seen), (std::map<text, number>{{"both", 7}, {"b ended", 10}, {"a said 8", 10}, {"end", 1}}));
}

// The source promises 20 right behind x: the promise must not reach a step before x has.
TEST_P(time_cases, 1_3_an_element_that_is_queued_holds_the_watermark) {
  recording<pair> seen;
  pipeline p("queued");
  p
      | read("source", marked_source({{{.clock = 0, .element = "x", .time = 5, .promise = {timestamp{20}}},
                                       {.clock = 1, .element = "y", .time = 25, .promise = {timestamp{40}}},
                                       {.clock = 2}}}))
      | reshuffle("queue") | one_key() | par_do("look", says_watermark{}) | collect("seen", seen);
  run(p);
  auto at = watermarks_of(seen);
  EXPECT_LE(at.at("x"), 5);
  EXPECT_EQ(at.at("y"), 20);
}

// Keeps what it gets in itself until the bundle ends.
class kept_in_bundle {
 public:
  using output = text;
  void process(const text& x, emitter<text>& out) { kept_.emplace_back(x, out.at().time); }
  void finish_bundle(emitter<text>& out) {
    for (const auto& [x, at] : kept_) out.emit(x, at, window::global());
    kept_.clear();
  }

 private:
  std::vector<std::pair<text, timestamp>> kept_;
};

TEST_P(time_cases, 1_4_U05_an_open_bundle_is_not_overtaken_by_the_watermark) {
  for (const bool far : {false, true}) {
    recording<kv<text, std::vector<text>>> groups;
    pipeline p("kept");
    const auto source =
        p
        | read("source",
               marked_source({{{.clock = 0, .element = "x", .time = 5, .promise = {timestamp{30}}}, {.clock = 1}}}));
    const auto input = far ? source | reshuffle("far") : source;
    input | par_do("keep", kept_in_bundle{}) | window_into("tens", {.into = fixed(10ms)}) | one_key()
        | group_by_key("group") | collect("groups", groups);
    const auto metrics = run(p);
    EXPECT_THAT(lines(groups), ElementsAre("k [x] [0,10) @9 ON_TIME 0/0 F L"));
    EXPECT_EQ(dropped(metrics, "late"), 0U);
  }
}

// Gives its element out at another time.
struct moves_to {
  using output = text;
  void process(const text& x, emitter<text>& out) const { out.emit(x, to); }
  timestamp to;
};

TEST_P(time_cases, 1_5_outputs_are_not_before_their_element_nor_after_the_end_of_time) {
  const auto fails = [&](timestamp to) {
    pipeline p("moved");
    p | create_timestamped("ten", {timestamped_value<text>{"x", timestamp{10}}}) | par_do("move", moves_to{to});
    return failure_of(p);
  };
  EXPECT_THAT(fails(timestamp{10}), IsEmpty());
  EXPECT_THAT(fails(timestamp::max()), IsEmpty());
  EXPECT_THAT(fails(timestamp{9}),
              AllOf(HasSubstr("\"move\""), HasSubstr("an output at time 9 is before its element's")));
  EXPECT_THAT(fails(timestamp{timestamp::max().millis() + 1}), HasSubstr("after the end of time"));
}

TEST_P(time_cases, 1_5_a_skew_moves_elements_back_and_no_further) {
  const auto fails = [&](number to, duration skew) {
    pipeline p("skewed");
    recording<text> moved;
    p | create_timestamped("ten", {timestamped_value<text>{"x", timestamp{10}}})
        | with_timestamps(
            "move", [to](const text& /*x*/) { return timestamp{to}; }, allowed_skew{skew})
        | collect("moved", moved);
    const text failure = failure_of(p);
    if (failure.empty()) {
      EXPECT_THAT(lines(moved), ElementsAre("x [global) @" + std::to_string(to) + " UNKNOWN 0/0 F L"));
    }
    return failure;
  };
  EXPECT_THAT(fails(9, 0ms), HasSubstr("time 9 is not allowed for an element at 10"));
  EXPECT_THAT(fails(9, 1ms), IsEmpty());
  EXPECT_THAT(fails(8, 1ms), HasSubstr("time 8 is not allowed for an element at 10"));
  EXPECT_THAT(fails(timestamp::max().millis() + 1, 1ms), HasSubstr("not allowed"));
}

TEST_P(time_cases, 1_7_a_split_that_has_ended_holds_nothing_one_that_is_idle_does) {
  recording<pair> seen;
  pipeline p("splits");
  p
      | read("source", marked_source({{{.clock = 0, .promise = {timestamp{30}}}},
                                      {{.clock = 0, .promise = {timestamp{5}}},
                                       {.clock = 1, .element = "one idle", .time = 90, .promise = {timestamp{5}}},
                                       {.clock = 2}}}))
      | one_key() | par_do("look", says_watermark{}) | collect("seen", seen);
  run(p);
  EXPECT_EQ(watermarks_of(seen), (std::map<text, number>{{"one idle", 5}, {"end", 1}}));
}

TEST_P(time_cases, 1_8_a_source_that_reports_a_lower_watermark_is_ignored) {
  recording<pair> seen;
  pipeline p("regression");
  p
      | read("source", marked_source({{{.clock = 0, .promise = {timestamp{20}}},
                                       {.clock = 1, .element = "first", .time = 90, .promise = {timestamp{15}}},
                                       {.clock = 2, .element = "lower", .time = 90, .promise = {timestamp{25}}},
                                       {.clock = 3, .element = "higher", .time = 90, .promise = {timestamp{25}}},
                                       {.clock = 4}}}))
      | one_key() | par_do("look", says_watermark{}) | collect("seen", seen);
  run(p);
  EXPECT_EQ(watermarks_of(seen), (std::map<text, number>{{"first", 20}, {"lower", 20}, {"higher", 25}, {"end", 1}}));
}

// Seconds as ms. A partition that has delivered nothing says that it is idle at 5, if it may; what it delivers then is
// late. How a partition finds out that it is idle is the source's own: here it says so.
std::vector<std::vector<marked_read>> quiet_partition(bool may_be_idle) {
  std::vector<marked_read> quiet{{.clock = 0}, {.clock = 5000, .promise = {timestamp::min(), may_be_idle}}};
  quiet.push_back({.clock = 7000, .element = "b", .time = 3000, .promise = {timestamp{3000}}});
  quiet.push_back({.clock = 8000});
  return {{{.clock = 0, .element = "a", .time = 1000, .promise = {timestamp{1000}}},
           {.clock = 0, .element = "a", .time = 4000, .promise = {timestamp{4000}}},
           {.clock = 0, .element = "a", .time = 12000, .promise = {timestamp{12000}}},
           {.clock = 6000, .promise = {timestamp{12000}}},
           {.clock = 8000}},
          std::move(quiet)};
}

TEST_P(time_cases, U01_a_quiet_partition_does_not_hold_the_watermark_once_it_is_idle) {
  const auto groups_with = [&](bool may_be_idle, std::uint64_t drops) {
    recording<kv<text, std::vector<text>>> groups;
    pipeline p("partitions");
    p | read("source", marked_source(quiet_partition(may_be_idle))) | window_into("tens", {.into = fixed(10s)})
        | one_key() | group_by_key("group") | collect("groups", groups);
    EXPECT_EQ(dropped(run(p), "late"), drops);
    return lines(groups);
  };
  EXPECT_THAT(groups_with(true, 1),
              ElementsAre("k [a a] [0,10000) @9999 ON_TIME 0/0 F L", "k [a] [10000,20000) @19999 ON_TIME 0/0 F L"));
  EXPECT_THAT(groups_with(false, 0),
              ElementsAre(testing::StartsWith("k [a a b] [0,10000)"), "k [a] [10000,20000) @19999 ON_TIME 0/0 F L"));
}

// The transcript U18 has an element at the end of the global window; this one is at the end of time, behind it.
TEST_P(time_cases, U18_an_element_at_the_end_of_time_comes_out_at_the_end_of_the_global_window) {
  recording<kv<text, std::vector<text>>> groups;
  pipeline p("last");
  p | read("source", marked_source({{{.clock = 0, .element = "x", .time = timestamp::max().millis()}, {.clock = 1}}}))
      | window_into("all", {.into = global_windows(), .fire = at_watermark(), .keep = panes::discarding}) | one_key()
      | group_by_key("group") | collect("groups", groups);
  const auto metrics = run(p);
  EXPECT_THAT(lines(groups), ElementsAre("k [x] [global) @end ON_TIME 0/0 F L"));
  EXPECT_EQ(dropped(metrics, "late"), 0U);
}

}  // namespace
}  // namespace millrace::programs
