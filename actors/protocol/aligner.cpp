#include <millrace/actors/protocol/aligner.hpp>
#include <millrace/transforms/element/check.hpp>

#include <algorithm>

namespace millrace {

bool aligner::reached(std::size_t sender, std::uint64_t epoch) {
  check(epoch > reached_.at(sender), "the barriers of a sender come in order");
  reached_[sender] = epoch;
  epoch_ = std::max(epoch_, epoch);
  if (!std::ranges::all_of(reached_, [&](std::uint64_t e) { return e >= epoch_; })) return false;
  done_ = epoch_;
  return true;
}

}  // namespace millrace
