#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/triggers/trigger.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace {

// A trigger laid out for running: its nodes in preorder, each with the place of its counter or target in a state. One
// program serves the states of all keys and windows of a grouping, which owns it.
class trigger_program {
 public:
  struct node {
    trigger_kind kind = trigger_kind::by_default;
    std::uint32_t end = 0;   // one past the last node of this subtree
    std::uint32_t slot = 0;  // where its counter or target is, for kinds that have one
    std::uint64_t count = 0;
    std::vector<clock_step> steps = {};
  };

  // `merging`: windows may merge, so that parts that are not their turn's see elements too; a merge may bring them
  // back.
  trigger_program(const trigger& root, bool merging);

  [[nodiscard]] const node& at(std::size_t i) const { return nodes_[i]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // Counters and targets in a state.
  [[nodiscard]] std::size_t slots() const { return slots_; }
  // Words of 64 bits, one for each node.
  [[nodiscard]] std::size_t words() const { return (nodes_.size() + 63) / 64; }
  [[nodiscard]] bool merging() const { return merging_; }

 private:
  void lay_out(const trigger& t);

  std::vector<node> nodes_;
  std::uint32_t slots_ = 0;
  bool merging_;
};

// The time for which a delay of these steps waits that begins at `from`.
[[nodiscard]] timestamp delayed_until(timestamp from, const std::vector<clock_step>& steps);

}  // namespace millrace
