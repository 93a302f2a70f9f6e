#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace millrace::simulation_test {
namespace {

using counts = recording<kv<std::string, std::uint64_t>>;

void count_letters(pipeline& p, const counts& to) {
  std::vector<std::string> letters;
  for (int i = 0; i < 100; ++i) letters.emplace_back(1, static_cast<char>('a' + i % 7));
  p | create("letters", letters) | count_per_element("count") | collect("out", to);
}

std::vector<std::string> sorted(const counts& of) {
  std::vector<std::string> rows;
  for (const auto& r : of.values()) rows.push_back(r.key + std::to_string(r.value));
  std::ranges::sort(rows);
  return rows;
}

const std::vector<std::string> expected{"a15", "b15", "c14", "d14", "e14", "f14", "g14"};

TEST(simulation, equal_seeds_give_equal_runs_and_other_seeds_other_orders) {
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::uint64_t trace = 0;
    for (int again = 0; again < 2; ++again) {
      pipeline p{"letters"};
      const counts out;
      count_letters(p, out);
      const auto r = simulate(p, {.seed = seed, .job = {.shards = 3, .bundle_rows = 5}});
      ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
      EXPECT_EQ(sorted(out), expected) << "seed " << seed;
      if (again > 0) {
        EXPECT_EQ(r.trace, trace) << "seed " << seed;
      }
      trace = r.trace;
    }
    traces.insert(trace);
  }
  EXPECT_GE(traces.size(), 28U);
}

TEST(simulation, a_shard_that_dies_anywhere_costs_a_rewind_and_nothing_else) {
  std::uint32_t rewinds = 0;
  for (std::uint64_t at = 1; at <= 160; at += 3) {
    pipeline p{"letters"};
    const counts out;
    count_letters(p, out);
    const auto r =
        simulate(p, {.seed = at, .job = {.shards = 2, .bundle_rows = 5}, .kills = {{at, at % 2 == 0 ? 0U : 1U, 1}}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_EQ(sorted(out), expected) << "killed at message " << at;
    rewinds += r.report.rewinds;
  }
  EXPECT_GT(rewinds, 20U) << "most kills hit a running shard";
}

TEST(simulation, a_function_that_keeps_failing_fails_the_job_by_name) {
  pipeline p{"letters"};
  const counts out;
  p | create("letters", std::vector<std::string>{"a", "poison", "b"})
      | map("check",
            [](const std::string& s) {
              if (s == "poison") throw std::runtime_error("cannot stand it");
              return s;
            })
      | count_per_element("count") | collect("out", out);
  const auto r = simulate(p);
  EXPECT_EQ(r.report.state, job_state::failed);
  for (const char* part : {"check", "poison", "cannot stand it", "4"})
    EXPECT_NE(r.report.error.find(part), std::string::npos) << part << " in: " << r.report.error;
  EXPECT_TRUE(out.rows().empty());
}

// Says at the end of input how often its key came.
class counts_at_the_end {
 public:
  using output = kv<std::string, std::uint64_t>;
  auto cells() { return std::tie(seen_, end_); }
  void process(const kv<std::string, std::string>& /*letter*/, emitter<output>& /*out*/) {
    seen_.set(seen_.get() + 1);
    end_.set(timestamp::end_of_global_window());
  }
  void on_timer(const event_timer& /*end*/, const std::string& key, emitter<output>& out) {
    out(output{key, seen_.get()});
  }

 private:
  value_state<std::uint64_t> seen_{"seen"};
  event_timer end_{"end"};
};

// What a restored epoch lacks of a script would be lost.
TEST(simulation, refuses_kills_that_it_cannot_play) {
  pipeline scripted{"scripted"};
  scripted | test_stream<int>("script").add({1}).advance_watermark_to_infinity() | map("same", [](int i) { return i; });
  EXPECT_THROW(simulate(scripted, {.kills = {{5, 0, 0}}}), std::invalid_argument);
  EXPECT_EQ(simulate(scripted).report.state, job_state::done);
  pipeline p{"letters"};
  count_letters(p, counts{});
  EXPECT_THROW(simulate(p, {.kills = {{60, 0, 7}}}), std::invalid_argument);
}

TEST(simulation, due_timers_cross_an_edge_in_a_bundle) {
  for (const auto how : {edge_compression::none, edge_compression::zstd}) {
    pipeline p{"letters"};
    const counts out;
    std::vector<std::string> letters;
    for (int i = 0; i < 100; ++i) letters.emplace_back(1, static_cast<char>('a' + i % 7));
    p | create("letters", letters) | with_keys("by letter", [](const std::string& s) { return s; })
        | par_do("count", counts_at_the_end{}) | collect("out", out);
    const auto r = simulate(p, {.seed = 3, .job = {.shards = 2, .edges = how}});
    ASSERT_EQ(r.report.state, job_state::done) << r.report.error;
    EXPECT_EQ(sorted(out), expected);
    std::uint64_t timers = 0;
    for (const auto& e : r.report.edges) timers += e.traffic.timers;
    EXPECT_EQ(timers, 7U) << "one for each letter";
  }
}

}  // namespace
}  // namespace millrace::simulation_test
