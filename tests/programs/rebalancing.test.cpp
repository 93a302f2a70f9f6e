#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/tests/sanitizer.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace millrace::rebalancing_test {
namespace {

using namespace std::chrono_literals;
// Of orders of messages and kills; under a sanitizer fewer.
constexpr std::uint64_t seeds(std::uint64_t all) {
  return under_sanitizer ? all / 6 : all;
}
using counts = recording<kv<std::string, std::uint64_t>>;

// One big file, which one shard begins with whole, and many small ones.
class one_big_file_and_many_small {
 public:
  one_big_file_and_many_small() {
    std::string big;
    for (int i = 0; big.size() < 400'000; ++i) big += "so many words, word" + std::to_string(i % 97) + " and more\n";
    static_cast<void>(folder_.write("big", big));
    for (int i = 0; i < 20; ++i)
      static_cast<void>(folder_.write("small" + std::to_string(i), "so little, word" + std::to_string(i) + "\n"));
  }
  void count_words(pipeline& p, const counts& to) const {
    p | read_text("read", (folder_.path() / "*").string(), {.split_bytes = 1 << 30}) | flat_map("split", words_of)
        | count_per_element("count") | collect("out", to);
  }

 private:
  static void words_of(const std::string& line, emitter<std::string>& out) {
    for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
      to = line.find(' ', from);
      out(line.substr(from, to - from));
    }
  }

  temporary_folder folder_;
};

std::map<std::string, std::uint64_t> by_word(const counts& of) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& row : of.values()) all[row.key] += row.value;
  return all;
}
std::int64_t counted(const job_report& r, const std::string& step, const std::string& what) {
  const auto& counters = r.metrics.at(step).counters();
  const auto found = counters.find(what);
  return found == counters.end() ? 0 : found->second;
}

TEST(rebalancing, words_of_one_big_and_many_small_files_are_read_by_all_shards) {
  const one_big_file_and_many_small files;
  pipeline once{"words"};
  const counts expected;
  files.count_words(once, expected);
  run_direct(once);
  ASSERT_EQ(by_word(expected).at("many"), by_word(expected).at("more"));
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto shards = 2 + static_cast<std::uint32_t>(seed % 3);
    pipeline p{"words"};
    const counts out;
    files.count_words(p, out);
    const auto r = simulate(p, {.seed = seed, .job = {.shards = shards, .bundle_rows = 16}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_EQ(by_word(out), by_word(expected)) << "seed " << seed;
    EXPECT_GT(counted(r.report, "read", "splits_given"), 1) << "seed " << seed;
    EXPECT_EQ(counted(r.report, "read", "splits_given"), counted(r.report, "read", "splits_taken"));
    std::uint64_t most = 0;
    std::uint64_t all = 0;
    for (const auto& s : r.report.shards)
      if (s.stage == "read") {
        most = std::max(most, s.elements_in);
        all += s.elements_in;
      }
    EXPECT_LT(most * 10, all * 9) << "seed " << seed << ": no shard has read the big file alone";
  }
}

TEST(rebalancing, words_are_counted_once_however_shards_die) {
  const one_big_file_and_many_small files;
  pipeline once{"words"};
  const counts expected;
  files.count_words(once, expected);
  run_direct(once);
  std::uint32_t rewinds = 0;
  std::int64_t given = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const auto shards = 2 + static_cast<std::uint32_t>(seed % 3);
    pipeline p{"words"};
    const counts out;
    files.count_words(p, out);
    std::vector<std::uint64_t> epochs;
    for (std::uint64_t i = 0; i < 20; ++i) epochs.push_back(40 + seed * 7 % 31 + i * 61);
    const auto r = simulate(p, {.seed = seed,
                                .job = {.shards = shards, .checkpoint_every = 1h, .streaming = true, .bundle_rows = 64},
                                .kills = {{100 + seed * 13 % 700, 0, static_cast<std::uint32_t>(seed % shards)},
                                          {300 + seed * 31 % 900, static_cast<stage_id>(seed % 2), 0}},
                                .epochs = epochs});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    ASSERT_EQ(by_word(out), by_word(expected)) << "seed " << seed;
    ASSERT_EQ(counted(r.report, "read", "splits_given"), counted(r.report, "read", "splits_taken"));
    rewinds += r.report.rewinds;
    given += counted(r.report, "read", "splits_given");
  }
  EXPECT_GT(rewinds, seeds(100)) << "most kills hit a running shard";
  EXPECT_GT(given, static_cast<std::int64_t>(seeds(100)));
}

TEST(rebalancing, numbers_that_a_shard_has_not_come_to_are_taken_over) {
  std::int64_t given = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    pipeline p{"numbers"};
    const recording<std::int64_t> out;
    p | sequence("numbers", {.to = 30'000}) | collect("out", out);
    const auto r = simulate(p, {.seed = seed, .job = {.shards = 3, .bundle_rows = 16}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    auto values = out.values();
    std::ranges::sort(values);
    ASSERT_EQ(values.size(), 30'000U) << "seed " << seed;
    for (std::int64_t i = 0; i < 30'000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i) << "seed " << seed;
    given += counted(r.report, "numbers", "splits_given");
  }
  EXPECT_GT(given, 0) << "some shard has had its turn less often than another";
}

// Emits the offsets below its element.
struct offsets_below {
  using output = std::int64_t;
  static offset_range initial_restriction(std::int64_t n) { return {0, n}; }
  static void process(std::int64_t /*n*/, tracker<offset_range>& range, emitter<std::int64_t>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) out(i);
  }
};
std::vector<std::int64_t> all_offsets(const std::vector<std::int64_t>& below) {
  std::vector<std::int64_t> all;
  for (const auto n : below)
    for (std::int64_t i = 0; i < n; ++i) all.push_back(i);
  std::ranges::sort(all);
  return all;
}

TEST(rebalancing, idle_shards_take_over_a_part_of_a_long_restriction) {
  const std::vector<std::int64_t> sizes{60'000, 3, 0, 70, 1};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    pipeline p{"offsets"};
    const recording<std::int64_t> out;
    p | create("sizes", sizes) | par_do_splittable("count", offsets_below{}, {.claims_max = 8}) | collect("out", out);
    const auto shards = 2 + static_cast<std::uint32_t>(seed % 3);
    const auto r = simulate(p, {.seed = seed, .job = {.shards = shards}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    auto values = out.values();
    std::ranges::sort(values);
    EXPECT_EQ(values, all_offsets(sizes)) << "seed " << seed;
    EXPECT_GT(counted(r.report, "count/process", "splits_given"), 0) << "seed " << seed;
    EXPECT_EQ(counted(r.report, "count/process", "splits_given"), counted(r.report, "count/process", "splits_taken"));
  }
}

TEST(rebalancing, parts_of_restrictions_are_worked_off_once_however_shards_die) {
  const std::vector<std::int64_t> sizes{20'000, 3, 9000, 0, 70, 1};
  std::uint32_t rewinds = 0;
  std::int64_t given = 0;
  for (std::uint64_t seed = 1; seed <= seeds(150); ++seed) {
    pipeline p{"offsets"};
    const recording<std::int64_t> out;
    p | create("sizes", sizes) | par_do_splittable("count", offsets_below{}, {.claims_max = 2}) | collect("out", out);
    const auto shards = 2 + static_cast<std::uint32_t>(seed % 3);
    std::vector<std::uint64_t> epochs;
    for (std::uint64_t i = 0; i < 12; ++i) epochs.push_back(30 + seed * 7 % 31 + i * 43);
    const auto r = simulate(p, {.seed = seed,
                                .job = {.shards = shards, .checkpoint_every = 1h, .streaming = true},
                                .kills = {{60 + seed * 13 % 200, 1, static_cast<std::uint32_t>(seed % shards)},
                                          {150 + seed * 31 % 300, 1, 0}},
                                .epochs = epochs});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    auto values = out.values();
    std::ranges::sort(values);
    ASSERT_EQ(values, all_offsets(sizes)) << "seed " << seed;
    ASSERT_EQ(counted(r.report, "count/process", "splits_given"), counted(r.report, "count/process", "splits_taken"));
    rewinds += r.report.rewinds;
    given += counted(r.report, "count/process", "splits_given");
  }
  EXPECT_GT(rewinds, seeds(100)) << "most kills hit a running shard";
  EXPECT_GT(given, static_cast<std::int64_t>(seeds(100)));
}

TEST(rebalancing, what_a_shard_takes_over_is_never_late) {
  const std::vector<std::int64_t> sizes{9000, 2000, 4000, 1, 300, 7000, 50};
  std::int64_t given = 0;
  for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
    pipeline p{"offsets"};
    const recording<std::uint64_t> out;
    p | create("sizes", sizes) | with_timestamps("at", [](std::int64_t n) { return timestamp{n}; })
        | par_do_splittable("count", offsets_below{}, {.claims_max = 2})
        | window_into("windows", {.into = fixed(100ms)}) | map("hide", [](std::int64_t) { return 0; })
        | count_per_element("in a window") | map("counts", [](const kv<int, std::uint64_t>& row) { return row.value; })
        | collect("out", out);
    const auto r =
        simulate(p, {.seed = seed, .job = {.shards = 2 + static_cast<std::uint32_t>(seed % 3), .streaming = true}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    auto values = out.values();
    std::ranges::sort(values);
    EXPECT_EQ(values, (std::vector<std::uint64_t>{51, 300, 2000, 4000, 7000, 9000})) << "seed " << seed;
    given += counted(r.report, "count/process", "splits_given");
  }
  EXPECT_GT(given, static_cast<std::int64_t>(seeds(20)));
}

}  // namespace
}  // namespace millrace::rebalancing_test
