#pragma once

#include <millrace/transforms/update/job_description.hpp>
#include <millrace/transforms/update/name_mapping.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace millrace {

// What a checkpoint has of one step, over all shards.
struct kept_state {
  bool bytes = false;  // it wrote something
  bool state = false;  // it had state, a timer or a hold
};

// How two programs belong together, and what speaks against it.
struct comparison {
  std::vector<std::optional<std::size_t>> matches;  // of each new step: the old one that it goes on from
  std::vector<bool> begins;                         // of each new step: without the state of the old one
  std::vector<std::string> faults;
  std::vector<std::string> notices;
};

// Compares the program of a checkpoint with the one that is to replace it. `kept` says what there is of each old step.
[[nodiscard]] comparison compare(const job_description& old, const job_description& now,
                                 const std::vector<kept_state>& kept, const name_mapping& names);

}  // namespace millrace
