#include "plain_runs.hpp"

#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/state/timer_family.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Calls that follow the commit of a bundle in stateful and splittable functions, and bundles of functions that read
// side inputs, on both runners.
namespace millrace::programs::finalizers_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using text = std::string;
using number = std::int64_t;

class finalizers : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, finalizers, each_runner(), runner_name);

struct witness {
  text log;
  int failures_left = 0;
};

// Acknowledges each element, and how many a bundle had; fails once after it has registered.
template <bool Stable>
class acknowledging_with_state {
 public:
  static constexpr bool requires_stable_input = Stable;
  using output = number;
  explicit acknowledging_with_state(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  auto cells() { return std::tie(count_); }
  void start_bundle() { in_bundle_ = 0; }
  void process(const kv<text, text>& x, emitter<number>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_, value = x.value] { of->log += "acknowledge " + value + " "; });
    if (x.value == "b" && of_->failures_left-- > 0) throw std::runtime_error("not yet");
    of_->log += x.value + " ";
    count_.set(count_.get() + 1);
    ++in_bundle_;
    out(count_.get());
  }
  void finish_bundle(emitter<number>& /*out*/, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_, n = in_bundle_] { of->log += "bundle of " + std::to_string(n) + " "; });
  }

 private:
  std::shared_ptr<witness> of_;
  value_state<number> count_{"count"};
  int in_bundle_ = 0;
};

test_stream<text> two_bundles() {
  return test_stream<text>("input").add({"a", "b"}).add({"c"}).advance_watermark_to_infinity();
}

TEST_P(finalizers, of_a_stateful_function_are_called_once_after_its_bundles_are_durable) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<number> counts;
  pipeline p("state");
  p | two_bundles() | with_keys("key", [](const text& /*x*/) { return text("k"); })
      | par_do("acknowledge", acknowledging_with_state<false>(seen)) | collect("counts", counts);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "a a b c acknowledge a acknowledge b bundle of 2 acknowledge c bundle of 1 ");
  EXPECT_THAT(values_of(counts), ElementsAre(1, 2, 3));
}

TEST_P(finalizers, of_a_stateful_function_with_stable_input_are_called_too) {
  const auto seen = std::make_shared<witness>();
  pipeline p("stable");
  p | create("input", {text("a"), text("b"), text("c")}) | with_keys("key", [](const text& /*x*/) { return text("k"); })
      | par_do("acknowledge", acknowledging_with_state<true>(seen));
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "a b c acknowledge a acknowledge b acknowledge c bundle of 3 ");
}

TEST_P(finalizers, of_a_stateful_function_that_fails_are_not_called) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1000;
  pipeline p("failing");
  p | two_bundles() | with_keys("key", [](const text& /*x*/) { return text("k"); })
      | par_do("acknowledge", acknowledging_with_state<false>(seen));
  EXPECT_ANY_THROW(run_on(GetParam(), p));
  EXPECT_EQ(seen->log, "a a a a ");
}

// Acknowledges timers alone; the first fails at first after it has registered.
class acknowledging_timers {
 public:
  using output = text;
  explicit acknowledging_timers(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  auto cells() { return std::tie(timer_, family_); }
  void process(const kv<text, text>& /*x*/, const number& /*side*/, emitter<text>& /*out*/) {
    timer_.set(timestamp{7}, no_output);
    family_.set("tag", timestamp{8}, no_output);
  }
  void on_timer(const event_timer& /*t*/, const text& key, const number& side, emitter<text>& out,
                bundle_finalizer& after) {
    acknowledge("timer of " + key + " with " + std::to_string(side), out, after);
  }
  void on_timer(const event_timer_family& t, const text& key, emitter<text>& out, bundle_finalizer& after) {
    acknowledge(t.tag() + " of " + key, out, after);
  }

 private:
  void acknowledge(const text& what, emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_, what] { of->log += "acknowledge " + what + ", "; });
    if (of_->failures_left-- > 0) throw std::runtime_error("not yet");
    of_->log += what + ", ";
    out(what);
  }

  std::shared_ptr<witness> of_;
  event_timer timer_{"timer"};
  event_timer_family family_{"family"};
};

// Acknowledges the end of windows alone; it fails at first after it has registered.
class acknowledging_ends {
 public:
  using output = text;
  explicit acknowledging_ends(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  auto cells() { return std::tie(seen_); }
  void process(const kv<text, text>& x, const number& /*side*/, emitter<text>& /*out*/) { seen_.set(x.value); }
  void on_window_expiration(const text& key, const number& side, emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_, key] { of->log += "acknowledge " + key + ", "; });
    if (of_->failures_left-- > 0) throw std::runtime_error("not yet");
    out(key + " " + seen_.get() + std::to_string(side));
  }

 private:
  std::shared_ptr<witness> of_;
  value_state<text> seen_{"seen"};
};

// One element "a" at 1 in the window [0, 10) of key "k", with the side input 5, through a step.
template <class Step>
std::vector<text> given_by(runner on, Step step) {
  recording<text> given;
  pipeline p("one element");
  const auto side = p | create("side", {number{5}}) | as_singleton("view");
  p | test_stream<text>("input").add_at(timestamp{1}, {"a"}).advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms)}) | with_keys("key", [](const text& /*x*/) { return text("k"); })
      | par_do("acknowledge", std::move(step), with(side)) | collect("given", given);
  run_on(on, p);
  return values_of(given);
}

TEST_P(finalizers, of_timers_are_called_once) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 2;
  EXPECT_THAT(given_by(GetParam(), acknowledging_timers(seen)), ElementsAre("timer of k with 5", "tag of k"));
  EXPECT_EQ(seen->log, "timer of k with 5, tag of k, acknowledge timer of k with 5, acknowledge tag of k, ");
}

TEST_P(finalizers, of_the_end_of_a_window_are_called_once) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 2;
  EXPECT_THAT(given_by(GetParam(), acknowledging_ends(seen)), ElementsAre("k a5"));
  EXPECT_EQ(seen->log, "acknowledge k, ");
}

// Acknowledges each position; fails once at position 1 after it has registered.
class acknowledging_positions {
 public:
  using output = number;
  explicit acknowledging_positions(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  static offset_range initial_restriction(const number& n) { return {0, n}; }
  void process(const number& /*n*/, tracker<offset_range>& range, emitter<number>& out, bundle_finalizer& after) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) {
      after.after_commit(1h, [of = of_, i] { of->log += "acknowledge " + std::to_string(i) + " "; });
      if (i == 1 && of_->failures_left-- > 0) throw std::runtime_error("not yet");
      of_->log += std::to_string(i) + " ";
      out(i);
    }
  }
  void finish_bundle(bundle_finalizer& after) {
    after.after_commit(1h, [of = of_] { of->log += "bundle "; });
  }

 private:
  std::shared_ptr<witness> of_;
};

TEST_P(finalizers, of_a_splittable_function_are_called_once_for_each_position) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<number> given;
  pipeline p("splittable");
  p | create("in", {number{3}}) | par_do_splittable("acknowledge", acknowledging_positions(seen))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "0 0 1 2 acknowledge 0 bundle acknowledge 1 acknowledge 2 bundle ")
      << "the bundle is done again as far as position 1, which begins another";
  EXPECT_THAT(values_of(given), ElementsAre(0, 1, 2));
}

// Keeps what it gives out until the bundle ends, with the contents of a side input; fails once at an element.
class joining_bundles {
 public:
  using output = text;
  joining_bundles(text fails, std::shared_ptr<witness> of) : fails_(std::move(fails)), of_(std::move(of)) {}
  void setup() { of_->log += "setup "; }
  void start_bundle() { of_->log += "start "; }
  void process(const text& x, const number& side, emitter<text>& out) {
    of_->log += x + std::to_string(side) + " ";
    kept_.emplace_back(x + std::to_string(side), out.at());
    if (x == fails_ && of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }
  void finish_bundle(emitter<text>& out) {
    for (const auto& [x, at] : kept_) out.emit(x, at.time, at.in);
    kept_.clear();
  }
  void teardown() { of_->log += "teardown "; }

 private:
  text fails_;
  std::shared_ptr<witness> of_;
  std::vector<std::pair<text, stamp>> kept_;
};

// Elements of two windows in one bundle: each reads the side input of its own, in the first attempt and in the second.
TEST_P(finalizers, a_bundle_of_a_function_that_reads_side_inputs_is_done_again_whole) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<text> given;
  pipeline p("joined bundles");
  const auto side =
      p
      | test_stream<number>("side").add_at(timestamp{1}, {5}).add_at(timestamp{11}, {6}).advance_watermark_to_infinity()
      | window_into("side windows", {.into = fixed(10ms)}) | as_singleton("side view");
  p
      | test_stream<text>("main")
            .advance_processing_time(1ms)
            .advance_processing_time(1ms)
            .advance_processing_time(1ms)
            .add({{"a", timestamp{2}}, {"b", timestamp{12}}, {"c", timestamp{3}}})
            .advance_watermark_to_infinity()
      | window_into("main windows", {.into = fixed(10ms)}) | par_do("join", joining_bundles("b", seen), with(side))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup start a5 c5 b6 teardown setup start a5 c5 b6 teardown ");
  EXPECT_THAT(values_of(given), UnorderedElementsAre("a5", "b6", "c5"));
}

// The same for elements that have waited: the bundle is that in which the side input came.
TEST_P(finalizers, a_bundle_of_elements_that_waited_for_a_side_input_is_done_again_whole) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<text> given;
  pipeline p("joined later");
  const auto side = p
                    | test_stream<number>("side")
                          .advance_processing_time(1ms)
                          .add_at(timestamp{1}, {5})
                          .advance_watermark_to_infinity()
                    | window_into("side windows", {.into = fixed(10ms)}) | as_singleton("side view");
  p | test_stream<text>("main").add_at(timestamp{2}, {"a", "b"}).advance_watermark_to_infinity()
      | window_into("main windows", {.into = fixed(10ms)}) | par_do("join", joining_bundles("b", seen), with(side))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup start a5 b5 teardown setup start a5 b5 teardown ");
  EXPECT_THAT(values_of(given), UnorderedElementsAre("a5", "b5"));
}

}  // namespace
}  // namespace millrace::programs::finalizers_test
