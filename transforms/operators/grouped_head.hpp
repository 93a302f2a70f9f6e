#pragma once

#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/state/grouping.hpp>
#include <millrace/transforms/windows/window_error.hpp>

#include <exception>
#include <optional>
#include <string>

namespace millrace::detail {

// Drives the general engine of groupings from the bundles and clocks of a stage, and keeps the metrics of dropped
// elements. What group_operator and combine_operator have alike; they own it and the buffers it works on.
class grouped_head {
 public:
  grouped_head(const operator_environment& in, const windowing_strategy& strategy, group_buffers& buffers)
      : step_(in.step), clock_(in.clock), metrics_(in.metrics),
        engine_(strategy, buffers, {timestamp::min(), in.clock.now}) {}

  // One bundle of rows: the buffers know each by its number. Throws element_failure where a window function of a user
  // merges what it must not.
  void accept(const bundle& in) {
    metrics_.elements_in += in.rows;
    engine_.advance_clock(clock_.now);  // delays of what comes count from now
    engine_.begin_bundle();
    std::uint32_t row = 0;
    for (const row_run& run : in.runs) {
      const window_set& windows = in.contexts[run.context].windows;
      for (; row < run.end; ++row) engine_.add(in.keys.bytes_at(row), windows, in.time_at(row), row);
    }
    try {
      engine_.end_bundle();
    } catch (const window_error& e) {
      std::throw_with_nested(element_failure({step_, "", e.what(), 1}));
    }
  }
  void advance() {
    engine_.advance_clock(clock_.now);
    engine_.advance(clock_.input_watermark);
  }

  // Adds what was dropped since the last call to the metrics.
  void count_dropped() {
    const dropped_elements now = engine_.dropped();
    count_dropped({now.late - counted_.late, now.closed_window - counted_.closed_window});
  }
  // The same where the caller knows better how many elements the dropped rows stand for.
  void count_dropped(const dropped_elements& dropped) {
    const timestamp mark = engine_.input_watermark();
    if (dropped.late > 0) metrics_.drop("late", dropped.late, engine_.last_late(), mark);
    if (dropped.closed_window > 0) metrics_.drop("closed_window", dropped.closed_window, engine_.last_closed(), mark);
    counted_ = engine_.dropped();
  }

  [[nodiscard]] timestamp hold() const { return engine_.output_hold(); }
  // A trigger is ready when the clock is above its time.
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const {
    const timestamp next = engine_.next_clock_timer();
    if (next == timestamp::max()) return std::nullopt;
    return next + duration{1};
  }
  [[nodiscard]] timestamp input_watermark() const { return engine_.input_watermark(); }

  [[nodiscard]] bool has_state() const { return !engine_.empty(); }

  void snapshot(writer& to) const { engine_.encode(to); }
  void restore(reader& from) {
    engine_.advance_clock(clock_.now);  // delays of what it takes over count from now
    engine_.decode(from);
    counted_ = engine_.dropped();
  }
  // The engine, to be given windows that another one has kept.
  [[nodiscard]] grouping& taking_over() {
    engine_.advance_clock(clock_.now);
    return engine_;
  }

 private:
  std::string step_;
  const stage_clock& clock_;
  metric_board& metrics_;
  grouping engine_;
  dropped_elements counted_;
};

}  // namespace millrace::detail
