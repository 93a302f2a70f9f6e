#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace millrace::bench {

// One benchmark: the time per element of a pipeline beside that of a hand-written loop over the same input.
struct measurement {
  std::string name;
  double ns = 0;
  double baseline_ns = 0;
  [[nodiscard]] double ratio() const { return ns / baseline_ns; }
};

// How much is measured.
struct measure_options {
  bool quick = false;
  int rounds = 7;
  // The full size, or the quick one.
  [[nodiscard]] std::uint64_t size(std::uint64_t full, std::uint64_t short_one) const {
    return quick ? short_one : full;
  }
};

// Runs two or more computations of one thing by turns, so that a machine that others use treats them alike, and keeps
// the best time of each: CPU time of the whole process, since a pipeline works on several threads. Each computation
// returns a checksum of its result; one that differs is remembered as a failure. Owned by the program.
class bench_report {
 public:
  using computation = std::function<std::uint64_t()>;
  // A pipeline, compared under a name of its own.
  struct contender {
    std::string name;
    computation run;
  };

  bench_report(const measure_options& options, std::ostream& progress) : options_(options), progress_(progress) {}

  [[nodiscard]] const measure_options& options() const { return options_; }
  // Measures a hand-written loop and pipelines that compute the same from `elements` elements.
  void compare(std::uint64_t elements, const computation& by_hand, const std::vector<contender>& pipelines);
  // Adds the sum of measurements that are reported one by one as well.
  void add_sum(const std::string& name, const std::vector<std::string>& parts);

  [[nodiscard]] const std::vector<measurement>& results() const { return results_; }
  [[nodiscard]] bool checksums_agree() const { return checksums_agree_; }
  // {"benchmarks": [{"name", "ns", "baseline_ns", "ratio"}, ...]}
  void write_json(std::ostream& to) const;

 private:
  void add(measurement m);

  measure_options options_;
  std::ostream& progress_;
  std::vector<measurement> results_;
  bool checksums_agree_ = true;
};

}  // namespace millrace::bench
