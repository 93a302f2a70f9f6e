#pragma once

#include <millrace/transforms/sources/source.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace telemetry {

// What decides the records. Two generators with equal settings give equal records.
struct generator_settings {
  std::uint64_t count = 0;
  double rate = 0;   // records a second of the clock
  double speed = 1;  // seconds of event time in a second of the clock
  std::uint64_t sensors = 1;
  std::uint64_t seed = 1;
  double too_late = 0;  // the share of records so late that no window takes them
};

// The records of all sensors, by index. A record is a function of the settings and its index alone, and what a device
// measures is a function of device and time, so that a record is the same wherever and however often it is made. Of the
// records 1 % are late by less than six and a half minutes, 1 % repeat an earlier one, 0.5 % are malformed and 0.5 %
// tell a temperature that cannot be.
class generator {
 public:
  explicit generator(const generator_settings& settings);

  [[nodiscard]] std::uint64_t count() const { return of_.count; }
  [[nodiscard]] const generator_settings& settings() const { return of_; }
  // Replaces the text by the line of record `index`.
  void write(std::uint64_t index, std::string& line) const;

 private:
  enum class kind : std::uint8_t { ordinary, late, repeated, malformed, out_of_range, too_late };

  [[nodiscard]] std::uint64_t draw(std::uint64_t index, std::uint64_t what) const;
  [[nodiscard]] std::int64_t elapsed_millis(std::uint64_t index) const;
  [[nodiscard]] kind kind_of(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t original_of(std::uint64_t index) const;
  [[nodiscard]] std::int64_t time_of(std::uint64_t index, kind what) const;
  [[nodiscard]] std::int64_t hundredths_of(std::uint64_t device, std::int64_t time) const;
  void spoil(std::uint64_t index, std::string& line) const;

  generator_settings of_;
  std::uint64_t too_late_from_ = 0;  // the first index at which a record may be too late
  double too_late_share_ = 0;        // of those from there on
  std::uint64_t repeat_distance_ = 0;
};

// Records that are still to come.
struct record_range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const record_range&, const record_range&) = default;
};

// The generator as a source with one reader. Paced, it gives `pace` records a second, counted from where this process
// began: what a restart has missed is not made up for. A pace of 0 gives records as fast as they are taken.
class generator_source {
 public:
  using element = std::string;
  using split = record_range;
  class reader;

  generator_source(const generator_settings& settings, double pace) : of_(settings), pace_(pace) {}

  [[nodiscard]] bool bounded() const { return true; }
  [[nodiscard]] std::vector<record_range> splits(std::size_t desired) const;
  [[nodiscard]] reader open(record_range range) const;
  [[nodiscard]] std::string describe() const;

 private:
  generator of_;
  double pace_;
};

// Gives the records of a range, in order.
class generator_source::reader {
 public:
  reader(const generator& of, double pace, record_range range)
      : of_(of), pace_(pace), begin_(range.from), range_(range) {}

  millrace::read_status read(millrace::source_output<std::string>& out, millrace::timestamp now);
  [[nodiscard]] record_range remaining() const { return range_; }
  [[nodiscard]] millrace::watermark promise() const { return {}; }
  [[nodiscard]] millrace::timestamp next_read() const { return next_; }

 private:
  generator of_;
  double pace_;
  std::uint64_t begin_;
  record_range range_;
  std::optional<millrace::timestamp> started_;
  millrace::timestamp next_ = millrace::timestamp::min();
};

}  // namespace telemetry
