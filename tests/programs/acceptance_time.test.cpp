#include "both_runners.hpp"
#include "marked_source.hpp"

#include <millrace/actors/run.hpp>
#include <millrace/actors/simulation/simulated_job.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
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
namespace millrace::programs::acceptance_time_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using text = std::string;
using texts = std::vector<text>;
using number = std::int64_t;
using pair = kv<text, number>;

class time_cases : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, time_cases, ::testing::ValuesIn(all_ways), way_name);

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
              ElementsAre(::testing::StartsWith("k [a a b] [0,10000)"), "k [a] [10000,20000) @19999 ON_TIME 0/0 F L"));
}

TEST(job_status, U01_names_the_split_that_holds_the_watermark) {
  for (const std::uint32_t shards : {1U, 2U})
    for (const bool may_be_idle : {false, true}) {
      recording<kv<text, std::vector<text>>> groups;
      pipeline p("partitions");
      p | read("source", marked_source(quiet_partition(may_be_idle))) | window_into("tens", {.into = fixed(10s)})
          | one_key() | group_by_key("group") | collect("groups", groups);
      simulated_job job(p, {.job = {.shards = shards}});
      job.settle();
      job.pass_time(6s);
      job.settle();
      const std::vector<watermark_hold> holds = job.status()->holds;
      ASSERT_EQ(holds.size(), 2U) << "of the stage that reads and the one that groups";
      for (const watermark_hold& one : holds) {
        EXPECT_EQ(one.step, "source");
        EXPECT_EQ(one.split, may_be_idle ? "P0" : "P1");
        EXPECT_EQ(one.shard, may_be_idle || shards == 1 ? 0U : 1U);
        EXPECT_EQ(one.at, may_be_idle ? timestamp{12000} : timestamp::min());
      }
      EXPECT_THAT(to_text(holds.back()), ::testing::EndsWith(may_be_idle ? "split \"P0\"" : "split \"P1\""));
      job.pass_time(1500ms);  // an epoch is committed
      job.settle();
      EXPECT_EQ(groups.values().size(), may_be_idle ? 1U : 0U);
    }
}

// Windows of ten seconds; "b" comes when the watermark has passed its window.
pcollection<kv<text, std::vector<text>>> late_data(pipeline& p, duration lateness) {
  return p
         | test_stream<text>("in")
               .add_at(timestamp{1000}, {"a"})
               .advance_watermark_to(timestamp{10000})
               .add_at(timestamp{2000}, {"b"})
               .add_at(timestamp{11000}, {"c"})
               .advance_watermark_to_infinity()
         | window_into("tens", {.into = fixed(10s), .keep = panes::discarding, .allowed_lateness = lateness})
         | one_key() | group_by_key("group");
}
const text late_notice =
    "warning: step \"group\" has dropped 1 element (late), the last of window [0, 10000) at watermark 10000";

TEST_P(time_cases, U04_a_drop_is_one_notice_that_names_step_window_and_watermark) {
  for (const duration lateness : {duration{0}, duration{5000}}) {
    recording<kv<text, std::vector<text>>> groups;
    pipeline p("late");
    late_data(p, lateness) | collect("groups", groups);
    const auto job = session(p);
    for (std::size_t event = 0; event < 3; ++event) job->play(event);
    EXPECT_EQ(job->notices().size(), lateness.count() == 0 ? 1U : 0U) << "as it happens";
    for (std::size_t event = 3; event < 5; ++event) job->play(event);
    job->drain();
    EXPECT_EQ(job->state(), session_state::drained);
    EXPECT_EQ(job->dropped("late"), lateness.count() == 0 ? 1U : 0U);
    EXPECT_EQ(job->notices(), lateness.count() == 0 ? texts{late_notice} : texts{});
  }
}

number told(const std::vector<text>& notices) {
  number all = 0;
  for (const text& one : notices) all += std::stoll(one.substr(one.find("dropped ") + 8));
  return all;
}

TEST_P(time_cases, U04_a_crowd_of_drops_is_one_notice_in_ten_seconds) {
  recording<kv<text, std::vector<text>>> groups;
  pipeline p("late");
  p
      | test_stream<text>("in")
            .add_at(timestamp{1000}, {"a"})
            .advance_watermark_to(timestamp{10000})
            .add_at(timestamp{2000}, {"b", "c", "d", "e", "f"})
            .add_at(timestamp{2000}, {"g", "h"})
            .add_at(timestamp{2000}, {"i"})
            .advance_watermark_to_infinity()
      | window_into("tens", {.into = fixed(10s)}) | with_keys("itself", [](const text& x) { return x; })
      | group_by_key("group") | collect("groups", groups);
  const auto job = session(p);
  for (std::size_t event = 0; event < 4; ++event) job->play(event);
  EXPECT_EQ(job->notices().size(), 1U);
  job->advance_clock(timestamp{10000});
  job->play(4);
  EXPECT_EQ(job->notices().size(), 2U);
  EXPECT_EQ(told(job->notices()), 8) << "the second has those that were held back";
  job->play(5);
  job->drain();
  EXPECT_EQ(job->notices().size(), 2U);
}

TEST(run, U04_writes_a_drop_to_the_error_stream) {
  recording<kv<text, std::vector<text>>> groups;
  pipeline p("late");
  late_data(p, duration{0}) | collect("groups", groups);
  testing::internal::CaptureStderr();
  const job_report report = execute(p);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), late_notice + "\n");
  EXPECT_THAT(report.notices, ElementsAre(late_notice));
}

TEST(run_direct, U04_gives_and_tells_a_drop) {
  recording<kv<text, std::vector<text>>> groups;
  pipeline p("late");
  late_data(p, duration{0}) | collect("groups", groups);
  std::vector<text> heard;
  const direct_result result = run_direct(p, {.on_notice = [&](const text& notice) { heard.push_back(notice); }});
  EXPECT_THAT(result.notices, ElementsAre(late_notice));
  EXPECT_THAT(heard, ElementsAre(late_notice));
}

// Sets an alarm for 160 s.
class wakes_up {
 public:
  using output = text;
  void process(const kv<text, text>& /*x*/, emitter<text>& /*out*/) { alarm_.set(timestamp{160000}); }
  void on_timer(const processing_timer& /*which*/, const text& /*key*/, emitter<text>& out) { out("awake"); }
  auto cells() { return std::tie(alarm_); }

 private:
  processing_timer alarm_{"alarm"};
};

TEST_P(time_cases, U25_a_clock_that_went_back_is_a_notice_and_its_timers_wait) {
  struct restart {
    number clock;
    std::size_t awake_at_once;
    std::size_t notices;
  };
  for (const restart& one : {restart{500000, 1, 0}, restart{50000, 0, 1}, restart{99000, 0, 0}, restart{98999, 0, 1}}) {
    recording<text> said;
    pipeline p("alarm");
    p | test_stream<text>("in").add({"a"}) | one_key() | par_do("alarm", wakes_up{}) | collect("said", said);
    const auto job = session(p);
    job->advance_clock(timestamp{100000});
    job->play(0);
    job->checkpoint();
    job->crash(timestamp{one.clock});
    EXPECT_EQ(job->notices().size(), one.notices) << one.clock;
    for (const text& notice : job->notices())
      EXPECT_THAT(notice, HasSubstr("gone back by " + std::to_string(100000 - one.clock) + " ms"));
    job->checkpoint();
    EXPECT_EQ(said.values().size(), one.awake_at_once) << one.clock;
    job->advance_clock(timestamp{160001});
    job->advance_clock(timestamp{1000000});
    job->checkpoint();
    EXPECT_EQ(said.values().size(), 1U) << one.clock;
  }
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
}  // namespace millrace::programs::acceptance_time_test
