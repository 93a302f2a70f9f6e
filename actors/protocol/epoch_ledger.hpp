#pragma once

#include <millrace/transforms/checkpoints/checkpoint_store.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace millrace {

// The book of one epoch at a time: which shards have yet to hand in their part, and which have yet to confirm the
// commit. Pure decisions; the checkpointer does what it says. Parts of another epoch or generation are ignored.
class epoch_ledger {
 public:
  using shard_key = std::pair<std::uint32_t, std::uint32_t>;  // (stage, shard)

  // Each epoch has the job, fingerprint and program of `like`.
  epoch_ledger(checkpoint like, std::set<shard_key> shards, std::set<shard_key> with_effects)
      : like_(std::move(like)), shards_(std::move(shards)), with_effects_(std::move(with_effects)) {}

  // No epoch is open: one may begin.
  [[nodiscard]] bool idle() const { return !open_ && uncommitted_.empty(); }
  // Opens epoch `epoch`, greater than any before.
  void begin(std::uint64_t epoch);
  // A shard's part, at processing time `now`. Gives the whole checkpoint when it was the last one.
  std::shared_ptr<const checkpoint> part(std::uint64_t epoch, shard_key from, std::string bytes, timestamp now);
  // The checkpoint is durable: the shards that now have to commit it.
  std::set<shard_key> durable(std::uint64_t epoch);
  // A shard has committed. True when it was the last one, and the epoch is over.
  bool committed(std::uint64_t epoch, shard_key by);
  // Forgets an epoch that will not be completed: the job rewinds.
  void abandon();

 private:
  checkpoint like_;
  std::set<shard_key> shards_;
  std::set<shard_key> with_effects_;
  std::shared_ptr<checkpoint> open_;
  std::uint64_t epoch_ = 0;
  std::set<shard_key> uncommitted_;
};

}  // namespace millrace
