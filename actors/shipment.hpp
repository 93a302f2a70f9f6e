#pragma once

#include <millrace/transforms/bundles/bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace millrace {

// One bundle under way from shard to shard of a process: the bundle itself, or its packed bytes where the edge is
// compressed. `charged_bytes` is what it costs of the window, and what the receiver grants back.
struct shipment {
  std::uint64_t generation = 0;
  bundle_ptr rows;
  std::shared_ptr<const std::string> packed;
  std::size_t charged_bytes = 0;
};

// Returned by a receiver that has completed a bundle: its bytes, and the bundle itself for a new use.
struct credit_grant {
  std::uint64_t generation = 0;
  std::uint32_t edge = 0;
  std::uint32_t shard = 0;  // the granting shard
  std::size_t bytes = 0;
  bundle_ptr spent;  // null for packed ones
};

}  // namespace millrace
