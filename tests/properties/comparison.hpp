#pragma once

#include <millrace/tests/properties/random_case.hpp>
#include <millrace/transforms/transcripts/play_case.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::properties {

// A runner and how it is set.
struct way {
  std::string name;
  transcripts::session_maker make;
};

// Both runners on both paths; shards, fusion and the order of messages are drawn from the seed.
[[nodiscard]] std::vector<way> ways_of(std::uint64_t seed);

// What came of a case.
struct comparison {
  std::vector<std::string> differences;  // none: all ways agree with the reference engine
  bool fast = false;                     // a step took the fast path where it is on
  bool general = false;                  // a step that groups took the general path even so
};

// Plays a case in every way and compares every event with what the reference engine says.
[[nodiscard]] comparison compare(const random_case& of, const std::vector<way>& ways);

}  // namespace millrace::properties
