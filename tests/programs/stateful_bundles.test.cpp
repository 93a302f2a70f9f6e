#include "plain_runs.hpp"

#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

// Bundles of stateful functions that are told of them: done again whole on both runners, with nothing left behind.
namespace millrace::programs::stateful_bundles_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using text = std::string;
using number = std::int64_t;
using pair = kv<text, text>;

class stateful_bundles : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, stateful_bundles, each_runner(), runner_name);

// What copies of a function share: the calls that were made, and how often calls are yet to fail.
struct witness {
  text log;
  std::map<text, int> failures;

  void call(const text& what) {
    log += what + " ";
    if (failures[what]-- > 0) throw std::runtime_error("not yet");
  }
};

// Keeps what it has seen of a key in a cell and of a bundle in itself; gives that out when the bundle ends.
template <bool Stable>
class told {
 public:
  static constexpr bool requires_stable_input = Stable;
  using output = text;
  explicit told(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  auto cells() { return std::tie(seen_, timer_); }
  auto metrics() { return std::tie(calls_); }
  void start_bundle() { of_->call("start"); }
  void process(const pair& x, emitter<text>& out) { take(x, out, x.value); }
  void process(const pair& x, const number& side, emitter<text>& out) { take(x, out, x.value + std::to_string(side)); }
  void on_timer(const event_timer& /*t*/, const text& /*key*/, emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_] { of->call("acknowledge-timer"); });
    out("timer " + seen_.get());
    seen_.clear();
    of_->call("timer");
  }
  void on_window_expiration(const text& /*key*/, emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_] { of->call("acknowledge-end"); });
    out("end " + seen_.get());
    of_->call("end");
  }
  void finish_bundle(emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_] { of->call("acknowledge-bundle"); });
    if (!bundle_.empty()) out.emit("bundle " + bundle_, timestamp{5}, {timestamp{0}, timestamp{10}});
    bundle_.clear();
    of_->call("finish");
  }
  void teardown() { of_->call("teardown"); }

 private:
  void take(const pair& x, emitter<text>& out, const text& what) {
    seen_.set(seen_.get() + what);
    bundle_ += what;
    if (x.value == "t") timer_.set(timestamp{7});
    out(seen_.get());
    ++calls_;
    of_->call(what);
  }

  std::shared_ptr<witness> of_;
  value_state<text> seen_{"seen"};
  event_timer timer_{"timer"};
  counter calls_{"calls"};
  text bundle_;
};

auto keyed() {
  return with_keys("key", [](const text& /*x*/) { return text("k"); });
}
auto windows() {
  return window_into("windows", {.into = fixed(10ms)});
}
test_stream<text> two_bundles() {
  return test_stream<text>("input")
      .add_at(timestamp{1}, {"a", "b"})
      .add_at(timestamp{2}, {"c"})
      .advance_watermark_to_infinity();
}

TEST_P(stateful_bundles, that_fail_once_leave_each_output_and_call_once) {
  const auto seen = std::make_shared<witness>();
  seen->failures = {{"b", 1}, {"start", 1}, {"finish", 1}};
  const recording<text> given;
  pipeline p("told");
  p | two_bundles() | windows() | keyed() | par_do("tell", told<false>(seen)) | collect("given", given);
  auto metrics = run_on(GetParam(), p);
  EXPECT_EQ(
      seen->log,
      "start teardown start a b teardown start a b finish teardown start a b finish start c finish start end finish "
      "acknowledge-bundle acknowledge-bundle acknowledge-end acknowledge-bundle teardown ");
  EXPECT_THAT(values_of(given), ElementsAre("a", "ab", "bundle ab", "abc", "bundle c", "end abc"));
  EXPECT_EQ(metrics.metrics.at("tell").counters().at("calls"), 3);
  EXPECT_EQ(metrics.attempted.at("tell").counters().at("calls"), 7);
  EXPECT_EQ(metrics.metrics.at("tell").elements_in, 3U);
}

TEST_P(stateful_bundles, of_timers_that_fail_once_leave_each_output_and_registered_call_once) {
  const auto seen = std::make_shared<witness>();
  seen->failures = {{"timer", 1}, {"end", 1}};
  const recording<text> given;
  pipeline p("rung");
  p
      | test_stream<text>("input")
            .add_at(timestamp{1}, {"a", "t"})
            .advance_watermark_to(timestamp{8})
            .advance_watermark_to_infinity()
      | windows() | keyed() | par_do("tell", told<false>(seen)) | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_THAT(seen->log, ::testing::StartsWith("start a t finish start timer teardown start timer finish start end "
                                               "teardown start end finish acknowledge"));
  EXPECT_THAT(seen->log, HasSubstr("acknowledge-bundle acknowledge-timer acknowledge-bundle acknowledge-end "
                                   "acknowledge-bundle teardown "));
  EXPECT_THAT(values_of(given), ElementsAre("a", "at", "bundle at", "timer at", "end "));
}

TEST_P(stateful_bundles, with_side_inputs_are_done_again_when_they_were_ready_and_when_they_were_waited_for) {
  for (const bool waits : {false, true}) {
    const auto seen = std::make_shared<witness>();
    seen->failures = {{"b5", 1}, {"finish", 1}};
    const recording<text> given;
    pipeline p("joined");
    test_stream<number> side("side");
    test_stream<text> main("main");
    if (waits) side.advance_processing_time(1ms);
    else main.advance_processing_time(1ms).advance_processing_time(1ms).advance_processing_time(1ms);
    const auto view = p | side.add_at(timestamp{1}, {5}).advance_watermark_to_infinity()
                      | window_into("side windows", {.into = fixed(10ms)}) | as_singleton("view");
    p | main.add_at(timestamp{2}, {"a", "b"}).advance_watermark_to_infinity() | windows() | keyed()
        | par_do("tell", told<false>(seen), with(view)) | collect("given", given);
    run_on(GetParam(), p);
    EXPECT_THAT(seen->log, HasSubstr("start a5 b5 teardown start a5 b5 finish teardown start a5 b5 finish start end"))
        << waits;
    EXPECT_THAT(values_of(given), ElementsAre("a5", "a5b5", "bundle a5b5", "end a5b5"));
  }
}

TEST_P(stateful_bundles, of_stable_input_are_done_again_too) {
  const auto seen = std::make_shared<witness>();
  seen->failures = {{"b", 1}};
  const recording<text> given;
  pipeline p("stable");
  p | create_timestamped<text>("input", {{"a", timestamp{1}}, {"b", timestamp{2}}, {"c", timestamp{3}}}) | windows()
      | keyed() | par_do("tell", told<true>(seen)) | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_THAT(seen->log, ::testing::StartsWith("start a b teardown start a b c finish "));
  EXPECT_THAT(values_of(given), ElementsAre("a", "ab", "abc", "bundle abc", "end abc"));
}

TEST_P(stateful_bundles, go_on_without_an_element_that_fails_for_good) {
  const auto seen = std::make_shared<witness>();
  seen->failures = {{"b", 1000}};
  const recording<text> given;
  const recording<text> lost;
  pipeline p("error output");
  const auto [good, bad] = p | two_bundles() | windows() | keyed() | par_do("tell", told<false>(seen), with_errors);
  good | collect("given", given);
  bad | map("what", [](const failed<pair>& f) { return f.element.value + " after " + std::to_string(f.attempts); })
      | collect("lost", lost);
  auto metrics = run_on(GetParam(), p).metrics;
  EXPECT_THAT(values_of(given), ElementsAre("a", "bundle a", "ac", "bundle c", "end ac"));
  EXPECT_THAT(values_of(lost), ElementsAre("b after 4"));
  EXPECT_EQ(metrics.at("tell").error_elements, 1U);
  EXPECT_EQ(metrics.at("tell").counters().at("calls"), 2);
}

TEST_P(stateful_bundles, that_fail_for_good_fail_the_job_by_name) {
  for (const char* call : {"b", "finish"}) {
    const auto seen = std::make_shared<witness>();
    seen->failures = {{call, 1000}};
    pipeline p("failing");
    p | two_bundles() | windows() | keyed() | par_do("tell", told<false>(seen));
    const text failure = failure_on(GetParam(), p);
    EXPECT_THAT(failure, HasSubstr("step \"tell\" failed"));
    EXPECT_THAT(failure,
                HasSubstr(text(call) == "b" ? "(\"k\", \"b\") @1 [0, 10): not yet" : "finish_bundle(): not yet"));
    EXPECT_THAT(failure, HasSubstr("after 4 attempts"));
    EXPECT_THAT(seen->log, ::testing::EndsWith("teardown "));
    EXPECT_THAT(seen->log, ::testing::Not(HasSubstr("acknowledge")));
  }
}

// Sums per key and window by a timer, with the sum of the bundle in itself; throws at every so many calls, whichever
// they are.
class sums_that_fail {
 public:
  using output = kv<number, number>;
  explicit sums_that_fail(std::shared_ptr<number> calls) : calls_(std::move(calls)) {}
  auto cells() { return std::tie(sum_, end_); }
  void process(const output& x, emitter<output>& out) {
    sum_.set(sum_.get() + x.value);
    end_.set(out.at().in.max_timestamp());
    last_ = x;
    may_fail();
  }
  void on_timer(const event_timer& /*which*/, const number& key, emitter<output>& out) {
    out(output{key, sum_.get()});
    sum_.clear();
    may_fail();
  }
  void finish_bundle() { may_fail(); }

 private:
  void may_fail() const {
    if (++*calls_ % 11 == 0) throw std::runtime_error("not yet");
  }

  std::shared_ptr<number> calls_;
  value_state<number> sum_{"sum"};
  event_timer end_{"end"};
  output last_{};
};

// Numbers 0 to 59 by their rest of 4 in windows of 20: each key has five numbers in a window, four apart.
TEST(killed_stateful_bundles, give_the_same_when_shards_die) {
  std::uint64_t rewinds = 0;
  for (std::uint64_t at = 20; at <= 320; at += 10) {
    pipeline p("sums");
    const recording<kv<number, number>> rows;
    const auto calls = std::make_shared<number>(0);
    p | sequence("numbers", {.to = 60, .rate = 3000, .time_of = [](number n) { return timestamp{n}; }})
        | window_into("windows", {.into = fixed(20ms)}) | with_keys("by rest", [](number n) { return n % 4; })
        | par_do("sums", sums_that_fail(calls)) | collect("rows", rows);
    const auto r = simulate(p, {.seed = at,
                                .job = {.shards = 2, .checkpoint_every = 5ms, .bundle_rows = 4},
                                .kills = {{at, at % 20 == 0 ? 0U : 1U, 1}}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    rewinds += r.report.rewinds;
    std::map<std::pair<number, number>, number> sums;
    for (const auto& row : rows.rows()) sums[{row.value.key, row.at.in.start.millis()}] += row.value.value;
    EXPECT_EQ(rows.rows().size(), 12U);
    for (number key = 0; key < 4; ++key)
      for (number start = 0; start < 60; start += 20) EXPECT_EQ((sums[{key, start}]), 5 * (start + key) + 40) << at;
    EXPECT_GT(*calls, 72);
  }
  EXPECT_GT(rewinds, 0U);
}

}  // namespace
}  // namespace millrace::programs::stateful_bundles_test
