#include "bundle_keeping.hpp"
#include "plain_runs.hpp"

#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What bundles of splittable functions that are done again leave: rests, watermarks, truncations, contents of side
// inputs.
namespace millrace::programs::splittable_redone_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
using text = std::string;
using number = std::int64_t;

class splittable_redone : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, splittable_redone, each_runner(), runner_name);

// Gives two numbers at a time and reports them as its watermark; a second lies between them.
class pausing : public keeping {
 public:
  using estimator = manual_watermark;
  static constexpr bool bounded_per_element = true;
  using keeping::keeping;
  process_result process(number /*n*/, tracker<offset_range>& range, manual_watermark& marks, emitter<number>& out) {
    const auto from = range.restriction().from;
    for (auto i = from; i < from + 2; ++i) {
      if (!range.try_claim(i)) return process_result::stop();
      keep(i, out.at());
      marks.set(timestamp{10 * i});
    }
    return process_result::resume(1s);
  }
};

TEST(splittable_redone, what_is_resumed_and_reported_is_that_of_the_attempt_that_succeeds) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["1"] = 1;
  seen->failures_left["2"] = 1;
  recording<number> given;
  pipeline p("pausing");
  p | test_stream<number>("in").add_at(timestamp{0}, {8}).advance_watermark_to_infinity()
      | par_do_splittable("keep", pausing(seen)) | collect("given", given);
  direct_session s(p);
  s.play(0);
  s.play(1);
  EXPECT_EQ(s.output_watermark("keep/process"), timestamp{30}) << "0, then 1, then 2 and 3 in a bundle each";
  s.checkpoint();
  EXPECT_EQ(given.values(), numbers_below(4));
  s.crash({});
  s.advance_clock(timestamp{1000});
  EXPECT_EQ(s.output_watermark("keep/process"), timestamp{50});
  s.advance_clock(timestamp{2000});
  EXPECT_EQ(s.output_watermark("keep/process"), timestamp::max());
  s.checkpoint();
  EXPECT_EQ(given.values(), numbers_below(8));
}

// One position at a time.
class going_on : public keeping {
 public:
  static constexpr bool bounded_per_element = true;
  using keeping::keeping;
  process_result process(number n, tracker<offset_range>& range, emitter<number>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    keep(10 * n + at, out.at());
    return process_result::resume(1s);
  }
};

TEST(splittable_redone, what_a_failed_attempt_has_put_off_is_forgotten) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["30"] = 1;
  recording<number> given;
  pipeline p("going on");
  p | test_stream<number>("in").add({2, 3}).advance_watermark_to_infinity() | par_do_splittable("keep", going_on(seen))
      | collect("given", given);
  direct_session s(p);
  s.play(0);
  s.play(1);
  s.advance_clock(timestamp{1000});
  s.advance_clock(timestamp{2000});
  s.checkpoint();
  EXPECT_THAT(given.values(), ElementsAre(20, 30, 21, 31, 32));
  EXPECT_FALSE(s.has_state());
}

// Its first watermark and what a drain leaves of it are asked of the function, too.
class asked : public keeping {
 public:
  using keeping::keeping;
  using estimator = manual_watermark;
  timestamp initial_watermark(number /*n*/, timestamp at) {
    call("first");
    return at;
  }
  std::optional<offset_range> truncate(number /*n*/, const offset_range& of) {
    call("truncate");
    return offset_range{of.from, of.from + 1};
  }
  process_result process(number /*n*/, tracker<offset_range>& range, manual_watermark& /*marks*/,
                         emitter<number>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    keep(at, out.at());
    return process_result::resume(1s);
  }
};
// The same without a bundle.
class asked_alone {
 public:
  using output = number;
  using estimator = manual_watermark;
  explicit asked_alone(watched of) : of_(std::move(of)) {}
  void setup() { of_->log += "setup "; }
  void teardown() { of_->log += "teardown "; }
  static offset_range initial_restriction(number n) { return {0, n}; }
  timestamp initial_watermark(number /*n*/, timestamp at) {
    of_->call("first");
    return at;
  }
  std::optional<offset_range> truncate(number /*n*/, const offset_range& of) {
    of_->call("truncate");
    return offset_range{of.from, of.from + 1};
  }
  process_result process(number /*n*/, tracker<offset_range>& range, manual_watermark& /*marks*/,
                         emitter<number>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    out(at);
    of_->call(std::to_string(at));
    return process_result::resume(1s);
  }

 private:
  watched of_;
};

template <class Fn>
void drain_after_failures(const watched& seen, recording<number>& given) {
  seen->failures_left["first"] = 3;
  seen->failures_left["truncate"] = 3;
  pipeline p("drained");
  p | test_stream<number>("in").add({7}) | par_do_splittable("keep", Fn(seen)) | collect("given", given);
  direct_session s(p);
  s.play(0);
  s.drain();
  EXPECT_EQ(s.state(), session_state::drained) << s.error();
}

TEST(splittable_redone, first_watermarks_and_truncations_that_fail_are_asked_for_again) {
  const auto seen = std::make_shared<call_witness>();
  recording<number> given;
  drain_after_failures<asked>(seen, given);
  EXPECT_THAT(values_of(given), ElementsAre(0, 1));
  EXPECT_EQ(seen->log,
            "setup setup first teardown setup first teardown setup first teardown setup first start 0 finish "
            "truncate teardown setup truncate teardown setup truncate teardown setup truncate start 1 finish teardown "
            "teardown ");
}

// A copy that has thrown is not used again, see 13_2.
TEST(splittable_redone, calls_of_a_function_without_bundles_that_fail_are_made_again_by_a_new_copy) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["0"] = 1;
  recording<number> given;
  drain_after_failures<asked_alone>(seen, given);
  EXPECT_THAT(values_of(given), ElementsAre(0, 1));
  EXPECT_EQ(seen->log,
            "setup setup first teardown setup first teardown setup first teardown setup first 0 teardown setup 0 "
            "truncate teardown setup truncate teardown setup truncate teardown setup truncate 1 teardown teardown ");
}

TEST_P(splittable_redone, a_first_watermark_that_fails_for_good_goes_to_the_error_output) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["first"] = 4;
  recording<number> given;
  recording<text> lost;
  pipeline p("no first watermark");
  const auto [good, bad] = p | test_stream<number>("in").add({5, 0}).advance_watermark_to_infinity()
                           | par_do_splittable("keep", asked(seen), with_errors);
  good | collect("given", given);
  bad | map("what", [](const failed<number>& f) { return f.message + " after " + std::to_string(f.attempts); })
      | collect("lost", lost);
  run_on(GetParam(), p);
  EXPECT_THAT(values_of(lost), ElementsAre("initial_watermark(): not yet; not done: {0, 5} after 4"));
  EXPECT_THAT(values_of(given), IsEmpty()) << "the other element means no work";
}

// Reads a side input.
class reading : public keeping {
 public:
  using keeping::keeping;
  void process(number /*n*/, number side, tracker<offset_range>& range, emitter<number>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) keep(i + side, out.at());
  }
};

// Elements of two windows in one bundle: each reads the side input of its own in every attempt.
TEST_P(splittable_redone, side_inputs_are_those_of_each_element) {
  const auto seen = std::make_shared<call_witness>();
  seen->failures_left["21"] = 2;
  recording<number> given;
  pipeline p("sides");
  const auto side = p
                    | test_stream<number>("side")
                          .advance_processing_time(1ms)
                          .add_at(timestamp{3}, {10})
                          .add_at(timestamp{13}, {20})
                          .advance_watermark_to_infinity()
                    | window_into("side windows", {.into = fixed(10ms)}) | as_singleton("from");
  p | test_stream<number>("main").add({{3, timestamp{1}}, {2, timestamp{12}}}).advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms)}) | par_do_splittable("keep", reading(seen), with(side))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_THAT(values_of(given), UnorderedElementsAre(10, 11, 12, 20, 21));
}

// Calls that are long leave the others of their bundle to another one.
TEST_P(splittable_redone, one_that_has_given_out_much_ends) {
  const auto seen = std::make_shared<call_witness>();
  recording<number> given;
  pipeline p("much");
  p | test_stream<number>("in").add({3, 2, 0}).advance_watermark_to_infinity()
      | par_do_splittable("keep", keeping(seen), {.claims_max = 2}) | collect("given", given);
  run_on(GetParam(), p);
  auto values = values_of(given);
  std::ranges::sort(values);
  EXPECT_THAT(values, ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(seen->log, StartsWith("setup setup start 0 1 finish start 0 1 finish "));
}

TEST(splittable_redone, all_of_it_comes_once_however_shards_die) {
  std::uint32_t rewinds = 0;
  std::vector<number> expected;
  for (const number n : {600, 7, 0, 300}) {
    const auto one = numbers_below(n);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  std::ranges::sort(expected);
  for (std::uint64_t at = 1; at <= 200; at += 4) {
    const auto seen = std::make_shared<call_witness>();
    for (number i = 0; i < 600; i += 7) seen->failures_left[std::to_string(i)] = 1;
    recording<number> given;
    pipeline p("kills");
    p | create("in", std::vector<number>{600, 7, 0, 300})
        | par_do_splittable("keep", keeping(seen), {.outputs_max = 1, .claims_max = 5}) | collect("given", given);
    const auto r =
        simulate(p, {.seed = at,
                     .job = {.shards = 2, .checkpoint_every = 1ms, .streaming = true},
                     .kills = {{at, static_cast<stage_id>(at % 2), static_cast<std::uint32_t>(at / 2 % 2)}}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    auto values = values_of(given);
    std::ranges::sort(values);
    EXPECT_EQ(values, expected) << "killed at message " << at;
    rewinds += r.report.rewinds;
  }
  EXPECT_GT(rewinds, 15U) << "most kills hit a running shard";
}

}  // namespace
}  // namespace millrace::programs::splittable_redone_test
