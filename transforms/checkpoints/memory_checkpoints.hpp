#pragma once

#include <millrace/transforms/checkpoints/checkpoint_store.hpp>

namespace millrace {

// Keeps the newest epoch in memory: enough for a shard that fails, not for a process that does. The default of a job
// without a checkpoint directory.
class memory_checkpoints final : public checkpoint_store {
 public:
  void write(const checkpoint& complete) override { newest_ = complete; }
  std::optional<checkpoint> newest() override { return newest_; }
  [[nodiscard]] bool outlives_process() const override { return false; }
  [[nodiscard]] std::string describe() const override { return "memory"; }

 private:
  std::optional<checkpoint> newest_;
};

}  // namespace millrace
