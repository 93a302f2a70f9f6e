#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/plan/explain.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/splittable/offset_range.hpp>
#include <millrace/transforms/state/cell.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace millrace::stable_input_test {
namespace {

using namespace std::chrono_literals;
using number = std::int64_t;
using pair = kv<number, number>;

// What the outside has seen: of each key every number that came with it, over all attempts.
using seen = std::map<number, std::set<number>>;

// Tells the outside each pair, as a call of a service would.
template <bool Stable>
class tells {
 public:
  static constexpr bool requires_stable_input = Stable;
  using output = pair;
  explicit tells(std::shared_ptr<seen> to) : to_(std::move(to)) {}
  auto cells() { return std::tie(times_); }
  void process(const pair& x, emitter<pair>& out) {
    (*to_)[x.key].insert(x.value);
    times_.set(times_.get() + 1);
    out(pair{x.key, times_.get()});
  }

 private:
  std::shared_ptr<seen> to_;
  value_state<number> times_{"times"};
};

// The same without state, told about its bundles or not; nothing says here how often it was called.
template <bool Stable, bool Bundles = false>
class passes {
 public:
  static constexpr bool requires_stable_input = Stable;
  using output = pair;
  explicit passes(std::shared_ptr<seen> to) : to_(std::move(to)) {}
  void start_bundle()
    requires Bundles
  {}
  void process(const pair& x, emitter<pair>& out) {
    (*to_)[x.key].insert(x.value);
    out(pair{x.key, 1});
  }

 private:
  std::shared_ptr<seen> to_;
};

// The same for each part of the range of one number that a pair means.
class passes_parts {
 public:
  static constexpr bool requires_stable_input = true;
  static constexpr bool bounded_per_element = true;
  using output = pair;
  explicit passes_parts(std::shared_ptr<seen> to) : to_(std::move(to)) {}
  offset_range initial_restriction(const pair& /*x*/) const { return {0, 1}; }
  void process(const pair& x, tracker<offset_range>& part, emitter<pair>& out) {
    if (!part.try_claim(0)) return;
    (*to_)[x.key].insert(x.value);
    out(pair{x.key, 1});
  }

 private:
  std::shared_ptr<seen> to_;
};

// Pairs of a number and one that is drawn anew each time: what a step before makes of its input differs after a rewind.
template <class Tell>
void tell_draws(pipeline& p, const Tell& tell, const recording<pair>& rows) {
  auto drawn = std::make_shared<number>(0);
  p | sequence("numbers", {.to = 60, .rate = 2000})
      | map("draw", [drawn](const number& n) { return pair{n, ++*drawn}; }) | tell | collect("rows", rows);
}

// Over many runs with a kill: how many keys came with more than one number. The results must be right in any case.
template <class Tell>
std::size_t keys_told_twice(std::uint64_t& rewinds, const Tell& tell_to) {
  std::size_t twice = 0;
  for (std::uint64_t at = 20; at <= 320; at += 4) {
    pipeline p{"draws"};
    const auto to = std::make_shared<seen>();
    const recording<pair> rows;
    tell_draws(p, tell_to(to), rows);
    const auto r = simulate(p, {.seed = at,
                                .job = {.shards = 2, .checkpoint_every = 5ms, .bundle_rows = 4},
                                .kills = {{at, at % 8 == 0 ? 0U : 1U, 1}}});
    EXPECT_EQ(r.report.state, job_state::done) << r.report.error;
    rewinds += r.report.rewinds;
    EXPECT_EQ(to->size(), 60U);
    EXPECT_EQ(rows.values().size(), 60U) << "killed at message " << at;
    for (const pair& row : rows.values()) EXPECT_EQ(row.value, 1) << row.key;
    twice += static_cast<std::size_t>(
        std::ranges::count_if(*to, [](const auto& of_key) { return of_key.second.size() > 1; }));
  }
  return twice;
}

TEST(stable_input, is_the_same_after_a_rewind_V7) {
  std::uint64_t rewinds = 0;
  EXPECT_EQ(keys_told_twice(rewinds, [](const auto& to) { return par_do("tell", tells<true>{to}); }), 0U);
  EXPECT_GT(rewinds, 20U) << "most kills hit a running shard";
}

TEST(stable_input, is_had_by_functions_without_state) {
  std::uint64_t rewinds = 0;
  EXPECT_EQ(keys_told_twice(rewinds, [](const auto& to) { return par_do("tell", passes<true>{to}); }), 0U);
  EXPECT_EQ(keys_told_twice(rewinds, [](const auto& to) { return par_do("tell", passes<true, true>{to}); }), 0U);
  EXPECT_EQ(keys_told_twice(rewinds, [](const auto& to) { return par_do_splittable("tell", passes_parts{to}); }), 0U);
  EXPECT_GT(rewinds, 60U) << "most kills hit a running shard";
}

TEST(stable_input, is_not_had_without_asking) {
  std::uint64_t rewinds = 0;
  EXPECT_GT(keys_told_twice(rewinds, [](const auto& to) { return par_do("tell", tells<false>{to}); }), 0U);
  EXPECT_GT(keys_told_twice(rewinds, [](const auto& to) { return par_do("tell", passes<false>{to}); }), 0U);
}

// What waits is the state of a step behind the function's name, and the function's stage begins there.
TEST(stable_input, of_a_function_without_state_is_a_step_of_its_own) {
  pipeline p{"draws"};
  const recording<pair> rows;
  tell_draws(p, par_do("tell", passes<true>{std::make_shared<seen>()}), rows);
  const std::string text = explain(p.description(), make_plan(p.description(), {.shards = 2}));
  EXPECT_NE(text.find("stage 1 \"tell/stable_input\", 2 shards, behind edges without keys\n"
                      "  tell/stable_input: stable input kv<int64,int64>\n  tell: par_do "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  -> stage 1 \"tell/stable_input\": kv<int64,int64>, spread\n"), std::string::npos) << text;
}

// The second step waits for the epoch behind that which the first one waits for.
TEST(stable_input, of_a_test_stream_comes_out_before_the_job_ends) {
  pipeline p{"draws"};
  const auto to = std::make_shared<seen>();
  const recording<pair> rows;
  test_stream<pair> input("input");
  input.add_at(timestamp{0}, {pair{1, 10}}).add_at(timestamp{1}, {pair{2, 20}});
  p | input | par_do("tell", tells<true>{to}) | par_do("again", tells<true>{to}) | par_do("pass", passes<true>{to})
      | collect("rows", rows);
  const auto r = simulate(p, {.job = {.shards = 2, .streaming = true}});
  EXPECT_EQ(r.report.state, job_state::done) << r.report.error;
  EXPECT_EQ(rows.values().size(), 2U);
}

TEST(stable_input, is_not_waited_for_where_nothing_rewinds) {
  pipeline p{"draws"};
  const auto to = std::make_shared<seen>();
  const recording<pair> rows;
  tell_draws(p, par_do("tell", passes<true>{to}), rows);
  run_direct(p);
  EXPECT_EQ(rows.values().size(), 60U);
}

}  // namespace
}  // namespace millrace::stable_input_test
