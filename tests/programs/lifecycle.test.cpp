#include "plain_runs.hpp"

#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

// Bundles, retries, lifecycle and finalization: the acceptance cases of the model, section 13, on both runners.
namespace millrace::programs::lifecycle_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using text = std::string;
using number = std::int64_t;

class lifecycle : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, lifecycle, each_runner(), runner_name);

// What copies of a function share, to see them from outside.
struct witness {
  text log;
  int failures_left = 0;
};

// Counts each element before it may throw; what it gives out it keeps until the bundle ends.
class failing_at {
 public:
  using output = text;
  failing_at(text element, std::shared_ptr<witness> of) : element_(std::move(element)), of_(std::move(of)) {}
  void setup() { of_->log += "setup "; }
  void start_bundle() { of_->log += "start "; }
  void process(const text& x, emitter<text>& out) {
    ++seen_;
    of_->log += x + " ";
    if (x == element_ && of_->failures_left-- > 0) throw std::runtime_error("not yet");
    kept_.emplace_back(x, out.at());
  }
  void finish_bundle(emitter<text>& out) {
    of_->log += "finish ";
    for (const auto& [x, at] : kept_) out.emit(x, at.time, at.in);
    kept_.clear();
  }
  void teardown() { of_->log += "teardown "; }
  auto metrics() { return std::tie(seen_); }

 private:
  text element_;
  std::shared_ptr<witness> of_;
  std::vector<std::pair<text, stamp>> kept_;
  counter seen_{"seen"};
};

// The same without a bundle of its own.
class failing_alone {
 public:
  using output = text;
  failing_alone(text element, std::shared_ptr<witness> of) : element_(std::move(element)), of_(std::move(of)) {}
  void setup() { of_->log += "setup "; }
  void process(const text& x, emitter<text>& out) {
    of_->log += x + " ";
    out(x);
    if (x == element_ && of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }
  void teardown() { of_->log += "teardown "; }

 private:
  text element_;
  std::shared_ptr<witness> of_;
};

// Counts per key, and throws after it has counted.
class counting {
 public:
  using output = number;
  explicit counting(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  auto cells() { return std::tie(count_); }
  void process(const kv<text, text>& x, emitter<number>& out) {
    count_.set(count_.get() + 1);
    out(count_.get());
    if (x.value == "c" && of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }

 private:
  std::shared_ptr<witness> of_;
  value_state<number> count_{"count"};
};

test_stream<text> two_bundles() {
  return test_stream<text>("input").add({"a", "b"}).add({"c"}).advance_watermark_to_infinity();
}

TEST_P(lifecycle, 13_1_a_bundle_that_fails_once_leaves_each_output_once_and_counts_five) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<text> given;
  pipeline p("retried");
  p | test_stream<text>("input").add({"a", "b", "c", "d", "e"}).advance_watermark_to_infinity()
      | par_do("fail", failing_at("c", seen)) | collect("given", given);
  auto metrics = run_on(GetParam(), p).metrics;
  EXPECT_THAT(values_of(given), UnorderedElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(metrics.at("fail").counters().at("seen"), 5);
  EXPECT_EQ(metrics.at("fail").elements_in, 5U);
  EXPECT_EQ(metrics.at("fail").elements_out, 5U);
  EXPECT_EQ(seen->log, "setup start a b c teardown setup start a b c d e finish teardown ");
}

TEST_P(lifecycle, 13_1_state_counts_an_element_that_failed_once) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<number> counts;
  pipeline p("state");
  p | test_stream<text>("input").add({"a", "b", "c", "d", "e"}).advance_watermark_to_infinity()
      | with_keys("key", [](const text& /*x*/) { return text("k"); }) | par_do("count", counting(seen))
      | collect("counts", counts);
  run_on(GetParam(), p);
  EXPECT_THAT(values_of(counts), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(lifecycle, 13_2_calls_come_in_order_over_two_bundles) {
  const auto seen = std::make_shared<witness>();
  pipeline p("order");
  p | two_bundles() | par_do("log", failing_at("none", seen));
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup start a b finish start c finish teardown ");
}

TEST_P(lifecycle, 13_2_a_copy_that_has_thrown_is_torn_down_and_another_set_up) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 2;
  recording<text> given;
  pipeline p("renewed");
  p | two_bundles() | par_do("fail", failing_alone("b", seen)) | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup a b teardown setup b teardown setup b c teardown ");
  EXPECT_THAT(values_of(given), ElementsAre("a", "b", "c"));
}

// Remembers its elements and sets a timer with the tag of each; calls about `fails` may fail.
class counting_alone {
 public:
  using output = text;
  counting_alone(text fails, std::shared_ptr<witness> of) : fails_(std::move(fails)), of_(std::move(of)) {}
  void setup() { of_->log += "setup "; }
  void teardown() { of_->log += "teardown "; }
  auto cells() { return std::tie(seen_, later_); }
  void process(const kv<text, text>& x, emitter<text>& /*out*/) {
    seen_.set(seen_.get() + x.value);
    later_.set(x.value, timestamp{1});
    call(x.value);
  }
  void on_timer(const event_timer_family& fired, const text& key, emitter<text>& out) {
    out(key + seen_.get() + std::to_string(fired.fired_at().millis()) + fired.tag());
    call("timer " + fired.tag());
  }

 private:
  void call(const text& what) {
    of_->log += what + " ";
    if (what == fails_ && of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }

  text fails_;
  std::shared_ptr<witness> of_;
  value_state<text> seen_{"seen"};
  event_timer_family later_{"later"};
};

TEST_P(lifecycle, 13_2_a_copy_with_state_that_has_thrown_is_torn_down_and_its_state_stays) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<text> given;
  pipeline p("renewed with state");
  p | test_stream<text>("input").add_at(timestamp{0}, {"a", "b"}).advance_watermark_to_infinity()
      | with_keys("key", [](const text& /*x*/) { return text("k"); }) | par_do("count", counting_alone("b", seen))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "setup a b teardown setup b timer a timer b teardown ");
  EXPECT_THAT(values_of(given), ElementsAre("kab1a", "kab1b"));
}

TEST_P(lifecycle, 13_2_a_copy_whose_timer_has_thrown_is_torn_down_and_another_is_told_the_firing) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 3;
  recording<text> given;
  pipeline p("renewed with timers");
  p | test_stream<text>("input").add_at(timestamp{0}, {"b"}).advance_watermark_to_infinity()
      | with_keys("key", [](const text& /*x*/) { return text("k"); }) | par_do("count", counting_alone("timer b", seen))
      | collect("given", given);
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log,
            "setup b timer b teardown setup timer b teardown setup timer b teardown setup timer b teardown ");
  EXPECT_THAT(values_of(given), ElementsAre("kb1b"));
}

// Words are views of their lines' text, which is gone when the bundle ends. Fails once at the third.
class failing_words {
 public:
  using output = std::tuple<std::string_view, kv<std::string_view, number>>;
  explicit failing_words(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  void start_bundle() { of_->log += "start "; }
  void process(const kv<std::string_view, number>& x, emitter<std::string_view>& out,
               emitter<kv<std::string_view, number>>& pairs) {
    of_->log += text(x.key) + " ";
    out(x.key.substr(1));
    pairs({x.key, x.value + 1});
    if (x.key == "the third word" && of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }

 private:
  std::shared_ptr<witness> of_;
};

TEST_P(lifecycle, a_bundle_of_views_of_text_is_done_again_whole) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  recording<text> given;
  recording<text> pairs;
  pipeline p("words");
  const auto [words, numbered] = p
                                 | test_stream<text>("lines")
                                       .add({"the first word,the second word", "the third word,the fourth word"})
                                       .advance_watermark_to_infinity()
                                 | flat_map("words",
                                            [](const text& line, emitter<kv<std::string_view, number>>& out) {
                                              const std::string_view all = line;
                                              const std::size_t comma = all.find(',');
                                              out({all.substr(0, comma), 1});
                                              out({all.substr(comma + 1), 2});
                                            })
                                 | par_do("fail", failing_words(seen));
  words | map("copy", [](const std::string_view& w) { return text(w); }) | collect("given", given);
  numbered | map("text", [](const kv<std::string_view, number>& w) { return text(w.key) + std::to_string(w.value); })
      | collect("pairs", pairs);
  const run_metrics run = run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "start the first word the second word the third word "
                       "start the first word the second word the third word the fourth word ");
  EXPECT_THAT(values_of(given), ElementsAre("he first word", "he second word", "he third word", "he fourth word"));
  EXPECT_THAT(values_of(pairs),
              ElementsAre("the first word2", "the second word3", "the third word2", "the fourth word3"));
  EXPECT_EQ(run.metrics.at("fail").elements_out, 8U);
}

TEST_P(lifecycle, a_bundle_goes_on_without_an_element_that_fails_for_good) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1000;
  recording<text> given;
  recording<text> lost;
  pipeline p("error output");
  const auto [good, bad] = p | two_bundles() | par_do("fail", failing_at("b", seen), with_errors);
  good | collect("given", given);
  bad | map("what", [](const failed<text>& f) { return f.element + " after " + std::to_string(f.attempts); })
      | collect("lost", lost);
  auto metrics = run_on(GetParam(), p).metrics;
  EXPECT_THAT(values_of(given), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(values_of(lost), ElementsAre("b after 4"));
  EXPECT_EQ(metrics.at("fail").error_elements, 1U);
  EXPECT_EQ(metrics.at("fail").counters().at("seen"), 2);
}

TEST_P(lifecycle, an_element_that_fails_for_good_without_error_output_fails_the_job) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1000;
  pipeline p("failing");
  p | two_bundles() | par_do("fail", failing_at("b", seen));
  try {
    run_on(GetParam(), p);
    FAIL() << "it must not succeed";
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("\"fail\""));
    EXPECT_THAT(e.what(), HasSubstr("\"b\""));
    EXPECT_THAT(e.what(), HasSubstr("not yet"));
    EXPECT_THAT(e.what(), HasSubstr("4"));
  }
  EXPECT_THAT(seen->log, ::testing::EndsWith("teardown "));
}

// Acknowledges each element once its bundle is durable.
class acknowledging {
 public:
  using output = text;
  acknowledging(std::shared_ptr<witness> of, duration expiry) : of_(std::move(of)), expiry_(expiry) {}
  void process(const text& x, emitter<text>& out, bundle_finalizer& after) {
    after.after_commit(expiry_, [of = of_, x] { of->log += "acknowledge " + x + " "; });
    if (x == "b" && of_->failures_left-- > 0) throw std::runtime_error("not yet");
    of_->log += x + " ";
    out(x);
  }

 private:
  std::shared_ptr<witness> of_;
  duration expiry_;
};

TEST_P(lifecycle, 13_3_calls_after_commit_come_once_after_the_bundles_are_durable) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  pipeline p("acknowledged");
  p | two_bundles() | par_do("acknowledge", acknowledging(seen, 1h));
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "a b c acknowledge a acknowledge b acknowledge c ");
}

TEST_P(lifecycle, 13_3_calls_after_commit_that_have_expired_are_not_made) {
  const auto seen = std::make_shared<witness>();
  pipeline p("expired");
  p | test_stream<text>("input").add({"a"}).advance_processing_time(10s).add({"b"}).advance_watermark_to_infinity()
      | par_do("acknowledge", acknowledging(seen, 5s));
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "a b acknowledge b ");
}

TEST_P(lifecycle, 13_3_calls_after_commit_of_a_job_that_fails_are_not_made) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1000;
  pipeline p("never");
  p | two_bundles() | par_do("acknowledge", acknowledging(seen, 1h));
  EXPECT_ANY_THROW(run_on(GetParam(), p));
  EXPECT_THAT(seen->log, ::testing::Not(HasSubstr("acknowledge")));
}

// Registers from finish_bundle, and throws in the first bundle's first attempt after it has.
class acknowledging_bundles {
 public:
  using output = text;
  explicit acknowledging_bundles(std::shared_ptr<witness> of) : of_(std::move(of)) {}
  void process(const text& x, emitter<text>& /*out*/) { bundle_ += x; }
  void finish_bundle(emitter<text>& /*out*/, bundle_finalizer& after) {
    after.after_commit(1h, [of = of_, bundle = bundle_] { of->log += "acknowledge " + bundle + " "; });
    bundle_.clear();
    if (of_->failures_left-- > 0) throw std::runtime_error("not yet");
  }

 private:
  std::shared_ptr<witness> of_;
  text bundle_;
};

TEST_P(lifecycle, 13_3_calls_that_a_failed_attempt_registered_are_not_made) {
  const auto seen = std::make_shared<witness>();
  seen->failures_left = 1;
  pipeline p("bundles");
  p | two_bundles() | par_do("acknowledge", acknowledging_bundles(seen));
  run_on(GetParam(), p);
  EXPECT_EQ(seen->log, "acknowledge ab acknowledge c ");
}

// Gives out at the end of a bundle what it is told to.
class giving_at_the_end {
 public:
  using output = text;
  void process(const text& x, emitter<text>& /*out*/) { last_ = x; }
  void finish_bundle(emitter<text>& out) { out.emit(last_, timestamp{5}, window{timestamp{0}, timestamp{10}}); }

 private:
  text last_;
};

TEST_P(lifecycle, 13_4_outputs_of_finish_bundle_have_just_the_stamp_they_are_given) {
  recording<text> given;
  pipeline p("stamps");
  p | test_stream<text>("input").add_at(timestamp{7}, {"a"}).advance_watermark_to_infinity()
      | par_do("give", giving_at_the_end{}) | collect("given", given);
  run_on(GetParam(), p);
  const auto rows = given.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].value, "a");
  EXPECT_EQ(rows[0].at.time, timestamp{5});
  EXPECT_EQ(rows[0].at.in, (window{timestamp{0}, timestamp{10}}));
  EXPECT_EQ(rows[0].at.pane, pane_info{});
}

}  // namespace
}  // namespace millrace::programs::lifecycle_test
