#include <millrace/actors/engine.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/sources/write.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace millrace::slow_sink_test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;
constexpr std::size_t row_bytes = kibibyte;
constexpr std::uint32_t bundle_rows = 16;
constexpr std::size_t window_bytes = 256 * kibibyte;
// A window may be overdrawn by one bundle, whose rows have a few bytes besides their own.
constexpr std::size_t bound_bytes = window_bytes + 2 * bundle_rows * row_bytes;

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:" && status >> word) return std::stoull(word) * kibibyte;
  return 0;
}

// What the sink has seen, read once the job is over.
struct sink_account {
  std::uint64_t rows = 0;
  std::uint64_t checksum = 0;
  std::size_t resident_bytes_max = 0;
  std::uint64_t epochs = 0;  // committed before the last row came
};

// A sink that takes much longer for a row than a source does, and looks now and then at how much memory there is.
class slow_sink {
 public:
  using element = std::string;
  slow_sink(std::shared_ptr<sink_account> account, std::int64_t rows_max)
      : account_(std::move(account)), rows_max_(static_cast<std::uint64_t>(rows_max)) {}

  class slow_writer {
   public:
    slow_writer(std::shared_ptr<sink_account> account, std::uint64_t rows_max)
        : account_(std::move(account)), rows_max_(rows_max) {}
    void write(const std::string& row, timestamp /*at*/, const context& /*in*/) {
      constexpr int rounds = 10;
      for (int i = 0; i < rounds; ++i)
        for (const char c : row) account_->checksum = account_->checksum * 31 + static_cast<unsigned char>(c);
      if (account_->rows++ % 100 == 0)
        account_->resident_bytes_max = std::max(account_->resident_bytes_max, resident_bytes());
    }
    void prepare(std::uint64_t /*epoch*/) {}
    void commit(std::uint64_t /*epoch*/) {
      if (account_->rows < rows_max_) ++account_->epochs;
    }
    void abort() {}
    void snapshot(writer& /*to*/) const {}
    void restore(reader& /*from*/) {}

   private:
    std::shared_ptr<sink_account> account_;
    std::uint64_t rows_max_;
  };

  [[nodiscard]] slow_writer open(const operator_environment& /*in*/) const { return {account_, rows_max_}; }
  [[nodiscard]] std::string describe() const { return "a slow sink"; }

 private:
  std::shared_ptr<sink_account> account_;
  std::uint64_t rows_max_;
};

struct outcome {
  std::size_t queued_bytes_max = 0;
  std::size_t resident_bytes_max = 0;
  std::uint64_t epochs = 0;
};

// Gives all numbers below its element, in calls without an end of their own.
struct numbers_below {
  using output = std::int64_t;
  static offset_range initial_restriction(std::int64_t n) { return {0, n}; }
  static void process(std::int64_t /*n*/, tracker<offset_range>& range, emitter<std::int64_t>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) out(i);
  }
};
enum class reading { source, splittable };

pcollection<std::int64_t> numbers(pipeline& p, reading how, std::int64_t to) {
  if (how == reading::source) return p | sequence("numbers", {.from = 0, .to = to});
  return p | create("to", {to}) | par_do_splittable("numbers", numbers_below{}, {.claims_max = bundle_rows});
}

// Offers so many times the window to the sink, as fast as it can be taken.
outcome offered(std::uint64_t windows, std::chrono::milliseconds checkpoint_every = 1s, reading how = reading::source) {
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", std::size_t{2});
  caf::actor_system system(config);
  const auto account = std::make_shared<sink_account>();
  const auto rows = static_cast<std::int64_t>(windows * window_bytes / row_bytes);
  pipeline p{"slow sink"};
  numbers(p, how, rows)
      | map("rows", [](std::int64_t i) { return std::string(row_bytes, static_cast<char>('a' + i % 26)); })
      | reshuffle("spread") | write("slow", slow_sink(account, rows));
  const job_report r = engine(system)
                           .launch(p, {.shards = 1,
                                       .checkpoint_every = checkpoint_every,
                                       .streaming = true,
                                       .edge_window_bytes = window_bytes,
                                       .edges = edge_compression::none,
                                       .bundle_rows = bundle_rows})
                           .wait();
  EXPECT_EQ(r.state, job_state::done) << r.error;
  EXPECT_EQ(account->rows, static_cast<std::uint64_t>(rows));
  outcome result{0, account->resident_bytes_max, account->epochs};
  for (const auto& shard : r.shards)
    result.queued_bytes_max = std::max(result.queued_bytes_max, shard.queued_bytes_max);
  return result;
}

TEST(slow_sink, keeps_queues_below_the_bound_and_memory_as_it_was) {
  static_cast<void>(offered(10));  // what is allocated once
  const outcome ten_times = offered(10);
  const outcome hundred_times = offered(100);
  EXPECT_GT(hundred_times.queued_bytes_max, window_bytes / 2) << "the sink was too fast for the test to mean anything";
  EXPECT_LE(hundred_times.queued_bytes_max, bound_bytes);
  // A hundred windows are 25 MiB.
  EXPECT_LT(hundred_times.resident_bytes_max, ten_times.resident_bytes_max + 4 * mebibyte);
}

TEST(slow_sink, stops_a_splittable_function_too) {
  const outcome result = offered(20, 1s, reading::splittable);
  EXPECT_GT(result.queued_bytes_max, window_bytes / 2) << "the sink was too fast for the test to mean anything";
  EXPECT_LE(result.queued_bytes_max, bound_bytes);
}

TEST(slow_sink, V3_takes_part_in_twenty_epochs_while_its_queue_is_full) {
  const outcome result = offered(40, 10ms);
  EXPECT_GT(result.queued_bytes_max, window_bytes / 2) << "the sink was too fast for the test to mean anything";
  EXPECT_GE(result.epochs, 20U);
}

}  // namespace
}  // namespace millrace::slow_sink_test
