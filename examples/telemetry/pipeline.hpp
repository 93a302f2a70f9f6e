#pragma once

#include "generator.hpp"

#include <millrace/transforms/pipeline.hpp>

#include <chrono>
#include <filesystem>
#include <string>

namespace telemetry {

// What the pipeline reads and where it writes.
struct pipeline_settings {
  generator_settings generated;
  double pace = 0;    // generated records a second of the clock; 0: as fast as they are taken
  std::string input;  // a file or a glob pattern to read instead
  std::filesystem::path output;
  millrace::duration early{30'000};  // processing time until an early result
};

// Names of steps and counters that the balance is made of.
inline constexpr const char* read_step = "read";
inline constexpr const char* once_step = "once";
inline constexpr const char* known_step = "known";
inline constexpr const char* dead_letter_step = "dead letters";
inline constexpr const char* repeated_counter = "repeated";
inline constexpr const char* aggregated_counter = "aggregated";

// From lines to telemetry.sqlite and the archive.
[[nodiscard]] millrace::pipeline make_pipeline(const pipeline_settings& settings);

}  // namespace telemetry
