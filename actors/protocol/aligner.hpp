#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace {

// Aligns the barriers of one epoch at a shard: a sender whose barrier has come must wait until those of all others
// have, so that the snapshot holds exactly what came before the barrier on every input. Epochs may be skipped (an
// abandoned checkpoint) but never go backwards.
class aligner {
 public:
  explicit aligner(std::size_t senders) : reached_(senders, 0) {}

  // Whether bundles of this sender must wait.
  [[nodiscard]] bool waits(std::size_t sender) const { return aligning() && reached_.at(sender) == epoch_; }
  [[nodiscard]] bool aligning() const { return epoch_ > done_; }
  // The barrier of `epoch` has come from a sender. Returns whether it was the last one: take the snapshot and forward
  // the barrier; nobody waits any more.
  bool reached(std::size_t sender, std::uint64_t epoch);

 private:
  std::vector<std::uint64_t> reached_;
  std::uint64_t epoch_ = 0;  // the greatest seen
  std::uint64_t done_ = 0;   // the last one completed here
};

}  // namespace millrace
