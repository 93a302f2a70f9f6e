#pragma once

#include <millrace/transforms/bundles/outlet.hpp>

#include <cstddef>

namespace millrace {

// The most shards that can be recorded; more cannot own a slice.
inline constexpr std::size_t recording_shards_max = slices_max;

// What one shard did with its slot. Only the shard writes it.
struct slot_state {
  bool opened = false;
  bool committed = false;
  bool aborted = false;
};

// What became of all shards of a recording.
class recording_outcome {
 public:
  void add(const slot_state& s) {
    opened_ = opened_ || s.opened;
    complete_ = complete_ && (!s.opened || s.committed);
    aborted_ = aborted_ || s.aborted;
  }
  // A job made the recording's operators.
  [[nodiscard]] bool ran() const { return opened_; }
  // Every shard committed what it had.
  [[nodiscard]] bool completed() const { return opened_ && complete_ && !aborted_; }
  // The job failed or was cancelled.
  [[nodiscard]] bool aborted() const { return aborted_; }

 private:
  bool opened_ = false;
  bool complete_ = true;
  bool aborted_ = false;
};

}  // namespace millrace
