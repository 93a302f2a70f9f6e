#include <millrace/actors/shard_core.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace millrace::shard_core_test {
namespace {

// All shards of a plan in a loop: what the actors do with messages, done with queues.
class shard_loop {
 public:
  shard_loop(const pipeline& p, std::uint32_t shards, std::uint64_t generation, bool pack = false)
      : graph_(p.description()), plan_(make_plan(graph_, {.shards = shards})) {
    for (const stage_plan& s : plan_.stages) {
      auto& stage = shards_.emplace_back();
      for (std::uint32_t i = 0; i < s.shards; ++i) {
        auto one = std::make_unique<place>(*this, s.id, i);
        shard_options o;
        o.stage = s.id;
        o.generation = generation;
        o.pack = pack;
        o.instance.shard = i;
        o.instance.bundle_rows_max = 2;
        one->core = std::make_unique<shard_core>(graph_, plan_, o, *one);
        stage.push_back(std::move(one));
      }
    }
  }

  struct place final : shard_surroundings {
    place(shard_loop& l, stage_id s, std::uint32_t i) : loop(l), stage(s), shard(i) {}
    void deliver(edge_id edge, std::uint32_t to, shipment rows) override {
      if (rows.rows) loop.delivered_rows += rows.rows->rows;
      loop.shards_[loop.plan_.edges[edge].to][to]->core->receive(std::move(rows));
    }
    void grant(edge_id edge, std::uint32_t sender, credit_grant credit) override {
      loop.shards_[loop.plan_.edges[edge].from][sender]->core->granted(std::move(credit));
    }
    void snapshot_taken(std::uint64_t epoch, std::string bytes) override {
      loop.parts[epoch].push_back({{stage, shard}, std::move(bytes)});
    }
    void finished() override { ++loop.finished; }

    shard_loop& loop;
    stage_id stage;
    std::uint32_t shard;
    std::unique_ptr<shard_core> core;
  };

  void start() {
    for (auto& stage : shards_)
      for (auto& s : stage) s->core->start(timestamp{0}, std::nullopt);
  }
  void restore(std::uint64_t epoch) {
    for (auto& [at, bytes] : saved)
      if (at.first == epoch) shards_[at.second.first][at.second.second]->core->start(timestamp{0}, bytes);
  }
  // At most `units` of work, in turns.
  std::size_t run(std::size_t units = SIZE_MAX) {
    std::size_t done = 0;
    for (bool worked = true; worked && done < units;) {
      worked = false;
      for (auto& stage : shards_)
        for (auto& s : stage)
          if (done < units && s->core->work(timestamp{0})) {
            worked = true;
            ++done;
          }
    }
    return done;
  }
  void barrier(std::uint64_t epoch) {
    for (const stage_plan& s : plan_.stages)
      if (s.inputs.empty())
        for (auto& shard : shards_[s.id]) shard->core->inject_barrier(epoch);
  }
  void commit(std::uint64_t epoch) {
    for (auto& stage : shards_)
      for (auto& s : stage) s->core->commit(epoch, timestamp{0});
  }
  [[nodiscard]] std::size_t shards() const {
    std::size_t n = 0;
    for (const auto& stage : shards_) n += stage.size();
    return n;
  }
  shard_core& core(stage_id stage, std::uint32_t shard) { return *shards_[stage][shard]->core; }

  std::map<std::uint64_t, std::vector<std::pair<std::pair<stage_id, std::uint32_t>, std::string>>> parts;
  std::vector<std::pair<std::pair<std::uint64_t, std::pair<stage_id, std::uint32_t>>, std::string>> saved;
  std::size_t finished = 0;
  std::size_t delivered_rows = 0;

 private:
  const graph& graph_;
  plan plan_;
  std::vector<std::vector<std::unique_ptr<place>>> shards_;
};

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

TEST(shard_core, every_shard_count_gives_the_counts_once_the_last_epoch_is_committed) {
  for (const std::uint32_t shards : {1U, 3U}) {
    pipeline p{"letters"};
    const counts out;
    count_letters(p, out);
    shard_loop loop(p, shards, 1);
    loop.start();
    loop.run();
    EXPECT_EQ(loop.finished, loop.shards());
    EXPECT_TRUE(out.rows().empty()) << "effects appear only with their epoch";
    loop.barrier(1);
    loop.run();
    EXPECT_EQ(loop.parts[1].size(), loop.shards());
    loop.commit(1);
    EXPECT_EQ(sorted(out), expected);
  }
}

TEST(shard_core, packed_bundles_say_the_same) {
  pipeline p{"letters"};
  const counts out;
  count_letters(p, out);
  shard_loop loop(p, 2, 1, true);
  loop.start();
  loop.run();
  loop.barrier(1);
  loop.run();
  loop.commit(1);
  EXPECT_EQ(sorted(out), expected);
  EXPECT_EQ(loop.delivered_rows, 0U) << "no bundle travels unpacked";
}

TEST(shard_core, a_new_generation_continues_from_any_barrier) {
  for (std::size_t before = 0; before < 60; before += 3) {
    pipeline p{"letters"};
    const counts out;
    count_letters(p, out);
    shard_loop first(p, 2, 1);
    first.start();
    first.run(before);
    first.barrier(1);
    first.run(200);
    ASSERT_EQ(first.parts[1].size(), first.shards());
    first.commit(1);

    shard_loop second(p, 2, 2);
    for (auto& [at, bytes] : first.parts[1]) second.saved.push_back({{1, at}, bytes});
    second.restore(1);
    second.commit(1);
    second.run();
    second.barrier(2);
    second.run();
    second.commit(2);
    EXPECT_EQ(sorted(out), expected) << "after " << before << " units of work";
  }
}

TEST(shard_core, drops_what_an_older_generation_sent_and_notices_a_lost_bundle) {
  pipeline p{"letters"};
  const counts out;
  count_letters(p, out);
  shard_loop loop(p, 1, 5);
  loop.start();
  shard_core& consumer = loop.core(1, 0);
  auto stray = std::make_shared<bundle>();
  stray->clear(column::variable, column::variable);
  stray->header.generation = 4;
  consumer.receive({4, stray, nullptr, 0});
  EXPECT_EQ(consumer.queued_bytes(), 0U);
  stray->header.generation = 5;
  stray->header.sequence = 1;
  EXPECT_THROW(consumer.receive({5, stray, nullptr, 0}), broken_invariant);
}

// Keeps what a shard sends.
struct sent_shipments final : shard_surroundings {
  void deliver(edge_id /*edge*/, std::uint32_t /*to*/, shipment rows) override {
    marks.push_back(rows.rows->header.mark.at);
  }
  void grant(edge_id /*edge*/, std::uint32_t /*sender*/, credit_grant /*credit*/) override {}
  void snapshot_taken(std::uint64_t /*epoch*/, std::string /*bytes*/) override {}
  void finished() override {}

  std::vector<timestamp> marks;
};

TEST(shard_core, tells_its_watermark_though_its_inbox_never_runs_dry) {
  pipeline p{"letters"};
  p | create<std::string>("letters", {"a"}) | count_per_element("count") | reshuffle("on") | collect("out", counts{});
  const plan stages = make_plan(p.description(), {.shards = 1});
  shard_options o;
  o.stage = 1;
  o.generation = 1;
  sent_shipments sent;
  shard_core count(p.description(), stages, o, sent);
  count.start(timestamp{0}, std::nullopt);
  std::uint64_t sequence = 0;
  const auto push = [&] {
    auto b = std::make_shared<bundle>();
    b->clear(column::variable, column_width<std::uint64_t>);
    b->header.generation = 1;
    b->header.edge = stages.stages[1].inputs.front();
    b->header.sequence = sequence++;
    b->header.mark = {timestamp{static_cast<std::int64_t>(sequence)}, false};
    count.receive({1, b, nullptr, 0});
  };
  push();
  for (int i = 0; i < 40; ++i) {
    push();
    ASSERT_TRUE(count.work(timestamp{0}));
  }
  ASSERT_GE(sent.marks.size(), 4U);
  EXPECT_GT(sent.marks.back(), timestamp{30});
}

}  // namespace
}  // namespace millrace::shard_core_test
