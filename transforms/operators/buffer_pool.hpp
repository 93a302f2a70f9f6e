#pragma once

#include <millrace/transforms/state/group_buffers.hpp>

#include <deque>
#include <utility>
#include <vector>

namespace millrace {

// The buffers of a grouping by their number; numbers of released ones are given out again. Owned by the operator of the
// grouping. Their places do not move.
template <class Buffer>
class buffer_pool {
 public:
  // A place that holds `fresh`.
  buffer_id take(Buffer fresh) {
    if (free_.empty()) {
      buffers_.push_back(std::move(fresh));
      return static_cast<buffer_id>(buffers_.size() - 1);
    }
    const buffer_id id = free_.back();
    free_.pop_back();
    buffers_[id] = std::move(fresh);
    return id;
  }
  // Ends a buffer, whose memory becomes that of `empty`.
  void release(buffer_id id, Buffer empty) {
    buffers_[id] = std::move(empty);
    free_.push_back(id);
  }
  [[nodiscard]] Buffer& at(buffer_id id) { return buffers_[id]; }
  [[nodiscard]] const Buffer& at(buffer_id id) const { return buffers_[id]; }

 private:
  std::deque<Buffer> buffers_;
  std::vector<buffer_id> free_;
};

}  // namespace millrace
