#include <millrace/actors/engine.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/recording.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace::rebalancing_test {
namespace {

// Lines of files; whoever reads the file "big" from its front is slow: it does not go on before it has given a part of
// it away.
class slow_text_source {
 public:
  using element = std::string;
  using split = text_split;
  class split_reader;

  explicit slow_text_source(const std::string& pattern) : lines_(pattern, {.split_bytes = 1 << 30}) {}
  [[nodiscard]] static bool bounded() { return true; }
  [[nodiscard]] static bool divides() { return true; }
  [[nodiscard]] static double weight(const text_split& of) { return weight_of(of); }
  [[nodiscard]] std::vector<text_split> splits(std::size_t desired) const { return lines_.splits(desired); }
  [[nodiscard]] split_reader open(const text_split& of) const;
  [[nodiscard]] static std::string describe() { return "slow lines"; }

 private:
  text_source lines_;
};

class slow_text_source::split_reader {
 public:
  split_reader(const text_source& lines, const text_split& of)
      : lines_(lines.open(of)), waits_(of.path.ends_with("big") && of.from == 0) {}
  read_status read(source_output<std::string>& out, timestamp now) {
    if (!waits_) return lines_.read(out, now);
    next_ = now + duration{1};
    if (++asked_ > 60'000) throw std::runtime_error("nobody takes a part over");
    return read_status::waiting;
  }
  std::optional<text_split> try_split(double fraction) {
    auto given = lines_.try_split(fraction);
    waits_ = waits_ && !given;
    return given;
  }
  [[nodiscard]] text_split remaining() const { return lines_.remaining(); }
  [[nodiscard]] static watermark promise() { return {}; }
  [[nodiscard]] timestamp next_read() const { return waits_ ? next_ : timestamp::min(); }

 private:
  decltype(std::declval<text_source>().open({})) lines_;
  bool waits_;
  int asked_ = 0;
  timestamp next_ = timestamp::min();
};

slow_text_source::split_reader slow_text_source::open(const text_split& of) const {
  return {lines_, of};
}

TEST(threaded_rebalancing, an_idle_reader_takes_over_the_rest_of_a_slow_ones_file) {
  const temporary_folder folder;
  std::string big;
  for (int i = 0; big.size() < 200'000; ++i) big += "line " + std::to_string(i % 10) + "\n";
  static_cast<void>(folder.write("big", big));
  for (int i = 0; i < 30; ++i) static_cast<void>(folder.write("small" + std::to_string(i), "line 0\nline 10\n"));
  const auto lines = static_cast<std::uint64_t>(big.size() / 7);
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", std::size_t{2});
  caf::actor_system system(config);
  for (std::uint32_t shards = 2; shards <= 4; ++shards) {
    pipeline p{"lines"};
    const recording<kv<std::string, std::uint64_t>> counts;
    p | read("read", slow_text_source((folder.path() / "*").string())) | count_per_element("count")
        | collect("out", counts);
    const auto report =
        engine(system)
            .launch(p, {.shards = shards, .checkpoint_every = std::chrono::milliseconds{3}, .streaming = true})
            .wait();
    ASSERT_EQ(report.state, job_state::done) << report.error;
    std::map<std::string, std::uint64_t> by_line;
    for (const auto& row : counts.values()) by_line[row.key] += row.value;
    EXPECT_EQ(by_line.size(), 11U);
    EXPECT_EQ(by_line["line 0"], lines / 10 + (lines % 10 > 0 ? 1 : 0) + 30);
    EXPECT_EQ(by_line["line 10"], 30U);
    std::uint64_t all = 0;
    for (const auto& [line, count] : by_line) all += count;
    EXPECT_EQ(all, lines + 60);
    const auto& counters = report.metrics.at("read").counters();
    EXPECT_GT(counters.at("splits_given"), 0);
    EXPECT_EQ(counters.at("splits_given"), counters.at("splits_taken"));
  }
}

}  // namespace
}  // namespace millrace::rebalancing_test
