#include <millrace/tests/bench/measure.hpp>
#include <millrace/transforms/element/check.hpp>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <iomanip>
#include <limits>
#include <ostream>
#include <utility>

namespace millrace::bench {

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// A computation with the best of its times so far.
struct timed {
  std::string name;
  bench_report::computation run;
  double best_seconds = std::numeric_limits<double>::max();
  std::uint64_t checksum = 0;
};

}  // namespace

void bench_report::compare(std::uint64_t elements, const computation& by_hand,
                           const std::vector<contender>& pipelines) {
  std::vector<timed> all{{.name = "the hand-written loop", .run = by_hand}};
  for (const contender& c : pipelines) all.push_back({.name = c.name, .run = c.run});
  const int rounds = options_.quick ? 3 : options_.rounds;
  for (int round = 0; round <= rounds; ++round)  // the first warms up
    for (timed& t : all) {
      const double before = cpu_seconds();
      t.checksum = t.run();
      if (round > 0) t.best_seconds = std::min(t.best_seconds, cpu_seconds() - before);
      if (t.checksum == all.front().checksum) continue;
      progress_ << t.name << ": its result differs from that of the hand-written loop\n";
      checksums_agree_ = false;
    }
  const double per_element = 1e9 / static_cast<double>(elements);
  for (std::size_t i = 1; i < all.size(); ++i)
    add({all[i].name, all[i].best_seconds * per_element, all.front().best_seconds * per_element});
}

void bench_report::add_sum(const std::string& name, const std::vector<std::string>& parts) {
  measurement sum{.name = name};
  for (const std::string& part : parts) {
    const auto found = std::ranges::find(results_, part, &measurement::name);
    check(found != results_.end(), "a sum is of benchmarks that were measured");
    sum.ns += found->ns;
    sum.baseline_ns += found->baseline_ns;
  }
  add(std::move(sum));
}

void bench_report::add(measurement m) {
  progress_ << std::left << std::setw(28) << m.name << std::right << std::fixed << std::setprecision(2) << std::setw(9)
            << m.ns << " ns, by hand " << std::setw(8) << m.baseline_ns << " ns: " << std::setw(5) << m.ratio() << "x"
            << std::endl;
  results_.push_back(std::move(m));
}

void bench_report::write_json(std::ostream& to) const {
  to << "{\"benchmarks\": [";
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const measurement& m = results_[i];
    to << (i == 0 ? "\n" : ",\n") << std::fixed << std::setprecision(3) << "  {\"name\": \"" << m.name
       << "\", \"ns\": " << m.ns << ", \"baseline_ns\": " << m.baseline_ns << ", \"ratio\": " << m.ratio() << "}";
  }
  to << "\n]}\n";
}

}  // namespace millrace::bench
