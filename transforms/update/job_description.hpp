#pragma once

#include <millrace/transforms/checkpoints/state_schema.hpp>
#include <millrace/transforms/plan/plan.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// One transform of a program as a checkpoint remembers it.
struct step_description {
  std::string path;
  std::string text;  // what it does, for people
  state_schema state;
  std::vector<std::string> views;  // the paths of its side inputs
  bool bounded = true;             // its first output, or else its input
  bool fast = false;               // a combine on flat tables
};

// One stage: which transforms each of its shards writes, in order.
struct stage_description {
  std::string name;
  std::uint32_t shards = 1;
  std::vector<std::uint32_t> steps;  // indices of job_description::steps
};

// A program as data that outlives it: what a checkpoint says of its parts, so that a changed program can go on from
// them.
struct job_description {
  std::vector<step_description> steps;
  std::vector<stage_description> stages;
};

// What a plan depends on that is not in it.
struct described_paths {
  bool fast_path = true;
  std::set<node_id> general_nodes = {};  // take the general path although they could take the other
};

[[nodiscard]] job_description describe_job(const graph& of, const plan& in, const described_paths& paths);

// The bytes of a description, and back; throws decode_error.
[[nodiscard]] std::string encode_description(const job_description& of);
[[nodiscard]] job_description decode_description(std::string_view bytes);

}  // namespace millrace
