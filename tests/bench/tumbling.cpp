#include <millrace/tests/bench/benchmarks.hpp>
#include <millrace/tests/bench/checksum_sink.hpp>
#include <millrace/tests/bench/inputs.hpp>
#include <millrace/tests/bench/memory_source.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/window_into.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace millrace::bench {

namespace {

struct sale {
  std::uint64_t key;
  std::int64_t value;
  std::int64_t time;  // milliseconds
};

constexpr std::int64_t window_millis = 10'000;
constexpr std::int64_t disorder_millis = 50;
constexpr std::int64_t sales_per_millis = 1000;

// Sale i happens at i microseconds, give or take 50 ms.
std::vector<sale> make_sales(std::size_t count, std::uint64_t keys) {
  std::vector<sale> all(count);
  random_numbers random(42);
  for (std::size_t i = 0; i < count; ++i) {
    const auto micros = static_cast<std::int64_t>(i + random.below(disorder_millis * sales_per_millis));
    all[i] = {scrambled(random.below(keys)), static_cast<std::int64_t>(random.below(1000)), micros / sales_per_millis};
  }
  return all;
}

std::uint64_t share_of(std::uint64_t window_number, std::uint64_t key, std::int64_t sum) {
  return scrambled(key ^ scrambled(window_number)) * static_cast<std::uint64_t>(sum);
}

// What one writes by hand for a window's sums: slots of key and sum, linear probing. No key is zero.
class hand_table {
 public:
  explicit hand_table(std::size_t slots) : slots_(slots), mask_(slots - 1) {}
  void add(std::uint64_t hash, std::uint64_t key, std::int64_t value) {
    for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
      slot& s = slots_[i];
      if (s.key == key) {
        s.sum += value;
        return;
      }
      if (s.key == 0) {
        s = {key, value};
        return;
      }
    }
  }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_], 1); }
  // The checksum of all sums, which are then forgotten.
  std::uint64_t take(std::uint64_t window_number) {
    std::uint64_t total = 0;
    for (const slot& s : slots_)
      if (s.key != 0) total += share_of(window_number, s.key, s.sum);
    std::ranges::fill(slots_, slot{});
    return total;
  }

 private:
  struct slot {
    std::uint64_t key = 0;
    std::int64_t sum = 0;
  };
  std::vector<slot> slots_;
  std::uint64_t mask_;
};

// Two windows are open at a time; the older one is given out when the watermark, which moves every 4096 rows, has
// passed its end. Small tables are faster without fetching ahead, large ones with it.
class hand_loop {
 public:
  explicit hand_loop(std::uint64_t keys)
      : ahead_(keys > 50'000), tables_{hand_table(slots_for(keys)), hand_table(slots_for(keys))} {}

  std::uint64_t operator()(const std::vector<sale>& sales) {
    constexpr std::size_t block = 4096;
    std::uint64_t total = 0;
    std::int64_t oldest = 0;  // number of the older open window
    std::int64_t greatest = 0;
    for (std::size_t i = 0; i < sales.size(); i += block) {
      const std::size_t end = std::min(sales.size(), i + block);
      const std::int64_t next_start = (oldest + 1) * window_millis;
      if (ahead_) greatest = std::max(greatest, add_ahead(sales.data() + i, end - i, next_start, oldest));
      else greatest = std::max(greatest, add(sales.data() + i, end - i, next_start, oldest));
      for (; (oldest + 1) * window_millis <= greatest - disorder_millis; ++oldest) total += take(oldest);
    }
    return total + take(oldest) + take(oldest + 1);
  }

 private:
  static std::size_t slots_for(std::uint64_t keys) {
    std::size_t slots = 1024;
    while (slots < (keys <= 16384 ? keys * 4 : keys * 3 / 2)) slots *= 2;
    return slots;
  }
  hand_table& table_of(std::int64_t window_number) { return tables_[static_cast<std::size_t>(window_number & 1)]; }
  std::uint64_t take(std::int64_t window_number) {
    return table_of(window_number).take(static_cast<std::uint64_t>(window_number));
  }
  std::int64_t add(const sale* sales, std::size_t count, std::int64_t next_start, std::int64_t oldest) {
    std::int64_t greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const sale& s = sales[i];
      table_of(oldest + (s.time >= next_start ? 1 : 0)).add(table_hash(s.key), s.key, s.value);
      greatest = std::max(greatest, s.time);
    }
    return greatest;
  }
  std::int64_t add_ahead(const sale* sales, std::size_t count, std::int64_t next_start, std::int64_t oldest) {
    constexpr std::size_t group = 16;
    std::array<std::uint64_t, group> hashes;
    std::int64_t greatest = 0;
    for (std::size_t from = 0; from < count; from += group) {
      const std::size_t n = std::min(group, count - from);
      for (std::size_t j = 0; j < n; ++j) {
        const sale& s = sales[from + j];
        hashes[j] = table_hash(s.key);
        table_of(oldest + (s.time >= next_start ? 1 : 0)).prefetch(hashes[j]);
      }
      for (std::size_t j = 0; j < n; ++j) {
        const sale& s = sales[from + j];
        table_of(oldest + (s.time >= next_start ? 1 : 0)).add(hashes[j], s.key, s.value);
        greatest = std::max(greatest, s.time);
      }
    }
    return greatest;
  }

  bool ahead_;
  std::array<hand_table, 2> tables_;
};

std::uint64_t on_runtime(const std::vector<sale>& sales, runtime& on, std::uint32_t shards) {
  const auto total = std::make_shared<std::atomic<std::uint64_t>>(0);
  pipeline p{"tumbling"};
  const auto time_of = [](const sale& s) { return timestamp{s.time}; };
  p | read_rows<sale>({.rows = sales, .disorder = duration{disorder_millis}}, time_of)
      | window_into("ten seconds", {.into = fixed(duration{window_millis})})
      | combine_per_key("sum", by(&sale::key), of(&sale::value), sum)
      | checksum_into<kv<std::uint64_t, std::int64_t>>(total, [](const auto& x, const context& in) {
          const std::int64_t number = in.windows.front().start.millis() / window_millis;
          return share_of(static_cast<std::uint64_t>(number), x.key, x.value);
        });
  on.run(p, shards);
  return *total;
}

}  // namespace

void measure_tumbling(bench_report& report, runtime& on) {
  const std::vector<std::pair<std::string, std::uint64_t>> sizes{{"1k", 1000}, {"1m", 1'000'000}};
  for (const auto& [name, keys] : sizes) {
    const auto sales = make_sales(report.options().size(30'000'000, 6'000'000), keys);
    hand_loop by_hand(keys);
    report.compare(sales.size(), [&] { return by_hand(sales); },
                   {{"tumbling_" + name, [&] { return on_runtime(sales, on, 1); }},
                    {"tumbling_" + name + "_two_shards", [&] { return on_runtime(sales, on, 2); }}});
  }
}

}  // namespace millrace::bench
