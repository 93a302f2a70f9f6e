#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telemetry {

// What a sensor reports, as the fields of one JSON line:
//   {"device":"s-00017","region":"eu-west","time":"2026-01-01T00:00:00.123Z","celsius":21.5}
struct reading {
  std::string device;
  std::string region;
  millrace::timestamp time;
  double celsius = 0;

  // Whole numbers add up to the same sum in any order.
  [[nodiscard]] std::int64_t hundredths() const { return std::llround(celsius * 100); }

  friend bool operator==(const reading&, const reading&) = default;
};

// A reading with the line that it came in.
struct received {
  std::string line;
  reading of;
};

// Devices are bought in batches of consecutive numbers; this is what the reference table knows of a batch.
inline constexpr std::uint64_t batch_devices = 100;
struct device_batch {
  std::uint64_t in_use = 0;  // the first so many of the batch

  friend bool operator==(const device_batch&, const device_batch&) = default;
};

// Devices are numbered: s-00017 is number 17. Nothing for another name.
[[nodiscard]] std::optional<std::uint64_t> device_number(std::string_view name);

// The text of a field, found without parsing the line, so that lines that are no JSON may have one too. The name comes
// with its quotes.
[[nodiscard]] std::optional<std::string_view> field_text(std::string_view line, std::string_view quoted_name);
// The event time of a line, if it has one.
[[nodiscard]] std::optional<millrace::timestamp> time_of_line(std::string_view line);

// Parses a line. Throws where it is not a reading, and where its temperature cannot be one.
[[nodiscard]] received parse(const std::string& line);

}  // namespace telemetry
