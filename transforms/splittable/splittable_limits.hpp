#pragma once

#include <millrace/transforms/element/time.hpp>

#include <chrono>
#include <cstdint>

namespace millrace {

// How long one call of a splittable function may go on before its restriction is split, so that its shard can take a
// checkpoint and others have their turn.
struct splittable_limits {
  std::uint64_t outputs_max = 10'000;  // give or take a batch
  std::uint64_t claims_max = 10'000;
  duration time_max = std::chrono::seconds{1};  // by the processing clock, looked at with each claim
};

}  // namespace millrace
