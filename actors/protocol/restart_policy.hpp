#pragma once

#include <cstdint>

namespace millrace {

// Why a shard is gone.
enum class shard_loss : std::uint8_t {
  crashed,           // its actor died: killed, or an error outside of user code
  user_function,     // a user function failed on an element more often than it may
  broken_invariant,  // the runtime contradicts itself: trying again cannot help
};

// What the decision about a lost shard rests on.
struct restart_facts {
  shard_loss why = shard_loss::crashed;
  std::uint32_t restarts_since_progress = 0;  // rewinds since an epoch was last completed
};

// Whether the job rewinds to its last checkpoint or fails. A crash is worth a rewind as long as the job gets anywhere;
// a function that fails on the same element again and again is not, since its attempts were bounded already.
struct restart_policy {
  std::uint32_t restarts_max = 16;  // in a row, without a complete epoch between them

  [[nodiscard]] bool rewind(const restart_facts& facts) const {
    return facts.why == shard_loss::crashed && facts.restarts_since_progress < restarts_max;
  }
};

}  // namespace millrace
