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
  bool sharded = false;
};

// Both runners on both paths. The direct runner's general path has one shard, the others as many as the seed says,
// which also says what is fused and in which order messages are dealt with.
[[nodiscard]] std::vector<way> ways_of(std::uint64_t seed);

// What came of a case.
struct comparison {
  std::vector<std::string> differences;  // none: all ways agree
  bool sharding_shows = false;           // several shards hold late elements otherwise than one
  bool fast = false;                     // a step took the fast path where it is on
  bool general = false;                  // a step that groups took the general path even so
};

// Plays a case in every way and compares every event with what the reference engine says. Where timers of users hold
// the watermark for late elements, it depends on the other keys of the shard how much of it there is left to hold: with
// several shards, these ways must agree with each other.
[[nodiscard]] comparison compare(const random_case& of, const std::vector<way>& ways);

}  // namespace millrace::properties
