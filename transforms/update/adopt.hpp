#pragma once

#include <millrace/transforms/checkpoints/checkpoint_store.hpp>
#include <millrace/transforms/update/job_description.hpp>
#include <millrace/transforms/update/name_mapping.hpp>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace millrace {

// A changed program cannot go on from a checkpoint. The message lists why, a line for each step that is in the way,
// with what its state was and is.
class update_refused : public std::runtime_error {
 public:
  update_refused(const std::string& job, const std::vector<std::string>& faults);
};

// A program that is to go on from a checkpoint of another one.
struct successor {
  const graph& of;
  const plan& stages;
  std::string fingerprint;
  bool fast_path = true;
};

// A checkpoint in the form of the program that goes on from it.
struct adopted_checkpoint {
  checkpoint from;
  std::set<node_id> general_nodes;   // take the general path, since their state was written by it
  std::vector<std::string> notices;  // what of the old program's state is used otherwise, or given up
};

// Translates a checkpoint for a changed program: the model's update (beam-semantics, section 17). Transforms are
// matched by their full names, after `names`. Each keeps its state and metrics; what is new begins without, and what is
// gone must not have kept any, unless `names` gives it up. Functions, combine functions among them, triggers and
// lateness may change, and fields may be appended that are optional; keys, values, cells and windows may not. Throws
// update_refused, which names every step that is in the way, and decode_error for a damaged checkpoint.
[[nodiscard]] adopted_checkpoint adopt(const checkpoint& old, const successor& program, const name_mapping& names);

// The nodes of an unchanged program that go on along the general path, since this checkpoint was written by it.
[[nodiscard]] std::set<node_id> general_nodes_of(const checkpoint& from, const graph& of);

}  // namespace millrace
