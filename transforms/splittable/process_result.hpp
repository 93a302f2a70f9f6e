#pragma once

#include <millrace/transforms/element/time.hpp>

#include <algorithm>
#include <optional>

namespace millrace {

// What a splittable function says when it returns: that its restriction is worked off, or that it wants to be called
// again for the rest, not before a while has passed. Once the job is drained it is not called again: what is to be
// worked off then must not be put off (model, section 12).
class process_result {
 public:
  // Every position was claimed, or the last claim was refused.
  static process_result stop() { return process_result(std::nullopt); }
  // What was not claimed is kept and comes again, at least `delay` (and a millisecond) later by the clock.
  static process_result resume(duration delay = {}) { return process_result(std::max(delay, duration{1})); }

  // How long to wait before the rest comes again; nullopt if the function has stopped.
  [[nodiscard]] const std::optional<duration>& resume_after() const { return resume_after_; }

 private:
  explicit process_result(std::optional<duration> after) : resume_after_(after) {}

  std::optional<duration> resume_after_;
};

}  // namespace millrace
