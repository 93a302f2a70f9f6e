#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace millrace {

// The least, greatest, sum and number of the values that were reported.
struct distribution_value {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  void add(std::int64_t value);
  void merge(const distribution_value& other);
  friend bool operator==(const distribution_value&, const distribution_value&) = default;
};

// The metrics of one step on one shard, or of a step over all shards once merged. The owner is a stage instance; values
// are part of its snapshot, so that a rewind leaves committed values exact. References stay valid while the board
// lives.
class metric_board {
 public:
  // Elements that entered and left the step.
  std::uint64_t elements_in = 0;
  std::uint64_t elements_out = 0;
  // Elements that the step's error output took.
  std::uint64_t error_elements = 0;

  std::int64_t& counter(const std::string& name) { return counters_[name]; }
  distribution_value& distribution(const std::string& name) { return distributions_[name]; }
  double& gauge(const std::string& name) { return gauges_[name]; }
  // Elements dropped, by cause: `late`, `closed_window`.
  std::uint64_t& dropped(const std::string& cause) { return dropped_[cause]; }

  [[nodiscard]] const std::map<std::string, std::int64_t>& counters() const { return counters_; }
  [[nodiscard]] const std::map<std::string, distribution_value>& distributions() const { return distributions_; }
  [[nodiscard]] const std::map<std::string, double>& gauges() const { return gauges_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& dropped_elements() const { return dropped_; }

  // Adds another shard's values to these; of a gauge, the other's value is taken.
  void merge(const metric_board& other);
  void encode(writer& to) const;
  // Replaces all values in place, so that handles bound to this board stay valid.
  void decode(reader& from);

 private:
  std::map<std::string, std::int64_t> counters_;
  std::map<std::string, distribution_value> distributions_;
  std::map<std::string, double> gauges_;
  std::map<std::string, std::uint64_t> dropped_;
};

}  // namespace millrace
