#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace telemetry {

// The rows of telemetry.sqlite: a column for each field. Minutes are seconds since 1970.

struct minute_row {
  std::string device;
  std::int64_t minute = 0;
  std::int64_t count = 0;
  double min = 0;
  double mean = 0;
  double max = 0;
};

struct top_row {
  std::string region;
  std::int64_t minute = 0;
  std::int64_t rank = 0;
  std::string device;
  double celsius = 0;
};

// A record that could not be used. Device and time are there if they could be found in it.
struct dead_letter {
  std::string payload;
  std::string error;
  std::optional<std::string> device;
  std::string step;
  std::optional<std::string> time;
};

}  // namespace telemetry
