#pragma once

#include <millrace/transforms/transcripts/transcript_case.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace millrace::transcripts {

// How a case was replayed on groupings.
struct replay_result {
  std::string skipped;                   // why it is no case for groupings, or empty
  std::vector<std::string> differences;  // what came out otherwise than written
};

// Replays a case on a chain of groupings, step by step, with checkpoints as their encoded bytes. With `snapshots`,
// every grouping is encoded and restored after every event.
[[nodiscard]] replay_result replay(const transcript_case& of, bool snapshots);

}  // namespace millrace::transcripts
