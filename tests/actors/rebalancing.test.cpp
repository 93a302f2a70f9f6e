#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/sources/read.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::rebalancing_test {
namespace {

using namespace std::chrono_literals;

struct number_range {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// Numbers in one big split and many small ones, a few each millisecond.
class lopsided_source {
 public:
  using element = std::int64_t;
  using split = number_range;
  class split_reader;

  explicit lopsided_source(bool divides = true) : divides_(divides) {}
  [[nodiscard]] static bool bounded() { return true; }
  [[nodiscard]] bool divides() const { return divides_; }
  [[nodiscard]] static double weight(const number_range& of) { return static_cast<double>(of.to - of.from); }
  [[nodiscard]] static std::vector<number_range> splits(std::size_t /*desired*/) {
    return {{0, 200}, {200, 204}, {204, 208}, {208, 212}, {212, 216}, {216, 220}};
  }
  [[nodiscard]] split_reader open(const number_range& of) const;
  [[nodiscard]] static std::string describe() { return "lopsided numbers"; }

 private:
  bool divides_;
};

class lopsided_source::split_reader {
 public:
  explicit split_reader(number_range of) : left_(of) {}
  read_status read(source_output<std::int64_t>& out, timestamp now) {
    if (now < next_) return read_status::waiting;
    for (int i = 0; i < 3 && !out.full(); ++i) {
      if (left_.from == left_.to) return read_status::ended;
      out.slot() = left_.from++;
      out.placed(timestamp::min());
    }
    next_ = now + duration{1};
    return read_status::waiting;
  }
  std::optional<number_range> try_split(double fraction) {
    const auto kept = static_cast<std::int64_t>(static_cast<double>(left_.to - left_.from) * fraction);
    if (kept < 2) return std::nullopt;
    const number_range given{left_.from + kept, left_.to};
    left_.to = given.from;
    return given;
  }
  [[nodiscard]] number_range remaining() const { return left_; }
  [[nodiscard]] static watermark promise() { return {}; }
  [[nodiscard]] timestamp next_read() const { return next_; }

 private:
  number_range left_;
  timestamp next_ = timestamp::min();
};

lopsided_source::split_reader lopsided_source::open(const number_range& of) const {
  return split_reader(of);
}

std::vector<std::int64_t> expected() {
  std::vector<std::int64_t> all(220);
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::vector<std::int64_t> sorted(const recording<std::int64_t>& of) {
  auto values = of.values();
  std::ranges::sort(values);
  return values;
}
// The most that one reading shard has read.
std::uint64_t most_read(const job_report& r) {
  std::uint64_t most = 0;
  for (const auto& s : r.shards)
    if (s.stage == "read") most = std::max(most, s.elements_in);
  return most;
}
std::int64_t counted(const job_report& r, const std::string& what) {
  const auto& counters = r.metrics.at("read").counters();
  const auto found = counters.find(what);
  return found == counters.end() ? 0 : found->second;
}

// Keeps every epoch that is written, and begins with the one that it is given.
class all_epochs final : public checkpoint_store {
 public:
  explicit all_epochs(std::optional<checkpoint> from = std::nullopt) : from_(std::move(from)) {}
  void write(const checkpoint& complete) override { written.push_back(complete); }
  std::optional<checkpoint> newest() override { return written.empty() ? from_ : written.back(); }
  [[nodiscard]] bool outlives_process() const override { return true; }
  [[nodiscard]] std::string describe() const override { return "all epochs"; }

  std::vector<checkpoint> written;

 private:
  std::optional<checkpoint> from_;
};

// Epochs at moments that differ from seed to seed, so that barriers overtake splits and are overtaken.
std::vector<std::uint64_t> epochs_at(std::uint64_t seed) {
  std::vector<std::uint64_t> at;
  for (std::uint64_t i = 0; i < 25; ++i) at.push_back(30 + seed * 11 % 53 + i * 41);
  return at;
}

TEST(rebalancing, idle_readers_take_over_the_rest_of_a_slow_ones_range) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const bool divides : {false, true}) {
      pipeline p{"p"};
      const recording<std::int64_t> out;
      p | read("read", lopsided_source(divides)) | collect("out", out);
      const auto r = simulate(p, {.seed = seed, .job = {.shards = 3}});
      ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
      EXPECT_EQ(sorted(out), expected()) << "seed " << seed;
      EXPECT_EQ(counted(r.report, "splits_given"), counted(r.report, "splits_taken")) << "seed " << seed;
      if (divides) {
        EXPECT_LT(most_read(r.report), 120U) << "seed " << seed;
        EXPECT_GT(counted(r.report, "splits_given"), 1) << "seed " << seed;
      } else {
        EXPECT_GE(most_read(r.report), 200U) << "seed " << seed;
        EXPECT_EQ(counted(r.report, "splits_given"), 0) << "seed " << seed;
      }
    }
}

TEST(rebalancing, nothing_is_lost_or_read_twice_however_shards_die_between_epochs) {
  std::uint32_t rewinds = 0;
  std::uint64_t epochs = 0;
  std::int64_t given = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    pipeline p{"p"};
    const recording<std::int64_t> out;
    p | read("read", lopsided_source()) | collect("out", out);
    const auto shards = 2 + static_cast<std::uint32_t>(seed % 3);
    const auto victim = static_cast<std::uint32_t>(seed * 7 % shards);
    const auto r = simulate(p, {.seed = seed,
                                .job = {.shards = shards, .checkpoint_every = 1ms, .streaming = true},
                                .kills = {{seed * 13 % 900, 0, victim}, {seed * 31 % 1900, 0, 0}},
                                .epochs = epochs_at(seed)});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    ASSERT_EQ(sorted(out), expected()) << "seed " << seed;
    ASSERT_EQ(counted(r.report, "splits_given"), counted(r.report, "splits_taken")) << "seed " << seed;
    rewinds += r.report.rewinds;
    epochs += r.report.epoch;
    given += counted(r.report, "splits_given");
  }
  EXPECT_GT(rewinds, 300U) << "most kills hit a running shard";
  EXPECT_GT(epochs, 4000U) << "epochs come while splits change hands";
  EXPECT_GT(given, 800);
}

TEST(rebalancing, every_epoch_has_every_split_once) {
  std::size_t resumed = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const auto run = [&](const std::shared_ptr<all_epochs>& epochs) {
      pipeline p{"p"};
      const recording<std::int64_t> out;
      p | read("read", lopsided_source()) | collect("out", out);
      const auto r = simulate(p, {.seed = seed,
                                  .job = {.shards = static_cast<std::uint32_t>(2 + seed % 3), .checkpoints = epochs},
                                  .epochs = epochs_at(seed)});
      EXPECT_EQ(r.report.state, job_state::done) << r.report.error;
      return sorted(out);
    };
    const auto first = std::make_shared<all_epochs>();
    ASSERT_EQ(run(first), expected()) << "seed " << seed;
    for (const checkpoint& from : first->written) {
      ASSERT_EQ(run(std::make_shared<all_epochs>(from)), expected()) << "seed " << seed << " epoch " << from.epoch;
      ++resumed;
    }
  }
  EXPECT_GT(resumed, 1000U);
}

}  // namespace
}  // namespace millrace::rebalancing_test
