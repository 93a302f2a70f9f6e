#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/window.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// The least, greatest, sum and number of the values that were reported.
struct distribution_value {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  void add(std::int64_t value);
  void merge(const distribution_value& other);
  // What was added since it was `before`. Its least and greatest are those of all values.
  [[nodiscard]] distribution_value since(const distribution_value& before) const;
  friend bool operator==(const distribution_value&, const distribution_value&) = default;
};

// Elements that a step has dropped for one cause.
struct drop_record {
  std::string cause;
  std::uint64_t count = 0;
  window in;            // of the last of them
  timestamp watermark;  // that was behind the window, or at which it had been closed
};

// The metrics of one step on one shard, or of a step over all shards once merged. The owner is a stage instance; values
// are part of its snapshot, so that a rewind leaves committed values exact. What a call reported that has failed is
// taken back and remembered beside the values as attempted; a gauge shows what it did before, or nothing. References
// stay valid while the board lives.
class metric_board {
 public:
  // Elements that entered and left the step.
  std::uint64_t elements_in = 0;
  std::uint64_t elements_out = 0;
  // Elements that the step's error output took.
  std::uint64_t error_elements = 0;

  std::int64_t& counter(const std::string& name) {
    std::int64_t& value = counters_[name];
    if (calls_.now != 0) note(value);
    return value;
  }
  distribution_value& distribution(const std::string& name) {
    distribution_value& value = distributions_[name];
    if (calls_.now != 0) note(value);
    return value;
  }
  double& gauge(const std::string& name) {
    std::optional<double>& value = gauge_slot(name);
    if (calls_.now != 0) note(value);
    return value ? *value : value.emplace();
  }
  // Where a gauge keeps its value; empty until it is set.
  std::optional<double>& gauge_slot(const std::string& name) { return gauges_[name]; }
  // Counts elements of a window that are dropped, by cause: `late`, `closed_window`. The owner is told of them.
  void drop(const std::string& cause, std::uint64_t count, const window& in, timestamp watermark);
  [[nodiscard]] std::uint64_t dropped(const std::string& cause) const {
    const auto found = dropped_.find(cause);
    return found == dropped_.end() ? 0 : found->second;
  }
  // What was dropped since the last call, with one record for each cause.
  [[nodiscard]] std::vector<drop_record> take_drops() { return std::exchange(drops_, {}); }
  [[nodiscard]] bool has_drops() const { return !drops_.empty(); }

  [[nodiscard]] const std::map<std::string, std::int64_t>& counters() const { return counters_; }
  [[nodiscard]] const std::map<std::string, distribution_value>& distributions() const { return distributions_; }
  // Those that are set.
  [[nodiscard]] std::map<std::string, double> gauges() const;
  [[nodiscard]] const std::map<std::string, std::uint64_t>& dropped_elements() const { return dropped_; }

  // Adds another shard's values to these; of a gauge, the other's value is taken.
  void merge(const metric_board& other);
  void encode(writer& to) const;
  // Replaces all values in place, so that handles bound to this board stay valid. What was taken back stays.
  void decode(reader& from);

  // A call of the user's function begins: what it reports can be taken back until the next one does.
  void begin_call() {
    ++calls_.now;
    calls_.noted.clear();
  }
  // The number of the call that has begun; 0 before the first. A value is noted once in each before it is changed.
  [[nodiscard]] std::uint64_t call() const { return calls_.now; }
  void note(std::int64_t& counter);
  void note(distribution_value& distribution);
  void note(std::optional<double>& gauge);
  // The call has failed: what it has reported counts as attempted only.
  void take_back_call();
  // Its element is given to the function again.
  void attempt_again() { ++taken_back().elements_in; }
  // Sets everything back to what it was `before`; what has been reported since counts as attempted.
  void take_back_to(const metric_board& before);
  // Everything that was reported since the values were those of `before`, with what was taken back.
  [[nodiscard]] metric_board attempted_since(const metric_board& before) const;

 private:
  // Where the values that a call changes were before. A copy of a board has no call.
  struct open_call {
    struct noted_value {
      std::int64_t* counter = nullptr;
      distribution_value* distribution = nullptr;
      distribution_value before;  // of a counter: its sum
      std::optional<double>* gauge = nullptr;
      std::optional<double> gauge_before = {};
    };
    std::uint64_t now = 0;
    std::vector<noted_value> noted;

    open_call() = default;
    open_call(const open_call& /*other*/) noexcept {}
    open_call(open_call&& other) noexcept : open_call(other) {}
    open_call& operator=(const open_call& /*other*/) noexcept { return *this; }
    open_call& operator=(open_call&& /*other*/) noexcept { return *this; }
    ~open_call() = default;
  };

  metric_board& taken_back();
  [[nodiscard]] metric_board values_since(const metric_board& before) const;

  std::map<std::string, std::int64_t> counters_;
  std::map<std::string, distribution_value> distributions_;
  std::map<std::string, std::optional<double>> gauges_;
  std::map<std::string, std::uint64_t> dropped_;
  std::vector<drop_record> drops_;        // that nobody was told of; no part of the snapshot
  std::vector<metric_board> taken_back_;  // one at most
  open_call calls_;
};

}  // namespace millrace
