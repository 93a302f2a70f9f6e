#include <millrace/tests/bench/benchmarks.hpp>
#include <millrace/tests/bench/checksum_sink.hpp>
#include <millrace/tests/bench/inputs.hpp>
#include <millrace/tests/bench/memory_source.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/map.hpp>

#include <memory>
#include <vector>

namespace millrace::bench {

namespace {

struct row {
  std::uint64_t key;
  std::int64_t value;
  std::int64_t time;
};

row tripled(const row& r) {
  return {r.key, r.value * 3 + 1, r.time};
}
bool is_wanted(const row& r) {
  return (r.value & 7) != 0;
}
row hashed(const row& r) {
  return {table_hash(r.key), r.value, r.time};
}
std::uint64_t weight(const row& r) {
  return r.key + static_cast<std::uint64_t>(r.value);
}

std::uint64_t by_hand(const std::vector<row>& rows, std::uint64_t repeat) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < repeat; ++i) {
    asm volatile("" : : : "memory");  // each pass reads the rows anew
    for (const row& r : rows) {
      const row wanted = tripled(r);
      if (is_wanted(wanted)) total += weight(hashed(wanted));
    }
  }
  return total;
}

std::uint64_t on_runtime(const std::vector<row>& rows, std::uint64_t repeat, runtime& on) {
  const auto total = std::make_shared<std::atomic<std::uint64_t>>(0);
  pipeline p{"in cache"};
  p | read_rows<row>({.rows = rows, .repeat = repeat}) | map("triple", [](const row& r) { return tripled(r); })
      | filter("wanted", [](const row& r) { return is_wanted(r); })
      | map("hash", [](const row& r) { return hashed(r); })
      | checksum_into<row>(total, [](const row& r, const context&) { return weight(r); });
  on.run(p, 1);
  return *total;
}

}  // namespace

void measure_stateless_cache(bench_report& report, runtime& on) {
  std::vector<row> rows(16'384);
  random_numbers random(1);
  for (row& r : rows) r = {random.next(), static_cast<std::int64_t>(random.below(1000)), 0};
  const std::uint64_t repeat = report.options().size(4000, 1000);
  report.compare(rows.size() * repeat, [&] { return by_hand(rows, repeat); },
                 {{"stateless_cache", [&] { return on_runtime(rows, repeat, on); }}});
}

}  // namespace millrace::bench
