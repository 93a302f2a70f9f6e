#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Splittable functions drawn at random that fail anywhere, on both runners and with shards that die: every position
// counts once, whatever a failed call had given out, reported, put off or split.
namespace millrace::programs::splittable_faults_test {
namespace {

using namespace std::chrono_literals;
using number = std::int64_t;

// What one program is made of.
struct drawing {
  std::vector<number> sizes;
  number stride = 1;   // between positions
  number pause = 0;    // positions of a call that asks to be resumed; 0: none does
  number outputs = 1;  // of a position
  number side = 0;     // what the side input adds to each output
  splittable_limits limits;
  std::map<std::string, int> failures;  // of the call about each of these, still to come
};

drawing drawn(std::uint64_t seed) {
  std::mt19937_64 by(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<number>(by() % end); };
  drawing d;
  for (number n = below(5); n >= 0; --n) d.sizes.push_back(below(40));
  d.stride = 1 + below(3);
  d.pause = below(2) * (1 + below(6));
  d.outputs = below(4);
  d.side = below(2) * 1000;
  d.limits = {.outputs_max = 1 + static_cast<std::uint64_t>(below(12)),
              .claims_max = 1 + static_cast<std::uint64_t>(below(12))};
  for (number n = below(12); n > 0; --n)
    d.failures[std::to_string(below(static_cast<std::uint64_t>(d.sizes.size()))) + " " + std::to_string(below(40))] =
        1 + static_cast<int>(below(3));
  for (const char* call : {"start", "finish", "first"})
    if (below(3) == 0) d.failures[call] = 1 + static_cast<int>(below(3));
  return d;
}

// Positions, of which those of a block can only be given away together.
constexpr number block = 7;
class block_tracker;
struct blocks {
  number from = 0;
  number to = 0;
  using tracker = block_tracker;
};
class block_tracker {
 public:
  using position = number;
  explicit block_tracker(blocks of) : of_(of) {}
  bool try_claim(number at) {
    if (at >= of_.to) ended_ = true;
    else last_ = at;
    return !ended_;
  }
  std::optional<blocks> try_split(double /*fraction*/) {
    const number edge = last_ ? (*last_ / block + 1) * block : of_.from;
    if (edge >= of_.to || ended_) return std::nullopt;
    return blocks{edge, std::exchange(of_.to, edge)};
  }
  void check_done() const {
    if (of_.from < of_.to && !ended_ && last_ != of_.to - 1) throw std::logic_error("positions were left out");
  }
  [[nodiscard]] blocks restriction() const { return of_; }

 private:
  blocks of_;
  std::optional<number> last_;
  bool ended_ = false;
};

// An element and its number.
using sized = kv<number, number>;

// Gives out what is drawn for each position, or keeps it.
template <class Restriction, bool Keeps = false>
class giving {
 public:
  using output = number;
  using estimator = manual_watermark;
  static constexpr bool takes_each_position = std::is_same_v<Restriction, blocks>;
  static constexpr bool bounded_per_element = true;
  explicit giving(std::shared_ptr<drawing> of) : of_(std::move(of)) {}
  static Restriction initial_restriction(const sized& x) { return {0, x.value}; }
  timestamp initial_watermark(const sized& /*x*/, timestamp at) {
    fail("first");
    return at;
  }
  process_result process(const sized& x, const number& side, tracker<Restriction>& range, manual_watermark& /*marks*/,
                         emitter<number>& out) {
    number claims = 0;
    const number first = range.restriction().from;
    for (number i = (first + of_->stride - 1) / of_->stride * of_->stride;; i += of_->stride) {
      if (of_->pause > 0 && claims >= of_->pause && ends_block(i)) return process_result::resume(5ms);
      if (!range.try_claim(i)) return process_result::stop();
      ++claims;
      ++seen_;
      for (number o = 0; o < of_->outputs; ++o) give(10'000 * x.key + 10 * i + o + side, out);
      fail(std::to_string(x.key) + " " + std::to_string(i));
    }
  }
  auto metrics() { return std::tie(seen_); }

 protected:
  void give(number x, emitter<number>& out) {
    if constexpr (Keeps) kept_.emplace_back(x, out.at());
    else out(x);
  }
  void fail(const std::string& what) {
    if (const auto found = of_->failures.find(what); found != of_->failures.end() && found->second-- > 0)
      throw std::runtime_error("not yet");
  }

 private:
  // Whether the rest can be given away in front of a position.
  static bool ends_block(number next) { return !takes_each_position || next % block == 0; }

  std::shared_ptr<drawing> of_;
  counter seen_{"seen"};

 protected:
  std::vector<std::pair<number, stamp>> kept_;
};
// Gives it at the end of each bundle.
template <class Restriction>
class keeping : public giving<Restriction, true> {
 public:
  using giving<Restriction, true>::giving;
  void start_bundle() { this->fail("start"); }
  void finish_bundle(emitter<number>& out) {
    for (const auto& [x, at] : this->kept_) out.emit(x, at.time, at.in);
    this->kept_.clear();
    this->fail("finish");
  }
};

std::vector<number> expected(const drawing& d) {
  std::vector<number> all;
  for (std::size_t n = 0; n < d.sizes.size(); ++n)
    for (number i = 0; i < d.sizes[n]; i += d.stride)
      for (number o = 0; o < d.outputs; ++o) all.push_back(10'000 * static_cast<number>(n) + 10 * i + o + d.side);
  std::ranges::sort(all);
  return all;
}
std::int64_t positions(const drawing& d) {
  std::int64_t all = 0;
  for (const number n : d.sizes) all += (n + d.stride - 1) / d.stride;
  return all;
}

template <class Fn>
void run_drawn(std::uint64_t seed, std::uint32_t& retries, std::uint32_t& rewinds) {
  drawing whole = drawn(seed);
  if (Fn::takes_each_position) whole.stride = 1;
  for (const std::uint32_t shards : {0U, 1U, 3U}) {
    const auto d = std::make_shared<drawing>(whole);
    recording<number> given;
    pipeline p("faults");
    std::vector<sized> in;
    for (std::size_t n = 0; n < d->sizes.size(); ++n) in.push_back({static_cast<number>(n), d->sizes[n]});
    const auto side = p | create("side", {d->side}) | as_singleton("side");
    p | create("in", in) | par_do_splittable("give", Fn(d), with(side), d->limits) | collect("given", given);
    metric_board metrics;
    if (shards == 0) {
      const direct_result r = run_direct(p, {.attempts_max = 40});
      metrics = r.metrics.at("give/process");
      retries += r.attempted.at("give/process").elements_in > metrics.elements_in ? 1U : 0U;
    } else {
      const auto kill_at = 1 + seed * 7 % 90;
      const auto r = simulate(p, {.seed = seed,
                                  .job = {.shards = shards, .checkpoint_every = 1ms, .streaming = true, .attempts = 40},
                                  .kills = {{kill_at, static_cast<stage_id>(seed % 3), 0}}});
      ASSERT_EQ(r.report.state, job_state::done) << r.report.error << ", seed " << seed;
      metrics = r.report.metrics.at("give/process");
      rewinds += r.report.rewinds;
    }
    auto values = given.values();
    std::ranges::sort(values);
    ASSERT_EQ(values, expected(*d)) << "seed " << seed << " on " << shards << " shards";
    ASSERT_EQ(metrics.counters().contains("seen") ? metrics.counters().at("seen") : 0, positions(*d)) << seed;
    ASSERT_EQ(metrics.elements_out, values.size()) << seed;
  }
}

template <class Fn>
void run_all(std::uint64_t from) {
  std::uint32_t retries = 0;
  std::uint32_t rewinds = 0;
  for (std::uint64_t seed = from; seed < from + 100; ++seed) run_drawn<Fn>(seed, retries, rewinds);
  EXPECT_GT(retries, 50U);
  EXPECT_GT(rewinds, 50U);
}

TEST(splittable_faults, of_calls_that_are_repeated_from_their_last_claim) {
  run_all<giving<offset_range>>(1);
}
TEST(splittable_faults, of_bundles) {
  run_all<keeping<offset_range>>(1001);
}
TEST(splittable_faults, of_trackers_that_split_at_blocks) {
  run_all<giving<blocks>>(2001);
}
TEST(splittable_faults, of_bundles_with_trackers_that_split_at_blocks) {
  run_all<keeping<blocks>>(3001);
}

}  // namespace
}  // namespace millrace::programs::splittable_faults_test
