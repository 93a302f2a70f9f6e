#include <millrace/actors/engine.hpp>
#include <millrace/actors/inlet.hpp>
#include <millrace/actors/outlet.hpp>
#include <millrace/io/checkpoint_directory.hpp>
#include <millrace/io/read_text.hpp>
#include <millrace/io/write_text.hpp>
#include <millrace/tests/io/temporary_folder.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/combining_state.hpp>
#include <millrace/transforms/window_into.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace millrace::job_test {
namespace {

struct two_threads : caf::actor_system_config {
  two_threads() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

constexpr std::int64_t pushed_by_each = 2000;

// Pushes the numbers from 1 on, waiting whenever the inlet is full.
void push_numbers(const inlet<std::int64_t>& door) {
  for (std::int64_t i = 1; i <= pushed_by_each; ++i)
    while (!door.push(i)) std::this_thread::yield();
}

TEST(threaded_job, an_inlet_takes_every_element_of_several_threads_once) {
  two_threads config;
  caf::actor_system system(config);
  pipeline p{"numbers"};
  const inlet<std::int64_t> door("numbers", {.elements_max = 500});
  const recording<kv<std::int64_t, std::int64_t>> sums;
  p | door | with_keys("by remainder", [](std::int64_t i) { return i % 10; })
      | window_into("until the end", {.into = global_windows(), .fire = at_watermark(), .keep = panes::discarding})
      | combine_per_key("sum", sum) | collect("sums", sums);
  const job running = engine(system).launch(p, {.shards = 3, .checkpoint_every = std::chrono::milliseconds{5}});
  {
    std::vector<std::jthread> pushers;
    for (int t = 0; t < 3; ++t) pushers.emplace_back([&] { push_numbers(door); });
  }
  door.close();
  EXPECT_FALSE(door.push(1)) << "a closed inlet takes nothing";
  const job_report r = running.wait();
  ASSERT_EQ(r.state, job_state::done) << r.error;
  std::int64_t total = 0;
  for (const auto& s : sums.values()) total += s.value;
  EXPECT_EQ(sums.rows().size(), 10U);
  EXPECT_EQ(total, 3 * pushed_by_each * (pushed_by_each + 1) / 2);
  EXPECT_EQ(door.pushed(), 3U * pushed_by_each);
  EXPECT_EQ(door.committed(), door.pushed());
}

// The running sum of each key.
struct running_sum {
  using output = std::int64_t;
  void process(const kv<std::string, std::int64_t>& x, emitter<std::int64_t>& out) {
    sum_.add(x.value);
    out(sum_.read());
  }
  auto cells() { return std::tie(sum_); }
  combining_state<sum_of<std::int64_t>> sum_{"sum"};
};

// One process after another, each with an inlet of its own.
TEST(threaded_job, goes_on_from_a_checkpoint_behind_all_that_earlier_inlets_were_given) {
  const temporary_folder at;
  two_threads config;
  const auto run = [&](std::int64_t value, std::uint64_t times, bool close) {
    caf::actor_system system(config);
    pipeline p{"sums"};
    const inlet<kv<std::string, std::int64_t>> door("in");
    const recording<std::int64_t> sums;
    p | door | par_do("sum", running_sum{}) | collect("sums", sums);
    job_options options{.shards = 2, .checkpoints = directory(at.path() / "kept")};
    options.checkpoint_every = std::chrono::milliseconds{5};
    const job running = engine(system).launch(p, options);
    for (std::uint64_t i = 0; i < times; ++i) EXPECT_TRUE(door.push({"a", value}));
    if (close) door.close();
    else
      while (door.committed() < times) std::this_thread::yield();
    if (!close) running.cancel();
    const job_report r = running.wait();
    EXPECT_EQ(r.state, close ? job_state::done : job_state::cancelled) << r.error;
    EXPECT_EQ(door.pushed(), times);
    EXPECT_EQ(door.committed(), times);
    return sums.values();
  };
  EXPECT_EQ(run(1, 3, false), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(run(10, 2, false), (std::vector<std::int64_t>{1, 2, 3, 13, 23})) << "the recording goes on too";
  EXPECT_EQ(run(100, 5, true), (std::vector<std::int64_t>{1, 2, 3, 13, 23, 123, 223, 323, 423, 523}));
}

TEST(threaded_job, is_not_launched_with_a_test_stream) {
  two_threads config;
  caf::actor_system system(config);
  pipeline p{"scripted"};
  p | test_stream<int>("script").add({1}).advance_watermark_to_infinity() | map("same", [](int i) { return i; });
  try {
    static_cast<void>(engine(system).launch(p));
    ADD_FAILURE() << "it was launched";
  } catch (const pipeline_error& e) {
    EXPECT_NE(std::string(e.what()).find("\"script\": a test stream is played by"), std::string::npos) << e.what();
  }
}

// A job's supervisor, checkpointer and store writer have threads of their own, until the job's handle is dropped.
std::ptrdiff_t threads_now() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(threaded_job, leaves_no_thread_behind) {
  two_threads config;
  caf::actor_system system(config);
  const std::ptrdiff_t before = threads_now();  // those of an earlier test may still end
  std::ptrdiff_t most = 0;
  for (int i = 0; i < 30; ++i) {
    pipeline p{"numbers"};
    const recording<std::int64_t> numbers;
    p | sequence("numbers", {.to = 10}) | collect("collected", numbers);
    ASSERT_EQ(engine(system).launch(p, {.shards = 1}).wait().state, job_state::done);
    most = std::max(most, threads_now() - before);
  }
  // Those of the last jobs may still be on their way out.
  EXPECT_LT(most, 30);
}

TEST(threaded_job, several_workers_read_count_and_write_files) {
  const temporary_folder at;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "word" + std::to_string(i % 17) + " common\n";
  for (int f = 0; f < 4; ++f) at.write("in" + std::to_string(f) + ".txt", text);

  two_threads config;
  caf::actor_system system(config);
  pipeline p{"words"};
  p | read_text("read", (at.path() / "in*.txt").string(), {.split_bytes = 4096})
      | flat_map("split",
                 [](const std::string& line, emitter<std::string>& out) {
                   const auto space = line.find(' ');
                   out(line.substr(0, space));
                   out(line.substr(space + 1));
                 })
      | count_per_element("count")
      | map("format", [](const kv<std::string, std::uint64_t>& c) { return c.key + " " + std::to_string(c.value); })
      | write_text("write", (at.path() / "out").string());
  const job_report r = engine(system).launch(p, {.shards = 4, .bundle_rows = 100}).wait();
  ASSERT_EQ(r.state, job_state::done) << r.error;

  std::vector<std::string> lines;
  for (const auto& file : std::filesystem::directory_iterator(at.path())) {
    if (!file.path().filename().string().starts_with("out-")) continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  std::ranges::sort(lines);
  ASSERT_EQ(lines.size(), 18U);
  EXPECT_EQ(lines.front(), "common 12000");
  EXPECT_EQ(lines[1], "word0 708") << "177 times in each of four files";
  EXPECT_EQ(lines.back(), "word9 704");
}

TEST(threaded_job, delivers_every_element_to_an_actor_and_fails_once_that_is_gone) {
  two_threads config;
  caf::actor_system system(config);
  std::atomic<std::int64_t> received{0};
  auto receiver =
      system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](std::int64_t i) { received += i; }}; });
  pipeline p{"deliveries"};
  const inlet<std::int64_t> door("numbers");
  p | door | map("twice", [](std::int64_t i) { return 2 * i; }) | deliver_to("deliver", receiver);
  const job running = engine(system).launch(p, {.shards = 2});
  push_numbers(door);
  while (received < pushed_by_each * (pushed_by_each + 1)) std::this_thread::yield();
  caf::anon_send_exit(receiver, caf::exit_reason::kill);
  receiver = nullptr;
  while (!running.wait_for(std::chrono::milliseconds{5})) door.push(1);
  const job_report r = running.wait();
  EXPECT_EQ(r.state, job_state::failed);
  EXPECT_NE(r.error.find("deliver"), std::string::npos) << r.error;
  EXPECT_NE(r.error.find("ended"), std::string::npos) << r.error;
}

}  // namespace
}  // namespace millrace::job_test
