#pragma once

#include <millrace/transforms/bundles/bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace millrace {

// The sending side of one way to one shard: a window of bytes that the receiver grants back on completion. Rows may
// overdraw the window by one bundle, since a bundle larger than the window must still pass; after that they wait here,
// in order. Bundles without rows cost nothing but keep their place in the order. The owner stops its own input while
// anything waits, which is what bounds the memory of the whole job.
class credit_window {
 public:
  explicit credit_window(std::size_t window_bytes) : left_(static_cast<std::int64_t>(window_bytes)) {}

  // Takes a bundle to be sent behind those that wait.
  void offer(bundle_ptr rows) { waiting_.push_back(std::move(rows)); }
  // The next bundle that may be sent now, if any; its bytes are taken from the window.
  std::optional<bundle_ptr> next();
  // The receiver has completed that many bytes.
  void granted(std::size_t bytes) { left_ += static_cast<std::int64_t>(bytes); }

  // Rows wait for credit.
  [[nodiscard]] bool blocked() const { return !waiting_.empty(); }
  [[nodiscard]] std::size_t waiting_bytes() const;

 private:
  std::int64_t left_;
  std::deque<bundle_ptr> waiting_;
};

}  // namespace millrace
