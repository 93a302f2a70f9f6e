#pragma once

#include <millrace/actors/job_report.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace telemetry {

// What became of the records that were read.
struct totals {
  std::uint64_t read = 0;
  std::uint64_t aggregated = 0;
  std::uint64_t repeated = 0;
  std::uint64_t late = 0;
  std::uint64_t dead_lettered = 0;

  [[nodiscard]] std::uint64_t accounted() const { return aggregated + repeated + late + dead_lettered; }
};
[[nodiscard]] totals totals_of(const millrace::job_report& report);

// "read 100 = aggregated 90 + repeated 1 + late 2 + dead-lettered 7", or with "but" where it does not balance.
[[nodiscard]] std::string balance_text(const totals& of);

// How progress is shown: not at all, as one line that is written over again and again, or as a line each time.
enum class progress_style : std::uint8_t { none, live, lines };

// Shows how a job comes on, with a line first for a job that has resumed. It belongs to the thread that runs the job.
class progress_display {
 public:
  progress_display(std::ostream& out, progress_style style) : out_(out), style_(style) {}

  // Once for each picture of the job, the final one included.
  void show(const millrace::job_report& report);
  // Leaves the line that is written over.
  void finish();

 private:
  void tell_resumption(const millrace::job_report& report);

  std::ostream& out_;
  progress_style style_;
  bool resumption_told_ = false;
  bool open_line_ = false;
  std::uint64_t read_before_ = 0;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace telemetry
