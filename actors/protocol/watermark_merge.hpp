#pragma once

#include <millrace/transforms/element/watermark.hpp>

#include <cstddef>
#include <vector>

namespace millrace {

// The watermark of a shard with several senders: the least of theirs, not counting senders that have declared
// themselves idle. Without the minimum an element could arrive after its window was closed; without the exception one
// silent partition would hold back the whole job. The result never moves backwards: a sender that wakes up behind it is
// late by definition. While every sender is idle the result stays where it is.
class watermark_merge {
 public:
  explicit watermark_merge(std::size_t senders) : promises_(senders) {}

  // Records what a sender promises. Returns whether the merged watermark advanced.
  bool update(std::size_t sender, const watermark& promise);

  [[nodiscard]] timestamp merged() const { return merged_; }
  // Whether every sender is idle, so that this shard is idle too.
  [[nodiscard]] bool idle() const;

 private:
  std::vector<watermark> promises_;
  timestamp merged_ = timestamp::min();
};

}  // namespace millrace
