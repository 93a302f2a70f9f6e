#pragma once

#include <millrace/transforms/bundles/bundle.hpp>

#include <cstdint>

namespace millrace {

// Where the bundles of one sender on one edge go: implemented by the runner, used by edge writers. The runner stamps
// generation, sequence and watermark when a bundle is sent. A destination is a shard of the consuming stage.
class bundle_outlet {
 public:
  bundle_outlet() = default;
  bundle_outlet(const bundle_outlet&) = delete;
  bundle_outlet& operator=(const bundle_outlet&) = delete;
  virtual ~bundle_outlet() = default;

  // How many shards the consuming stage has.
  [[nodiscard]] virtual std::uint32_t shards() const = 0;
  // The shard that owns a slice of keys; slices are the top byte of key_hash().
  [[nodiscard]] virtual std::uint32_t owner(std::uint32_t slice) const = 0;
  // An empty bundle, recycled where possible. The caller clears it to its widths.
  [[nodiscard]] virtual bundle_ptr take() = 0;
  // Takes rows (and only rows) that are complete for `shard`.
  virtual void send(std::uint32_t shard, bundle_ptr rows) = 0;
};

// Keys hash to a fixed number of slices; shards own slices.
inline constexpr std::uint32_t slices_max = 256;

}  // namespace millrace
