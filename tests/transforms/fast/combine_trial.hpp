#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/fast/fast_combine.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>
#include <millrace/transforms/operators/operator.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace::testing {

// One pane as it left a combine.
template <class Key, class Out>
struct pane_row {
  Key key;
  Out value;
  std::int64_t time = 0;
  window in;
  pane_info pane;

  friend bool operator==(const pane_row&, const pane_row&) = default;
  friend auto operator<=>(const pane_row& a, const pane_row& b) {
    return std::tie(a.in, a.key, a.value, a.time, a.pane) <=> std::tie(b.in, b.key, b.value, b.time, b.pane);
  }
  friend std::ostream& operator<<(std::ostream& to, const pane_row& r) {
    constexpr const char* names[] = {"EARLY", "ON_TIME", "LATE", "UNKNOWN"};
    to << "[" << r.in.start.millis() << "," << r.in.end.millis() << ") " << r.key << ": " << r.value << " @" << r.time
       << " " << names[static_cast<int>(r.pane.timing)] << " " << r.pane.index << "/" << r.pane.non_speculative_index;
    return to << (r.pane.is_first ? " F" : "") << (r.pane.is_last ? " L" : "");
  }
};

// A row on its way into a combine.
template <class Key, class In>
struct input_row {
  Key key;
  In value;
  window_set windows;
};

// Drives one combine operator by hand and keeps what comes out.
template <class Key, class In, class Out>
class combine_trial : private receiver<kv<Key, Out>> {
 public:
  using make_operator = std::function<std::unique_ptr<stage_operator>(const operator_environment&)>;
  using panes = std::vector<pane_row<Key, Out>>;

  explicit combine_trial(make_operator make, std::uint32_t batch_rows_max = UINT32_MAX)
      : make_(std::move(make)), batch_rows_max_(batch_rows_max) {
    start();
  }

  // Passes a bundle of these rows; returns the panes that came out at once, sorted.
  panes bundle_of(const std::vector<input_row<Key, In>>& rows) {
    bundle b;
    b.clear(key_width<Key>, column_width<In>);
    writer scratch;
    for (const auto& r : rows) {
      begin_run(b, r.windows);
      append_key<Key>(b.keys, r.key, scratch);
      append_value<In>(b.values, r.value, scratch);
      b.runs.back().end = ++b.rows;
    }
    return pass(b);
  }
  panes pass(const bundle& b) {
    operator_->as_head()->accept(b);
    return taken();
  }
  panes advance(std::int64_t watermark) {
    clock_.input_watermark = std::max(clock_.input_watermark, timestamp{watermark});
    operator_->as_head()->advance();
    return taken();
  }
  panes advance_clock(std::int64_t now) {
    clock_.now = std::max(clock_.now, timestamp{now});
    operator_->as_head()->advance();
    return taken();
  }
  // Both clocks in one event.
  panes advance_both(std::int64_t watermark, std::int64_t now) {
    clock_.now = std::max(clock_.now, timestamp{now});
    return advance(watermark);
  }
  // A new operator takes over from a snapshot of the old one.
  void restart() {
    writer state;
    operator_->snapshot(state);
    start();
    reader from(state.bytes());
    operator_->restore(from);
    from.expect_end();
    operator_->as_head()->advance();
  }

  [[nodiscard]] std::int64_t output_watermark() const {
    return std::min(clock_.input_watermark, operator_->hold()).millis();
  }
  [[nodiscard]] std::int64_t next_clock_timer() const {
    return operator_->as_head()->next_clock_timer().value_or(timestamp::max()).millis();
  }
  [[nodiscard]] std::uint64_t dropped_late() { return metrics_.dropped("late"); }
  [[nodiscard]] const metric_board& metrics() const { return metrics_; }
  // The batches' sizes since the start.
  [[nodiscard]] const std::vector<std::uint32_t>& batches() const { return batches_; }
  // The panes of the last event in the order in which they came.
  [[nodiscard]] const panes& in_order() const { return in_order_; }
  [[nodiscard]] stage_operator& running() { return *operator_; }

 private:
  void start() {
    operator_ = make_(
        {.step = "combine", .clock = clock_, .metrics = metrics_, .batch_rows_max = batch_rows_max_, .job = "trial"});
    operator_->connect(0, static_cast<receiver<kv<Key, Out>>&>(*this));
    operator_->setup();
  }
  static void begin_run(bundle& b, const window_set& windows) {
    if (!b.runs.empty() && b.contexts[b.runs.back().context].windows == windows) return;
    b.runs.push_back({b.rows, static_cast<std::uint32_t>(b.contexts.size())});
    b.contexts.push_back({windows, {}});
  }
  void accept(const batch<kv<Key, Out>>& in) override {
    batches_.push_back(in.count);
    in.each([&](std::uint32_t p, const kv<Key, Out>& x) {
      const context& c = in.at->context_at(p);
      out_.push_back({x.key, x.value, in.at->time_at(p).millis(), c.windows.front(), c.pane});
    });
  }
  panes taken() {
    in_order_ = std::exchange(out_, {});
    panes sorted = in_order_;
    std::ranges::sort(sorted);
    return sorted;
  }

  make_operator make_;
  std::uint32_t batch_rows_max_;
  stage_clock clock_{.now = timestamp{0}};
  metric_board metrics_;
  std::unique_ptr<stage_operator> operator_;
  panes out_;
  panes in_order_;
  std::vector<std::uint32_t> batches_;
};

}  // namespace millrace::testing
