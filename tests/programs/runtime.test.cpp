#include <millrace/actors/engine.hpp>
#include <millrace/actors/inlet.hpp>
#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/plan/plan.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <set>
#include <thread>

// What the actor runtime promises about its actors, its memory and its ends.
namespace millrace::programs::runtime_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;
using ::testing::HasSubstr;

struct two_threads : caf::actor_system_config {
  two_threads() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

// Looks at a job until it is as it should be, or has ended.
job_report await(const job& of, const std::function<bool(const job_report&)>& condition) {
  while (true) {
    job_report now = of.status();
    if (condition(now) || now.state != job_state::running) return now;
    if (of.wait_for(2ms)) return of.status();
  }
}

std::vector<shard_report> shards_of(const job_report& report, const text& stage) {
  std::vector<shard_report> found;
  for (const auto& s : report.shards)
    if (s.stage == stage) found.push_back(s);
  return found;
}

number elements_in(const job_report& report, const text& stage) {
  number all = 0;
  for (const auto& s : shards_of(report, stage)) all += static_cast<number>(s.elements_in);
  return all;
}

TEST(shards_are_real, each_stage_has_its_actors_and_a_killed_one_costs_a_rewind) {
  constexpr std::uint32_t shards = 4;
  constexpr number numbers = 2000;
  pipeline p("real shards");
  const inlet<number> door("door");
  const recording<kv<number, number>> sums;
  const recording<kv<number, std::uint64_t>> counts;
  const auto keyed =
      p | door | window_into("everything", {.fire = repeatedly(after_count(1'000'000)), .keep = panes::accumulating})
      | with_keys("by rest", [](number n) { return n % 64; });
  keyed | combine_per_key("sum", sum) | collect("sums", sums);
  keyed | count_per_key("count") | collect("counts", counts);
  two_threads config;
  caf::actor_system system(config);
  const job running = engine(system).launch(p, {.shards = shards, .checkpoint_every = 5ms, .bundle_rows = 10});
  for (number n = 0; n < numbers; ++n) ASSERT_TRUE(door.push(n, timestamp{n}));
  const auto has_all = [](const job_report& r) {
    return elements_in(r, "sum") == numbers && elements_in(r, "count") == numbers;
  };
  const job_report full = await(running, has_all);
  ASSERT_EQ(full.state, job_state::running) << full.error;
  std::set<std::uint64_t> actors;
  for (const char* stage : {"sum", "count"})
    for (const auto& s : shards_of(full, stage)) {
      EXPECT_GT(s.elements_in, 0U) << stage << " " << s.shard;
      actors.insert(s.actor);
    }
  EXPECT_EQ(actors.size(), 2 * shards);

  const auto stages = make_plan(p.description(), {.shards = shards}).stages;
  std::uint32_t kills = 0;
  for (const auto& stage : stages) {
    if (stage.begin != stage_begin::keyed) continue;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
      caf::anon_send_exit(running.shard_actors().at(stage.id).at(shard), caf::exit_reason::kill);
      ++kills;
      const job_report after =
          await(running, [&](const job_report& r) { return r.rewinds == kills && r.epoch > 0 && has_all(r); });
      ASSERT_EQ(after.state, job_state::running) << after.error;
    }
  }
  EXPECT_EQ(kills, 2 * shards);
  for (number n = numbers; n < 2 * numbers; ++n) ASSERT_TRUE(door.push(n, timestamp{n}));
  door.close();
  const job_report result = running.wait();
  ASSERT_EQ(result.state, job_state::done) << result.error;
  EXPECT_EQ(result.rewinds, kills);
  std::map<number, number> expected;
  for (number n = 0; n < 2 * numbers; ++n) expected[n % 64] += n;
  std::map<number, number> found;
  for (const auto& row : sums.rows()) found[row.value.key] += row.value.value;
  EXPECT_EQ(found, expected);
  EXPECT_EQ(counts.rows().size(), 64U);
}

// Texts that can be compressed, counted by their rest.
void count_texts(pipeline& p, const recording<kv<text, std::uint64_t>>& to) {
  std::vector<text> lines;
  for (int i = 0; i < 4000; ++i)
    lines.push_back("the same long beginning of every line, number " + std::to_string(i % 50));
  p | create("lines", lines) | reshuffle("spread") | count_per_element("count") | collect("out", to);
}

TEST(edges, send_less_than_their_raw_bytes_with_zstd_and_as_much_without) {
  for (const auto how : {edge_compression::none, edge_compression::zstd}) {
    pipeline p("edges");
    recording<kv<text, std::uint64_t>> counts;
    count_texts(p, counts);
    const job_report report = simulate(p, {.job = {.shards = 3, .edges = how}}).report;
    ASSERT_EQ(report.state, job_state::done) << report.error;
    ASSERT_EQ(report.edges.size(), 2U);
    for (const auto& edge : report.edges) {
      EXPECT_EQ(edge.traffic.rows, 4000U) << edge.from << " to " << edge.to;
      EXPECT_GT(edge.traffic.raw_bytes, 4000U * 30) << edge.from << " to " << edge.to;
      if (how == edge_compression::zstd) {
        EXPECT_EQ(edge.codec, "zstd");
        EXPECT_LT(edge.traffic.sent_bytes, edge.traffic.raw_bytes / 2) << edge.from << " to " << edge.to;
      } else {
        EXPECT_EQ(edge.codec, "none");
        EXPECT_EQ(edge.traffic.sent_bytes, edge.traffic.raw_bytes) << edge.from << " to " << edge.to;
      }
    }
  }
}

// The most that one shard may hold: what each sender may have under way, overdrawn by a bundle, and of its own rows the
// bundles of one unit of work that wait for credit.
std::size_t queue_bound(std::size_t window_bytes, std::uint32_t senders, std::size_t bundle_bytes) {
  return senders * (window_bytes + bundle_bytes) + 5 * bundle_bytes;
}

constexpr std::size_t window_bytes = 8 * 1024;
constexpr std::uint32_t bundle_rows = 16;
constexpr std::size_t row_bytes = 100;
constexpr std::size_t bundle_bytes = bundle_rows * (row_bytes + 64);  // with what describes the rows

text row_text(number n) {
  return text(row_bytes - 12, 'x') + std::to_string(100'000'000'000 + n);
}

TEST(memory, stays_within_the_windows_of_the_edges_in_any_order) {
  constexpr number rows = 100 * window_bytes / row_bytes;
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    pipeline p("bounded");
    recording<std::uint64_t> count;
    p | sequence("numbers", {.to = rows}) | map("texts", row_text) | reshuffle("spread")
        | map("same", [](const text& x) { return x; }) | reshuffle("spread again") | count_globally("count")
        | collect("out", count);
    const job_report report =
        simulate(p, {.seed = seed, .job = {.shards = 3, .edge_window_bytes = window_bytes, .bundle_rows = bundle_rows}})
            .report;
    ASSERT_EQ(report.state, job_state::done) << report.error;
    EXPECT_EQ(count.values(), std::vector<std::uint64_t>{static_cast<std::uint64_t>(rows)});
    for (const auto& s : report.shards) {
      EXPECT_LT(s.queued_bytes_max, queue_bound(window_bytes, 3, bundle_bytes)) << s.stage << " with seed " << seed;
      most = std::max(most, s.queued_bytes_max);
    }
  }
  EXPECT_GT(most, window_bytes / 2) << "the windows must have been used";
}

TEST(memory, stays_bounded_while_a_sink_stands_still) {
  constexpr number rows = 100 * window_bytes / row_bytes;
  auto made = std::make_shared<std::atomic<number>>(0);
  auto opened = std::make_shared<std::latch>(1);
  pipeline p("slow sink");
  recording<std::uint64_t> count;
  p | sequence("numbers", {.to = rows})
      | map("texts",
            [made](number n) {
              made->fetch_add(1);
              return row_text(n);
            })
      | reshuffle("spread")
      | map("stand still",
            [opened](const text& x) {
              opened->wait();
              return x;
            })
      | count_globally("count") | collect("out", count);
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing")).set("scheduler.max-threads", std::size_t{4});
  caf::actor_system system(config);
  const job running =
      engine(system).launch(p, {.shards = 2, .edge_window_bytes = window_bytes, .bundle_rows = bundle_rows});
  // The senders go on until their windows are used up, two for each of two receivers.
  while (*made < static_cast<number>(2 * window_bytes / row_bytes)) std::this_thread::yield();
  for (int look = 0; look < 20; ++look) static_cast<void>(running.wait_for(5ms));
  const auto stopped_at = static_cast<std::size_t>(*made);
  opened->count_down();
  const job_report report = running.wait();
  ASSERT_EQ(report.state, job_state::done) << report.error;
  EXPECT_EQ(count.values(), std::vector<std::uint64_t>{static_cast<std::uint64_t>(rows)});
  EXPECT_LT(stopped_at * row_bytes, 2 * queue_bound(window_bytes, 2, bundle_bytes)) << "of " << rows << " rows";
  for (const auto& s : report.shards)
    EXPECT_LT(s.queued_bytes_max, queue_bound(window_bytes, 2, bundle_bytes)) << s.stage;
}

// Throws for the number 9 until it has been called as often as it is told to.
class unwilling {
 public:
  explicit unwilling(int failures) : failures_(failures) {}
  number operator()(number n) {
    if (n == 9 && ++calls_ <= failures_) throw std::runtime_error("not in the mood");
    return n;
  }

 private:
  int failures_;
  int calls_ = 0;
};

void sum_unwillingly(pipeline& p, const recording<number>& to, int failures) {
  p | sequence("numbers", {.from = 1, .to = 31}) | map("hesitate", unwilling(failures)) | combine_globally("sum", sum)
      | collect("out", to);
}

TEST(failures, that_pass_are_forgotten) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    pipeline p("transient");
    recording<number> out;
    sum_unwillingly(p, out, 3);
    const auto result = simulate(p, {.seed = seed, .job = {.shards = 3, .bundle_rows = 4}});
    ASSERT_EQ(result.report.state, job_state::done) << result.report.error;
    EXPECT_EQ(out.values(), std::vector<number>{465});
  }
  pipeline p("transient");
  recording<number> out;
  sum_unwillingly(p, out, 3);
  run_direct(p);
  EXPECT_EQ(out.values(), std::vector<number>{465});
}

TEST(failures, that_stay_end_the_job_with_step_element_cause_and_attempts) {
  const auto judge = [](const text& error) {
    for (const char* part : {"\"hesitate\"", "element 9", "not in the mood", "4 attempts"})
      EXPECT_THAT(error, HasSubstr(part));
  };
  two_threads config;
  caf::actor_system system(config);
  for (const std::uint32_t shards : {1U, 2U, 5U}) {
    pipeline p("lasting");
    recording<number> out;
    sum_unwillingly(p, out, 4);
    const job_report report = engine(system).launch(p, {.shards = shards}).wait();
    EXPECT_EQ(report.state, job_state::failed);
    EXPECT_EQ(report.rewinds, 0U) << "its attempts were bounded already";
    judge(report.error);
    EXPECT_TRUE(out.rows().empty());
  }
  pipeline p("lasting");
  recording<number> out;
  sum_unwillingly(p, out, 4);
  try {
    run_direct(p);
    ADD_FAILURE() << "the direct runner throws what the function threw";
  } catch (const std::exception& error) {
    judge(error.what());
  }
}

void count_forever(pipeline& p, const recording<kv<number, std::uint64_t>>& to) {
  p | sequence("numbers", {.rate = 20'000, .time_of = [](number n) { return timestamp{n}; }})
      | window_into("windows", {.into = fixed(100ms)}) | with_keys("by rest", [](number n) { return n % 10; })
      | count_per_key("count") | collect("out", to);
}

std::uint64_t counted(const recording<kv<number, std::uint64_t>>& rows) {
  std::uint64_t all = 0;
  for (const auto& r : rows.rows()) all += r.value.value;
  return all;
}

TEST(endless_job, when_drained_gives_out_everything_it_has_read) {
  pipeline p("drained");
  recording<kv<number, std::uint64_t>> counts;
  count_forever(p, counts);
  two_threads config;
  caf::actor_system system(config);
  const job running = engine(system).launch(p, {.shards = 3, .checkpoint_every = 10ms});
  await(running, [](const job_report& r) { return elements_in(r, "count") > 1000; });
  running.drain();
  const job_report report = running.wait();
  EXPECT_EQ(report.state, job_state::drained) << report.error;
  EXPECT_GT(counted(counts), 1000U);
  EXPECT_EQ(counted(counts), report.metrics.at("numbers").elements_out);
}

TEST(endless_job, when_cancelled_stops_and_shows_no_more_than_was_committed) {
  pipeline p("cancelled");
  recording<kv<number, std::uint64_t>> counts;
  count_forever(p, counts);
  two_threads config;
  caf::actor_system system(config);
  const job running = engine(system).launch(p, {.shards = 3, .checkpoint_every = 10ms});
  await(running, [](const job_report& r) { return r.epoch >= 3 && elements_in(r, "count") > 1000; });
  running.cancel();
  const job_report report = running.wait();
  EXPECT_EQ(report.state, job_state::cancelled);
  EXPECT_FALSE(report.succeeded());
  EXPECT_LE(counted(counts), report.metrics.at("numbers").elements_out);
  EXPECT_EQ(running.wait().state, job_state::cancelled) << "the result stays";
}

}  // namespace
}  // namespace millrace::programs::runtime_test
