#include <millrace/actors/protocol/epoch_ledger.hpp>
#include <millrace/transforms/element/check.hpp>

namespace millrace {

void epoch_ledger::begin(std::uint64_t epoch) {
  check(idle(), "one epoch is open at a time");
  check(epoch > epoch_, "epochs count upwards");
  epoch_ = epoch;
  open_ = std::make_shared<checkpoint>(like_);
  open_->epoch = epoch;
}

std::shared_ptr<const checkpoint> epoch_ledger::part(std::uint64_t epoch, shard_key from, std::string bytes,
                                                     timestamp now) {
  if (!open_ || epoch != epoch_) return nullptr;
  check(shards_.contains(from), "a part comes from a shard of the job");
  open_->parts[from] = std::make_shared<const std::string>(std::move(bytes));
  if (open_->parts.size() < shards_.size()) return nullptr;
  open_->clock = now;
  uncommitted_ = with_effects_;
  return std::exchange(open_, nullptr);
}

std::set<epoch_ledger::shard_key> epoch_ledger::durable(std::uint64_t epoch) {
  if (epoch != epoch_) return {};
  return uncommitted_;
}

bool epoch_ledger::committed(std::uint64_t epoch, shard_key by) {
  if (epoch != epoch_) return false;
  return uncommitted_.erase(by) > 0 && uncommitted_.empty();
}

void epoch_ledger::abandon() {
  open_ = nullptr;
  uncommitted_.clear();
}

}  // namespace millrace
