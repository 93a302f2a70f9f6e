#include <millrace/io/enrich.hpp>
#include <millrace/io/run_inference.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace::enrich_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using text = std::string;
using enriched = joined<text, std::optional<int>>;

enum class answer { right, refusal, timeout, fault };

// A service that says how long each word is, except "unknown"; it misbehaves as told and notes what it is asked.
struct service {
  std::deque<answer> answers;  // the next ones; then it is right
  std::vector<std::vector<text>> asked;
  std::vector<duration> waits;
  std::deque<answer> openings;  // how it answers those who connect; then it takes them
  int opened = 0;
  int open = 0;
  timestamp now;

  enrich_options options() {
    enrich_options of;
    of.retries = {.attempts_max = 4, .wait_first = 100ms, .wait_most = 10s};
    of.clock = {[this] { return now; },
                [this](duration d) {
                  waits.push_back(d);
                  now = now + d;
                }};
    return of;
  }
};

class word_client {
 public:
  using value = int;
  explicit word_client(service& of) : of_(&of) {
    const answer now = of.openings.empty() ? answer::right : of.openings.front();
    if (!of.openings.empty()) of.openings.pop_front();
    if (now == answer::refusal) throw service_refusal("full");
    if (now == answer::timeout) throw service_timeout("5 s");
    if (now == answer::fault) throw std::runtime_error("wrong password");
    ++of.opened;
    ++of.open;
  }
  word_client(word_client&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  word_client& operator=(word_client&&) = delete;
  word_client(const word_client&) = delete;
  word_client& operator=(const word_client&) = delete;
  ~word_client() {
    if (of_) --of_->open;
  }

  std::vector<std::optional<int>> lookup(std::span<const text> keys, duration timeout) {
    EXPECT_EQ(timeout, 5s);
    of_->asked.emplace_back(keys.begin(), keys.end());
    const answer next = of_->answers.empty() ? answer::right : of_->answers.front();
    if (!of_->answers.empty()) of_->answers.pop_front();
    if (next == answer::refusal) throw service_refusal("busy");
    if (next == answer::timeout) throw service_timeout("5 s");
    if (next == answer::fault) throw std::runtime_error("broken");
    std::vector<std::optional<int>> lengths;
    for (const text& k : keys) {
      if (k == "poison") throw std::invalid_argument("I do not take poison");
      lengths.push_back(k == "unknown" ? std::nullopt : std::optional(static_cast<int>(k.size())));
    }
    return lengths;
  }

 private:
  service* of_;
};

auto opens(service& of) {
  return [&of] { return word_client(of); };
}
const auto itself = [](const text& word) { return word; };

struct result {
  std::vector<enriched> good;
  std::vector<failed<text>> bad;
};

result run(service& of, const std::vector<text>& words, const enrich_options& options) {
  pipeline p("test");
  recording<enriched> good;
  recording<failed<text>> bad;
  auto [found, failures] = p | create("words", words) | enrich("lengths", opens(of), itself, options, with_errors);
  found | collect("good", good);
  failures | collect("bad", bad);
  run_direct(p);
  EXPECT_EQ(of.open, 0) << "clients are closed";
  return {good.values(), bad.values()};
}

TEST(enrich, asks_once_for_each_key_of_a_batch_and_keeps_the_unknown) {
  service s;
  const auto r = run(s, {"a", "bb", "a", "unknown"}, s.options());
  EXPECT_THAT(r.good, UnorderedElementsAre(enriched{"a", 1}, enriched{"bb", 2}, enriched{"a", 1},
                                           enriched{"unknown", std::nullopt}));
  EXPECT_THAT(s.asked, ElementsAre(ElementsAre("a", "bb", "unknown")));
  EXPECT_EQ(s.opened, 1);
}

TEST(enrich, cuts_calls_by_keys_and_bytes) {
  service s;
  auto options = s.options();
  options.keys_max = 2;
  run(s, {"a", "b", "c"}, options);
  EXPECT_THAT(s.asked, ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
  s.asked.clear();
  options.keys_max = 100;
  options.bytes_max = 8;  // a word of three characters is encoded as four bytes
  run(s, {"aaa", "bbb", "ccc", "more than eight"}, options);
  EXPECT_THAT(s.asked, ElementsAre(ElementsAre("aaa", "bbb"), ElementsAre("ccc"), ElementsAre("more than eight")));
}

TEST(enrich, waits_longer_each_time_the_service_refuses) {
  service s;
  s.answers = {answer::refusal, answer::refusal};
  const auto r = run(s, {"a"}, s.options());
  EXPECT_THAT(r.good, ElementsAre(enriched{"a", 1}));
  ASSERT_GE(s.waits.size(), 2U);
  EXPECT_GE(s.waits[0], 50ms);
  EXPECT_LE(s.waits[0], 100ms);
  EXPECT_GE(s.waits[1], 100ms);
  EXPECT_LE(s.waits[1], 200ms);
  EXPECT_EQ(s.opened, 1) << "a refusal breaks no connection";
}

TEST(enrich, opens_another_client_after_a_timeout) {
  service s;
  s.answers = {answer::timeout, answer::right};
  const auto r = run(s, {"a"}, s.options());
  EXPECT_THAT(r.good, ElementsAre(enriched{"a", 1}));
  EXPECT_EQ(s.opened, 2);
}

TEST(enrich, opens_clients_later_that_the_service_does_not_take_at_the_start) {
  service s;
  s.openings = {answer::refusal, answer::timeout, answer::refusal, answer::right};
  auto options = s.options();
  options.clients = 3;  // of which the third is not tried at the start, as the second waited in vain
  const auto r = run(s, {"a"}, options);
  EXPECT_THAT(r.good, ElementsAre(enriched{"a", 1}));
  EXPECT_EQ(s.waits.size(), 1U);
  EXPECT_EQ(s.opened, 1);
}

TEST(enrich, fails_the_job_if_clients_cannot_be_opened_for_another_reason) {
  service s;
  s.openings = {answer::fault};
  try {
    run(s, {"a"}, s.options());
    FAIL() << "no client was opened";
  } catch (const element_failure& fault) {
    EXPECT_EQ(fault.step(), "lengths");
    EXPECT_THAT(fault.what(), HasSubstr("wrong password"));
  }
}

TEST(enrich, calls_a_service_that_refuses_at_first_as_often_as_it_may) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    service s;
    s.answers = {answer::refusal, answer::refusal, answer::refusal};
    auto options = s.options();
    options.retries.seed = seed;
    const auto r = run(s, {"a"}, options);
    EXPECT_THAT(r.good, ElementsAre(enriched{"a", 1})) << seed;
    EXPECT_EQ(s.asked.size(), 4U) << seed;
  }
}

TEST(enrich, gives_elements_up_when_all_attempts_failed) {
  service s;
  s.answers = {answer::timeout, answer::timeout, answer::timeout, answer::timeout};
  const auto r = run(s, {"a"}, s.options());
  EXPECT_THAT(r.good, IsEmpty());
  ASSERT_EQ(r.bad.size(), 1U);
  EXPECT_EQ(r.bad[0].element, "a");
  EXPECT_EQ(r.bad[0].step, "lengths");
  EXPECT_EQ(r.bad[0].attempts, 4U);
}

TEST(enrich, tries_keys_alone_when_one_may_spoil_the_call) {
  service s;
  const auto r = run(s, {"a", "poison", "bb"}, s.options());
  EXPECT_THAT(r.good, UnorderedElementsAre(enriched{"a", 1}, enriched{"bb", 2}));
  ASSERT_EQ(r.bad.size(), 1U);
  EXPECT_EQ(r.bad[0].element, "poison");
  EXPECT_EQ(r.bad[0].message, "I do not take poison");
}

TEST(enrich, fails_the_job_without_an_error_output_naming_step_and_element) {
  service s;
  pipeline p("test");
  recording<enriched> found;
  p | create("words", {text("poison")}) | enrich("lengths", opens(s), itself, s.options()) | collect("found", found);
  try {
    run_direct(p);
    FAIL() << "poison was taken";
  } catch (const element_failure& fault) {
    EXPECT_EQ(fault.step(), "lengths");
    EXPECT_THAT(fault.what(), HasSubstr("poison"));
    EXPECT_EQ(fault.attempts(), 4U);
  }
}

TEST(enrich, keeps_answers_for_a_while_and_stamps_forever) {
  service s;
  auto options = s.options();
  options.cache_for = 10s;
  pipeline p("test");
  recording<enriched> found;
  const auto moves = [&s](const text& word) {
    if (word == "later") s.now = s.now + 10s;
    return word;
  };
  p
      | test_stream<text>("words")
            .add_at(timestamp{1}, {"a"})
            .add_at(timestamp{2}, {"a"})
            .add_at(timestamp{3}, {"later"})
            .add_at(timestamp{4}, {"a"})
            .advance_watermark_to_infinity()
      | enrich("lengths", opens(s), moves, options) | collect("found", found);
  run_direct(p);
  EXPECT_THAT(s.asked, ElementsAre(ElementsAre("a"), ElementsAre("later"), ElementsAre("a")));
  std::vector<timestamp> times;
  for (const auto& r : found.rows()) times.push_back(r.at.time);
  EXPECT_THAT(times, ElementsAre(timestamp{1}, timestamp{2}, timestamp{3}, timestamp{4}));
}

TEST(enrich, takes_turns_with_its_clients) {
  service s;
  auto options = s.options();
  options.clients = 3;
  run(s, {"a"}, options);
  EXPECT_EQ(s.opened, 3);
}

TEST(enrich, refuses_senseless_options_by_name) {
  service s;
  pipeline p("test");
  const auto in = p | create("words", {text("a")});
  auto options = s.options();
  options.keys_max = 0;
  EXPECT_THROW(static_cast<void>(in | enrich("lengths", opens(s), itself, options)), pipeline_error);
}

// Doubles numbers; cannot take 13.
struct doubling {
  std::shared_ptr<std::vector<std::size_t>> batches;
  std::vector<int> infer(std::span<const int> inputs) const {
    batches->push_back(inputs.size());
    std::vector<int> doubled;
    for (const int x : inputs) {
      if (x == 13) throw std::domain_error("unlucky");
      doubled.push_back(2 * x);
    }
    return doubled;
  }
};

TEST(run_inference, asks_in_batches_and_loads_the_model_once) {
  const auto batches = std::make_shared<std::vector<std::size_t>>();
  int loaded = 0;
  const auto load = [&loaded, batches] {
    ++loaded;
    return doubling{batches};
  };
  using found = prediction<int, int>;
  pipeline p("test");
  recording<found> good;
  recording<failed<int>> bad;
  auto [predictions, failures] =
      p | create("numbers", {1, 2, 13, 4, 5}) | run_inference("double", load, {.batch_max = 2}, with_errors);
  predictions | collect("good", good);
  failures | collect("bad", bad);
  run_direct(p);
  EXPECT_THAT(good.values(), UnorderedElementsAre(found{1, 2}, found{2, 4}, found{4, 8}, found{5, 10}));
  ASSERT_EQ(bad.values().size(), 1U);
  EXPECT_EQ(bad.values()[0].element, 13);
  EXPECT_EQ(bad.values()[0].message, "unlucky");
  EXPECT_EQ(bad.values()[0].attempts, 2U);
  EXPECT_EQ(loaded, 1);
  EXPECT_THAT(*batches, ElementsAre(2U, 2U, 1U, 1U, 1U));
}

}  // namespace
}  // namespace millrace::enrich_test
