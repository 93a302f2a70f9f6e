#include "splittable_functions.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace millrace::programs::splittable_test {
namespace {

using ::testing::ElementsAre;

using namespace std::chrono_literals;

TEST(case_12_3, splits_after_every_claim_change_nothing) {
  for (const splittable_limits limits :
       {splittable_limits{}, {.claims_max = 1}, {.claims_max = 2}, {.outputs_max = 1}}) {
    pipeline p{"p"};
    recording<int> out;
    p | create("sizes", std::vector<int>{3, 2}) | par_do_splittable("count", counting{}, limits) | collect("out", out);
    run_direct(p);
    EXPECT_THAT(in_order(out), ElementsAre(0, 0, 1, 1, 2));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      out.clear();
      const auto r = simulate(p, {.seed = seed, .job = {.shards = 1 + static_cast<std::uint32_t>(seed % 3)}});
      ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
      EXPECT_THAT(in_order(out), ElementsAre(0, 0, 1, 1, 2)) << "seed " << seed;
    }
  }
}

TEST(case_12_3, shards_that_die_anywhere_cost_no_output_and_repeat_none) {
  std::uint32_t rewinds = 0;
  std::uint64_t epochs = 0;
  const std::vector<int> sizes{6000, 7, 0, 3000, 1};
  for (std::uint64_t at = 1; at <= 300; at += 3) {
    pipeline p{"p"};
    const recording<int> out;
    p | create("sizes", sizes) | par_do_splittable("count", counting{}, {.claims_max = 1}) | collect("out", out);
    const auto r =
        simulate(p, {.seed = at,
                     .job = {.shards = 2, .checkpoint_every = 1ms, .streaming = true},
                     .kills = {{at, static_cast<stage_id>(at % 2), static_cast<std::uint32_t>(at / 2 % 2)}}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    std::vector<int> expected;
    for (const int n : sizes)
      for (const int i : up_to(n)) expected.push_back(i);
    std::ranges::sort(expected);
    EXPECT_EQ(in_order(out), expected) << "killed at message " << at;
    rewinds += r.report.rewinds;
    epochs += r.report.epoch;
  }
  EXPECT_GT(rewinds, 30U) << "most kills hit a running shard";
  EXPECT_GT(epochs, 200U) << "epochs come while restrictions are worked off";
}

TEST(case_12_4, the_rest_comes_again_when_the_delay_is_over) {
  pipeline p{"p"};
  const recording<int> out;
  p | test_stream<int>("sizes").add({10}).advance_watermark_to_infinity()
      | par_do_splittable("count", counting_slowly{}) | collect("out", out);
  direct_session s(p);
  s.play(0);
  s.play(1);
  const auto seen = [&] {
    s.checkpoint();
    return in_order(out);
  };
  EXPECT_EQ(seen(), up_to(3));
  EXPECT_TRUE(s.has_state());
  s.advance_clock(timestamp{999});
  EXPECT_EQ(seen(), up_to(3));
  s.advance_clock(timestamp{1000});
  EXPECT_EQ(seen(), up_to(6));
  s.crash(std::nullopt);
  s.advance_clock(timestamp{1999});
  EXPECT_EQ(seen(), up_to(6));
  s.advance_clock(timestamp{2000});
  EXPECT_EQ(seen(), up_to(9));
  EXPECT_EQ(s.output_watermark("count/process"), timestamp::min());
  s.advance_clock(timestamp{3000});
  EXPECT_EQ(seen(), up_to(10));
  EXPECT_EQ(s.output_watermark("count/process"), timestamp::max());
  EXPECT_FALSE(s.has_state());
}

TEST(case_12_4, simulations_wait_for_the_clock_too) {
  for (const auto& [passed, expected] : {std::pair{999ms, 3}, {1000ms, 6}, {1999ms, 6}, {2000ms, 9}}) {
    pipeline p{"p"};
    const recording<int> out;
    auto script = test_stream<int>("sizes");
    script.add({10});
    for (auto left = duration{passed}; left > 0ms; left -= std::min<duration>(left, 1s))
      script.advance_processing_time(std::min<duration>(left, 1s));
    p | script | par_do_splittable("count", counting_slowly{}) | collect("out", out);
    const auto r = simulate(p, {.seed = 5});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_EQ(in_order(out), up_to(expected)) << passed.count() << " ms";
  }
}

TEST(case_12_4, all_of_it_comes_once_however_shards_die) {
  std::uint32_t rewinds = 0;
  pipeline p{"p"};
  recording<int> out;
  p | create("sizes", std::vector<int>{10}) | par_do_splittable("count", counting_slowly{}) | collect("out", out);
  run_direct(p);
  EXPECT_EQ(in_order(out), up_to(10));
  for (std::uint64_t at = 1; at <= 300; at += 5) {
    out.clear();
    const auto r = simulate(p, {.seed = at,
                                .job = {.shards = 2, .checkpoint_every = 300ms, .streaming = true},
                                .kills = {{at, 1, static_cast<std::uint32_t>(at % 2)}}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_EQ(in_order(out), up_to(10)) << "killed at message " << at;
    rewinds += r.report.rewinds;
  }
  EXPECT_GT(rewinds, 20U) << "most kills hit a running shard";
}

// Reports 5, then 3, then ends, a second after each other.
struct reporting {
  using output = int;
  using estimator = manual_watermark;
  static constexpr bool bounded_per_element = true;
  static offset_range initial_restriction(int /*n*/) { return {0, 3}; }
  static process_result process(int /*n*/, tracker<offset_range>& range, manual_watermark& marks, emitter<int>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    out.emit(static_cast<int>(at), timestamp{6});
    if (at == 2) return process_result::stop();
    marks.set(timestamp{at == 0 ? 5 : 3});
    return process_result::resume(1s);
  }
};

TEST(case_12_5, the_output_watermark_is_what_the_estimator_reports_until_the_work_is_done) {
  pipeline p{"p"};
  const recording<int> out;
  p | test_stream<int>("in").add_at(timestamp{1}, {1}).advance_watermark_to_infinity()
      | par_do_splittable("report", reporting{}) | collect("out", out);
  direct_session s(p);
  s.play(0);
  s.play(1);
  EXPECT_EQ(s.output_watermark("report/process"), timestamp{5});
  s.advance_clock(timestamp{1000});
  EXPECT_EQ(s.output_watermark("report/process"), timestamp{5});
  s.checkpoint();
  s.crash(std::nullopt);
  EXPECT_EQ(s.output_watermark("report/process"), timestamp{5});
  s.advance_clock(timestamp{2000});
  EXPECT_EQ(s.output_watermark("report/process"), timestamp::max());
  s.checkpoint();
  EXPECT_EQ(in_order(out), up_to(3));
}

TEST(case_12_5, simulations_hold_the_watermark_too) {
  for (const auto& [seconds, expected] : {std::pair{0, timestamp{5}}, {1, timestamp{5}}, {2, timestamp::max()}}) {
    pipeline p{"p"};
    const recording<int> out;
    auto script = test_stream<int>("in");
    script.add_at(timestamp{1}, {1});
    for (int i = 0; i < seconds; ++i) script.advance_processing_time(1s);
    script.advance_watermark_to(timestamp::end_of_global_window());
    if (seconds == 2) script.advance_watermark_to_infinity();
    p | script | par_do_splittable("report", reporting{}) | collect("out", out);
    const auto r = simulate(p, {.seed = 3});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    timestamp least = timestamp::max();
    for (const auto& shard : r.report.shards)
      if (shard.stage == "report/process") least = std::min(least, shard.output_watermark);
    EXPECT_EQ(least, expected) << seconds << " s";
  }
}

struct waiting_with_an_end : waiting_at_four<offset_range::endless> {
  static std::optional<offset_range> truncate(int /*n*/, const offset_range& of) {
    return offset_range{of.from, of.from + 2};
  }
};
struct waiting_again : waiting_at_four<10> {
  static process_result process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    out(static_cast<int>(at));
    return process_result::resume(1s);
  }
};

template <class Fn>
std::vector<int> drained(const Fn& fn) {
  pipeline p{"p"};
  const recording<int> out;
  p | test_stream<int>("in").add({1}) | par_do_splittable("wait", fn) | collect("out", out);
  direct_session s(p);
  s.play(0);
  s.drain();
  EXPECT_EQ(s.state(), session_state::drained) << s.error();
  EXPECT_EQ(s.output_watermark("wait/process"), timestamp::max());
  return in_order(out);
}

TEST(case_12_6, a_drain_finishes_what_ends_and_drops_what_does_not) {
  EXPECT_EQ(drained(waiting_at_four<10>{}), up_to(10));
  EXPECT_EQ(drained(waiting_at_four<offset_range::endless>{}), up_to(4));
  EXPECT_EQ(drained(waiting_with_an_end{}), up_to(6));
  EXPECT_EQ(drained(waiting_again{}), up_to(2)) << "what is truncated is not resumed";
}

}  // namespace
}  // namespace millrace::programs::splittable_test
