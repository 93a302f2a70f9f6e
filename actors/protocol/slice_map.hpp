#pragma once

#include <millrace/transforms/bundles/outlet.hpp>

#include <cstdint>

namespace millrace {

// Which shard owns a slice of keys: contiguous ranges of slices of nearly equal size. Equal on every node for equal
// shard counts.
class slice_map {
 public:
  explicit slice_map(std::uint32_t shards) : shards_(shards) {}

  [[nodiscard]] std::uint32_t shards() const { return shards_; }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const { return slice * shards_ / slices_max; }

 private:
  std::uint32_t shards_;
};

}  // namespace millrace
