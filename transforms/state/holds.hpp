#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cstdint>
#include <map>

namespace millrace {

// Watermark holds: as long as one stands, the output watermark does not pass it. Many keys and windows hold the same
// instant, so each instant is kept once with a count. Whoever adds a hold removes it; the set is rebuilt from its
// owners after a restore and is never written down.
class holds {
 public:
  void add(timestamp at) { ++counts_[at]; }
  // Removes one hold at `at`, which must stand.
  void remove(timestamp at);

  // The earliest hold, or max() if there is none.
  [[nodiscard]] timestamp least() const { return counts_.empty() ? timestamp::max() : counts_.begin()->first; }
  [[nodiscard]] bool empty() const { return counts_.empty(); }

 private:
  std::map<timestamp, std::uint64_t> counts_;
};

}  // namespace millrace
