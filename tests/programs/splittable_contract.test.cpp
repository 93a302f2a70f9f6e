#include "splittable_functions.hpp"

#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace millrace::programs::splittable_contract_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(par_do_splittable, output_is_unbounded_where_the_function_may_resume) {
  pipeline p{"p"};
  const auto in = p | create("in", std::vector<int>{1});
  EXPECT_TRUE((in | par_do_splittable("a", counting{})).bounded());
  EXPECT_TRUE((in | par_do_splittable("b", counting_slowly{})).bounded());
  EXPECT_FALSE((in | par_do_splittable("c", waiting_at_four<10>{})).bounded());
}

// Fails once at each fifth number.
struct stumbling {
  using output = int;
  std::shared_ptr<std::vector<int>> failed = std::make_shared<std::vector<int>>();
  static offset_range initial_restriction(int n) { return {0, n}; }
  void process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) const {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) {
      out(static_cast<int>(i));
      if (i % 5 != 0 || std::ranges::count(*failed, static_cast<int>(i)) > 0) continue;
      failed->push_back(static_cast<int>(i));
      throw std::runtime_error("no");
    }
  }
};

TEST(par_do_splittable, repeats_a_failed_call_from_its_last_claim_on) {
  pipeline p{"p"};
  const recording<int> out;
  const stumbling fn;
  p | create("in", std::vector<int>{1000}) | par_do_splittable("count", fn) | collect("out", out);
  run_direct(p, {.attempts_max = 2});
  EXPECT_EQ(out.values(), up_to(1000));
  EXPECT_EQ(fn.failed->size(), 200U);
}

template <class Fn>
std::string failure_of(const Fn& fn) {
  pipeline p{"p"};
  const recording<int> out;
  p | create("in", std::vector<int>{7}) | par_do_splittable("wrong", fn) | collect("out", out);
  try {
    run_direct(p);
  } catch (const element_failure& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(par_do_splittable, refuses_functions_that_break_the_contract) {
  struct leaving_out : counting {
    static void process(int, tracker<offset_range>& range, emitter<int>&) { static_cast<void>(range.try_claim(4)); }
  };
  EXPECT_THAT(failure_of(leaving_out{}), HasSubstr("[5,7)"));
  EXPECT_THAT(failure_of(leaving_out{}), HasSubstr("wrong/process"));
  struct early : counting {
    static void process(int, tracker<offset_range>& range, emitter<int>& out) {
      out(1);
      static_cast<void>(range.try_claim(6));
    }
  };
  EXPECT_THAT(failure_of(early{}), HasSubstr("before a claim had succeeded"));
  struct late : counting {
    static void process(int, tracker<offset_range>& range, emitter<int>& out) {
      static_cast<void>(range.try_claim(7));
      out(1);
    }
  };
  EXPECT_THAT(failure_of(late{}), HasSubstr("after a claim was refused"));
  struct late_and_again : counting {
    static void process(int x, tracker<offset_range>& range, emitter<int>& out) {
      late::process(x, range, out);
      EXPECT_FALSE(range.try_claim(8)) << "nothing is claimed behind a refusal";
    }
  };
  EXPECT_THAT(failure_of(late_and_again{}), HasSubstr("after a claim was refused"));
  struct throwing : counting {
    static void process(int, tracker<offset_range>& range, emitter<int>&) {
      static_cast<void>(range.try_claim(3));
      throw std::runtime_error("always");
    }
  };
  EXPECT_THAT(failure_of(throwing{}), HasSubstr("always"));
}

// Begins with one part for each number.
struct in_parts : counting {
  static std::vector<offset_range> split(int /*n*/, const offset_range& of) {
    std::vector<offset_range> parts;
    for (auto i = of.from; i < of.to; ++i) parts.push_back({i, i + 1});
    return parts;
  }
};

TEST(par_do_splittable, deals_the_first_parts_out_to_all_shards) {
  pipeline p{"p"};
  const recording<int> out;
  p | create("in", std::vector<int>{12}) | par_do_splittable("count", in_parts{}) | collect("out", out);
  const auto r = simulate(p, {.seed = 9, .job = {.shards = 3}});
  ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
  EXPECT_EQ(in_order(out), up_to(12));
  std::vector<std::uint64_t> taken;
  for (const auto& shard : r.report.shards)
    if (shard.stage == "count/process") taken.push_back(shard.elements_in);
  EXPECT_THAT(taken, ElementsAre(4U, 4U, 4U));
}

TEST(par_do_splittable, outputs_have_the_stamp_of_their_element_once_in_each_window) {
  pipeline p{"p"};
  const recording<int> out;
  p | create("in", std::vector<int>{2}) | with_timestamps("at", [](int) { return timestamp{12}; })
      | window_into("windows", {.into = sliding(10ms, 5ms)}) | par_do_splittable("count", counting{}, {.claims_max = 1})
      | collect("out", out);
  run_direct(p);
  std::vector<std::pair<std::int64_t, int>> seen;
  for (const auto& r : out.rows()) {
    EXPECT_EQ(r.at.time, timestamp{12});
    seen.emplace_back(r.at.in.start.millis(), r.value);
  }
  std::ranges::sort(seen);
  EXPECT_THAT(seen, ElementsAre(std::pair{5, 0}, std::pair{5, 1}, std::pair{10, 0}, std::pair{10, 1}));
}

// Observes 1, 2, ... as the times of its outputs, and stops to look after each.
struct observing {
  using output = int;
  using estimator = observed_watermark;
  static offset_range initial_restriction(int /*n*/) { return {1, offset_range::endless}; }
  static process_result process(int /*n*/, tracker<offset_range>& range, observed_watermark& /*marks*/,
                                emitter<int>& out) {
    const auto at = range.restriction().from;
    if (!range.try_claim(at)) return process_result::stop();
    out.emit(static_cast<int>(at), timestamp{10 * at});
    return process_result::resume(1s);
  }
};

TEST(par_do_splittable, an_observing_estimator_follows_the_outputs) {
  pipeline p{"p"};
  const recording<int> out;
  p | test_stream<int>("in").add_at(timestamp{0}, {1}).advance_watermark_to_infinity()
      | par_do_splittable("observe", observing{}) | collect("out", out);
  direct_session s(p);
  s.play(0);
  s.play(1);
  EXPECT_EQ(s.output_watermark("observe/process"), timestamp{10});
  s.advance_clock(timestamp{1000});
  EXPECT_EQ(s.output_watermark("observe/process"), timestamp{20});
}

}  // namespace
}  // namespace millrace::programs::splittable_contract_test
