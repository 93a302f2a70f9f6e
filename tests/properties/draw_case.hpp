#pragma once

#include <millrace/tests/properties/draws.hpp>
#include <millrace/tests/properties/random_case.hpp>

#include <cstdint>
#include <vector>

namespace millrace::properties {

// A pipeline of one to three steps over everything that transcripts can say, but for what the model leaves open: where
// an order that it does not give could be seen, the steps are ones that do not see it.
[[nodiscard]] reference::program draw_program(draws& from);

// Elements in bundles, watermarks, the clock, checkpoints and crashes for a pipeline.
[[nodiscard]] std::vector<reference::event> draw_events(draws& from, const reference::program& of);

// A case by its number.
[[nodiscard]] random_case draw_case(std::uint64_t seed);

}  // namespace millrace::properties
