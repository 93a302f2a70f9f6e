#include <millrace/actors/engine.hpp>
#include <millrace/actors/inlet.hpp>
#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/transforms/checkpoints/memory_checkpoints.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/window_into.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// A running job on threads gives way to a changed program while somebody goes on pushing elements.
namespace millrace::update_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using number = std::int64_t;

struct two_threads : caf::actor_system_config {
  two_threads() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

// Sums what an inlet is given, by remainder; the factor is the user's code, which an update may change.
struct sums {
  recording<kv<number, number>> out;
  pipeline p{"sums"};

  sums(const inlet<number>& door, const std::string& name, number factor) {
    p | door | with_keys("by remainder", [](number i) { return i % 10; })
        | map("scaled", [factor](const kv<number, number>& x) { return kv<number, number>{x.key, factor * x.value}; })
        | window_into("until the end", {.into = global_windows(), .fire = at_watermark(), .keep = panes::discarding})
        | combine_per_key(name, sum) | collect("sums", out);
  }
  [[nodiscard]] number total() const {
    number all = 0;
    for (const auto& s : out.values()) all += s.value;
    return all;
  }
};

constexpr number pushed = 3000;

void push(const inlet<number>& door, number from, number to) {
  for (number i = from; i < to; ++i)
    while (!door.push(i)) std::this_thread::yield();
}

const job_options often{.shards = 3, .checkpoint_every = std::chrono::milliseconds{5}};

TEST(threaded_update, the_new_program_goes_on_with_every_element_once) {
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers", {.elements_max = 500});
  const sums first(door, "sum", 1);
  const sums second(door, "total", 1);
  const job old = engine(system).launch(first.p, often);
  job_options options = often;
  options.transform_names = name_mapping{{{"sum", "total"}}};
  std::jthread pusher([&] { push(door, 0, pushed); });
  while (door.committed() < 100) std::this_thread::yield();
  const job now = engine(system).update(old, second.p, options);
  EXPECT_EQ(old.wait().state, job_state::updated);
  EXPECT_EQ(to_text(old.wait().state), "UPDATED");
  pusher.join();
  door.close();
  const job_report r = now.wait();
  ASSERT_EQ(r.state, job_state::done) << r.error;
  EXPECT_EQ(r.job, "sums");
  EXPECT_EQ(second.total(), pushed * (pushed - 1) / 2);
  EXPECT_EQ(first.total(), 0);
  EXPECT_EQ(r.metrics.at("by remainder").elements_in, static_cast<std::uint64_t>(pushed)) << "metrics go on too";
  EXPECT_EQ(door.committed(), door.pushed());
}

TEST(threaded_update, a_refused_job_runs_on_and_takes_checkpoints_again) {
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers");
  const sums first(door, "sum", 1);
  const sums second(door, "total", 1);
  const job old = engine(system).launch(first.p, often);
  push(door, 0, pushed / 2);
  for (int i = 0; i < 3; ++i) {
    try {
      static_cast<void>(engine(system).update(old, second.p, often));
      FAIL() << "\"sum\" is not mapped";
    } catch (const update_refused& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr("\"sums\""), HasSubstr("\"sum\""), HasSubstr("accumulator int64")));
    }
  }
  push(door, pushed / 2, pushed);
  while (door.committed() < static_cast<std::uint64_t>(pushed)) std::this_thread::yield();
  door.close();
  const job_report r = old.wait();
  ASSERT_EQ(r.state, job_state::done) << r.error;
  EXPECT_EQ(first.total(), pushed * (pushed - 1) / 2);
}

TEST(threaded_update, a_job_that_has_ended_or_is_drained_is_not_updated) {
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers");
  const sums first(door, "sum", 1);
  const job old = engine(system).launch(first.p, often);
  push(door, 0, 10);
  door.close();
  ASSERT_EQ(old.wait().state, job_state::done);
  try {
    static_cast<void>(engine(system).update(old, first.p, often));
    FAIL() << "it has ended";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("\"sums\""), HasSubstr("ended")));
  }
}

TEST(threaded_update, a_stopped_job_is_updated_from_its_checkpoints) {
  const temporary_folder at;
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers");
  const sums first(door, "sum", 1);
  const sums second(door, "total", 1);
  const auto run_first = [&] {
    job_options options = often;
    options.checkpoints = directory(at.path() / "kept");
    const job running = engine(system).launch(first.p, options);
    push(door, 0, 100);
    while (door.committed() < 100) std::this_thread::yield();
    running.cancel();
    static_cast<void>(running.wait());
  };
  run_first();
  push(door, 100, 200);
  door.close();
  const auto resumed = [&](const job_options& how) {
    job_options options = how;
    options.checkpoints = directory(at.path() / "kept");
    return engine(system).launch(second.p, options).wait();
  };
  EXPECT_THROW(static_cast<void>(resumed(often)), std::runtime_error) << "another program, and no update";
  job_options update = often;
  update.update = true;
  EXPECT_THROW(static_cast<void>(resumed(update)), update_refused);
  update.transform_names = name_mapping{{{"sum", "total"}}};
  const job_report r = resumed(update);
  ASSERT_EQ(r.state, job_state::done) << r.error;
  EXPECT_GT(r.resumed_from, 0U);
  EXPECT_EQ(second.total(), 200 * 199 / 2);
  EXPECT_EQ(resumed(update).state, job_state::done) << "a second start finds its own checkpoints";
}

// Keeps the newest epoch and counts them.
class counting_checkpoints final : public checkpoint_store {
 public:
  void write(const checkpoint& complete) override {
    kept_.write(complete);
    ++written_;
  }
  std::optional<checkpoint> newest() override { return kept_.newest(); }
  [[nodiscard]] bool outlives_process() const override { return false; }
  [[nodiscard]] std::string describe() const override { return "memory"; }
  [[nodiscard]] int written() const { return written_; }

 private:
  memory_checkpoints kept_;
  std::atomic<int> written_ = 0;
};

// A snapshot that takes long to write, and what the job has written meanwhile.
class slow_snapshot final : public checkpoint_store {
 public:
  explicit slow_snapshot(const counting_checkpoints& of) : of_(of) {}
  void write(const checkpoint& complete) override {
    const int before = of_.written();
    std::this_thread::sleep_for(std::chrono::milliseconds{60});
    written_meanwhile = of_.written() - before;
    epoch = complete.epoch;
  }
  std::optional<checkpoint> newest() override { return std::nullopt; }
  [[nodiscard]] bool outlives_process() const override { return false; }
  [[nodiscard]] std::string describe() const override { return "nowhere"; }

  int written_meanwhile = -1;
  std::uint64_t epoch = 0;

 private:
  const counting_checkpoints& of_;
};

// The epoch that is handed over stays the last one: a program that takes over goes on from there.
TEST(threaded_update, no_epoch_follows_the_one_that_is_handed_over_until_it_is_settled) {
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers");
  const sums first(door, "sum", 1);
  const auto kept = std::make_shared<counting_checkpoints>();
  job_options options = often;
  options.checkpoints = kept;
  const job running = engine(system).launch(first.p, options);
  push(door, 0, 10);
  while (kept->written() < 3) std::this_thread::yield();
  slow_snapshot slow(*kept);
  running.snapshot(slow);
  EXPECT_EQ(slow.written_meanwhile, 0);
  EXPECT_GE(slow.epoch, 3U);
  const int then = kept->written();
  while (kept->written() < then + 3) std::this_thread::yield();
  door.close();
  EXPECT_EQ(running.wait().state, job_state::done);
}

TEST(threaded_update, a_new_job_starts_from_a_snapshot_of_one_that_goes_on) {
  two_threads config;
  caf::actor_system system(config);
  const inlet<number> door("numbers");
  const sums first(door, "sum", 1);
  const job old = engine(system).launch(first.p, often);
  push(door, 0, 100);
  while (door.committed() < 100) std::this_thread::yield();
  const auto snapshot = std::make_shared<memory_checkpoints>();
  old.snapshot(*snapshot);
  ASSERT_TRUE(snapshot->newest());
  push(door, 100, 200);
  while (door.committed() < 200) std::this_thread::yield();  // it takes checkpoints again
  door.close();
  ASSERT_EQ(old.wait().state, job_state::done);
  EXPECT_EQ(first.total(), 200 * 199 / 2);
  EXPECT_THROW(old.snapshot(*snapshot), std::runtime_error) << "it has ended";

  // The old job has taken what came behind the snapshot out of the inlet, so another one follows.
  const inlet<number> other("numbers");
  const sums second(other, "total", 1);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(other.push(0));  // the position of the snapshot is behind these
  ASSERT_TRUE(other.push(1000));
  other.close();
  job_options options = often;
  options.name = "another";
  options.snapshot = snapshot;
  EXPECT_THROW(static_cast<void>(engine(system).launch(second.p, options)), update_refused);
  options.transform_names = name_mapping{{{"sum", "total"}}};
  const job_report r = engine(system).launch(second.p, options).wait();
  ASSERT_EQ(r.state, job_state::done) << r.error;
  EXPECT_EQ(r.job, "another");
  EXPECT_EQ(second.total(), 100 * 99 / 2 + 1000);

  options.snapshot = std::make_shared<memory_checkpoints>();
  EXPECT_THROW(static_cast<void>(engine(system).launch(second.p, options)), std::runtime_error) << "it is empty";
}

}  // namespace
}  // namespace millrace::update_test
