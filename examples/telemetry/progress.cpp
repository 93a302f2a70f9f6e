#include "progress.hpp"

#include "pipeline.hpp"

#include <millrace/io/timestamps.hpp>

#include <algorithm>
#include <ostream>

namespace telemetry {

namespace mr = millrace;

namespace {

const mr::metric_board& board_of(const mr::job_report& report, const std::string& step) {
  static const mr::metric_board none;
  const auto at = report.metrics.find(step);
  return at == report.metrics.end() ? none : at->second;
}

std::uint64_t counted(const mr::metric_board& board, const std::string& name) {
  const auto at = board.counters().find(name);
  return at == board.counters().end() ? 0 : static_cast<std::uint64_t>(at->second);
}

// What readers have read in this process, without what a checkpoint had already counted.
std::uint64_t read_here(const mr::job_report& report) {
  std::uint64_t rows = 0;
  for (const auto& edge : report.edges)
    if (edge.from == read_step) rows += edge.traffic.rows;
  return rows;
}

// How far the results are and how far behind what was read.
struct marks {
  mr::timestamp read = mr::timestamp::min();
  mr::timestamp results = mr::timestamp::max();
};
marks marks_of(const mr::job_report& report) {
  marks m;
  for (const auto& shard : report.shards) {
    if (shard.output_watermark < mr::timestamp::end_of_global_window())
      m.read = std::max(m.read, shard.output_watermark);
    m.results = std::min(m.results, shard.output_watermark);
  }
  return m;
}

std::string seconds(mr::duration d) {
  return std::to_string(d.count() / 1000) + "s";
}

std::string watermark_text(const mr::job_report& report) {
  const marks m = marks_of(report);
  if (m.results >= mr::timestamp::end_of_global_window()) return "watermark at the end";
  if (m.results == mr::timestamp::min()) return "no watermark yet";
  return "watermark " + mr::format_timestamp(m.results) + " (" + seconds(m.read - m.results) + " behind the reader)";
}

std::string backlog_text(const mr::job_report& report) {
  std::size_t queued_bytes = 0;
  for (const auto& shard : report.shards) queued_bytes += shard.queued_bytes;
  return "backlog " + std::to_string(queued_bytes / 1024) + " KiB";
}

}  // namespace

totals totals_of(const mr::job_report& report) {
  return {.read = board_of(report, read_step).elements_out,
          .aggregated = counted(board_of(report, known_step), aggregated_counter),
          .repeated = counted(board_of(report, once_step), repeated_counter),
          .late = report.dropped("late"),
          .dead_lettered = board_of(report, dead_letter_step).elements_in};
}

std::string balance_text(const totals& of) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  return "read " + number(of.read) + (of.read == of.accounted() ? " = aggregated " : " but aggregated ")
         + number(of.aggregated) + " + repeated " + number(of.repeated) + " + late " + number(of.late)
         + " + dead-lettered " + number(of.dead_lettered);
}

void progress_display::show(const mr::job_report& report) {
  tell_resumption(report);
  if (style_ == progress_style::none) return;
  const totals now = totals_of(report);
  const auto at = std::chrono::steady_clock::now();
  const std::chrono::duration<double> passed = at - shown_;
  const double rate = static_cast<double>(now.read - std::min(now.read, read_before_)) / passed.count();
  const bool rate_known = shown_ != std::chrono::steady_clock::time_point{};
  shown_ = at;
  read_before_ = now.read;
  const std::string text = "read " + std::to_string(now.read)
                           + (rate_known ? " (" + std::to_string(static_cast<std::uint64_t>(rate)) + "/s)" : "") + ", "
                           + watermark_text(report) + ", " + backlog_text(report) + ", late " + std::to_string(now.late)
                           + ", dead letters " + std::to_string(now.dead_lettered) + ", epoch "
                           + std::to_string(report.epoch);
  if (style_ == progress_style::live) out_ << "\r\x1b[K" << text << std::flush;
  else out_ << text << std::endl;
  open_line_ = style_ == progress_style::live;
}

void progress_display::finish() {
  if (open_line_) out_ << std::endl;
  open_line_ = false;
}

void progress_display::tell_resumption(const mr::job_report& report) {
  if (resumption_told_ || report.metrics.empty()) return;
  resumption_told_ = true;
  if (report.resumed_from == 0) return;
  const std::uint64_t read = totals_of(report).read;
  out_ << "resumed from epoch " << report.resumed_from << " (" << read - std::min(read, read_here(report))
       << " records already read)" << std::endl;
}

}  // namespace telemetry
