#pragma once

#include <millrace/tests/reference/program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace::properties {

// A pipeline and what happens to it, drawn at random. Its transcript says what must come out.
struct random_case {
  std::uint64_t seed = 0;
  reference::program pipeline;
  std::vector<reference::event> events;
};

// What the reference engine makes of a case: why it refuses the pipeline, or a report for each event.
struct reference_run {
  std::optional<std::string> refused;
  std::vector<reference::report> reports;
};

[[nodiscard]] reference_run run_reference(const random_case& of);

// The case as a transcript, with what comes out of the reference engine as what must come out.
[[nodiscard]] std::string transcript_of(const random_case& of);

// Whether the job gives way to the same program wherever the reference engine takes a checkpoint: nothing that comes
// out may change by that.
[[nodiscard]] bool has_updates(const random_case& of);

// Whether a step is a stateful program.
[[nodiscard]] bool keeps_state(const reference::step& of);

// Whether the model decides what comes of these events when what a crash undid is played again: a crash that moves the
// clock stands between two checkpoints, and nothing follows the end of the job.
[[nodiscard]] bool is_decided(const std::vector<reference::event>& events);

}  // namespace millrace::properties
