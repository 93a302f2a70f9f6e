#pragma once

#include <millrace/transforms/bundles/outlet.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/pipeline.hpp>
#include <millrace/transforms/windows/window_fn.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace millrace::testing {

// A collection that comes from nowhere, for graphs of one step.
class nowhere final : public operator_spec {
 public:
  [[nodiscard]] operator_kind kind() const override { return operator_kind::read; }
  [[nodiscard]] std::string describe() const override { return "nothing"; }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& /*in*/) const override {
    return nullptr;
  }
};

// A collection with this windowing, to apply a keyed step to.
template <class T>
pcollection<T> keyed_input(pipeline& p, windowing_strategy strategy, bool bounded = false) {
  node added;
  added.spec = std::make_shared<nowhere>();
  const std::string name = "in " + std::to_string(p.description().nodes().size());
  const node& n =
      p.shared_graph()->add(name, std::move(added), {{&element_type::of<T>(), std::move(strategy), bounded}});
  return {p.shared_graph(), n.outputs[0]};
}

// How a keyed step is run.
struct keyed_options {
  std::uint32_t shards = 1;
  bool lift = false;
  bool fast_path = false;
  std::uint32_t attempts_max = 4;
  std::uint32_t bundle_rows_max = 1024;
  bool durable_epochs = false;
};

// A row and its event time.
template <class Row>
struct timed {
  Row row;
  std::int64_t time;
};

// Runs one keyed step through its real edge: rows are written to bundles, each shard's operator takes its own, clocks
// are moved as a stage does. What comes out is kept as text: "(k, 3) [0, 10) @9 ON_TIME 0/0 F L".
template <class Row, class Out>
class keyed_step final : private bundle_outlet, private receiver<Out> {
 public:
  using lines = std::vector<std::string>;

  // `also_wire` connects other outputs than the first.
  explicit keyed_step(
      const pcollection<Out>& of, keyed_options options = {},
      std::function<void(stage_operator&)> also_wire = [](stage_operator&) {})
      : graph_(of.shared_owner()), options_(options), also_wire_(std::move(also_wire)) {
    const node& n = graph_->at(graph_->collection_at(of.id()).producer);
    spec_ = n.spec;
    path_ = n.path;
    into_ = graph_->collection_at(n.inputs[0]).windowing.into;
    make_operators();
    edge_environment to{.to = *this, .bundle_rows_max = options.bundle_rows_max, .lift = options.lift};
    writer_ = spec_->make_writer(to);
  }

  // Rows that arrive together: as one bundle unless options ask for smaller ones.
  lines bundle(const std::vector<timed<Row>>& rows) {
    for (const auto& r : rows) write(r);
    writer_->flush();
    for (auto& [shard, b] : std::exchange(sent_, {})) accept(shard, *b);
    due_timers();
    return taken();
  }
  lines element(Row row, std::int64_t time) { return bundle({{std::move(row), time}}); }
  lines watermark(std::int64_t to) { return watermark(timestamp{to}); }
  lines watermark(timestamp to) {
    clock.input_watermark = std::max(clock.input_watermark, to);
    return advance();
  }
  lines processing_time(std::int64_t to) {
    clock.now = std::max(clock.now, timestamp{to});
    return advance();
  }
  lines end() { return watermark(timestamp::max()); }

  // Moves only what is due into bundles, without giving them to the operator.
  std::vector<millrace::bundle> take_due_timers() {
    std::vector<millrace::bundle> due(operators_.size());
    for (std::size_t s = 0; s < operators_.size(); ++s) {
      due[s].clear(column::variable, column::variable);
      operators_[s]->as_head()->advance();
      operators_[s]->as_head()->due_timers(due[s]);
    }
    return due;
  }
  lines accept_timers(const std::vector<millrace::bundle>& due) {
    for (std::size_t s = 0; s < due.size(); ++s) accept(static_cast<std::uint32_t>(s), due[s]);
    return taken();
  }

  [[nodiscard]] timestamp output_watermark() const {
    timestamp least = clock.input_watermark;
    for (const auto& o : operators_) least = std::min(least, o->hold());
    return least;
  }
  [[nodiscard]] std::string snapshot() const {
    writer to;
    for (const auto& o : operators_) {
      const std::size_t opened = to.open();
      o->snapshot(to);
      to.close(opened);
    }
    return std::string(to.bytes());
  }
  // Fresh operators take over from a snapshot.
  void restore(const std::string& from) {
    make_operators();
    reader bytes(from);
    for (auto& o : operators_) {
      reader own = bytes.section();
      o->restore(own);
      own.expect_end();
    }
    static_cast<void>(advance());
  }
  void restart() { restore(snapshot()); }

  [[nodiscard]] stage_operator& running(std::size_t shard = 0) { return *operators_.at(shard); }

  stage_clock clock{.now = timestamp{0}};
  metric_board metrics;
  // Bundles that the edge made, of both kinds.
  std::uint64_t input_rows = 0;
  std::uint64_t accumulator_rows = 0;

 private:
  void make_operators() {
    operators_.clear();
    for (std::uint32_t s = 0; s < options_.shards; ++s) {
      operators_.push_back(spec_->make({.step = path_,
                                        .shard = s,
                                        .shards = options_.shards,
                                        .clock = clock,
                                        .metrics = metrics,
                                        .attempts_max = options_.attempts_max,
                                        .fast_path = options_.fast_path,
                                        .job = "test",
                                        .durable_epochs = options_.durable_epochs}));
      operators_.back()->connect(0, static_cast<receiver<Out>&>(*this));
      also_wire_(*operators_.back());
      operators_.back()->setup();
    }
  }
  void write(const timed<Row>& r) {
    const timestamp t{r.time};
    const context in{into_.assign(t), {}};
    stamps at;
    at.least = at.greatest = t;
    at.contexts = {&in, 1};
    writer_->input().template as<Row>().accept({&r.row, sizeof(Row), 1, nullptr, &at});
  }
  void accept(std::uint32_t shard, const millrace::bundle& b) {
    operators_[shard]->start_bundle();
    operators_[shard]->as_head()->accept(b);
    operators_[shard]->finish_bundle();
  }
  lines advance() {
    for (auto& o : operators_) {
      o->start_bundle();
      o->as_head()->advance();
      o->finish_bundle();
    }
    due_timers();
    return taken();
  }
  void due_timers() {
    for (std::uint32_t s = 0; s < operators_.size(); ++s)
      for (;;) {
        millrace::bundle due;
        due.clear(column::variable, column::variable);
        operators_[s]->as_head()->due_timers(due);
        if (due.timers.empty()) break;
        accept(s, due);
      }
  }
  lines taken() { return std::exchange(out_, {}); }

  [[nodiscard]] std::uint32_t shards() const override { return options_.shards; }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const override { return slice * options_.shards / slices_max; }
  [[nodiscard]] bundle_ptr take() override { return std::make_shared<millrace::bundle>(); }
  void send(std::uint32_t shard, bundle_ptr rows) override {
    (rows->header.accumulators ? accumulator_rows : input_rows) += rows->rows;
    sent_.emplace_back(shard, std::move(rows));
  }

  void accept(const batch<Out>& in) override {
    in.each([&](std::uint32_t p, const Out& x) {
      const context& c = in.at->context_at(p);
      std::string line = describe_element(x) + " " + window_text(c.windows.front()) + " @";
      const timestamp t = in.at->time_at(p);
      line += t == timestamp::end_of_global_window() ? "gwmax" : std::to_string(t.millis());
      constexpr const char* names[] = {"EARLY", "ON_TIME", "LATE"};
      if (c.pane.timing != pane_timing::unknown)
        line += std::string(" ") + names[static_cast<int>(c.pane.timing)] + " " + std::to_string(c.pane.index) + "/"
                + std::to_string(c.pane.non_speculative_index) + (c.pane.is_first ? " F" : "")
                + (c.pane.is_last ? " L" : "");
      out_.push_back(std::move(line));
    });
  }

  std::shared_ptr<graph> graph_;
  keyed_options options_;
  std::function<void(stage_operator&)> also_wire_;
  std::shared_ptr<const operator_spec> spec_;
  std::string path_;
  window_fn into_;
  std::vector<std::unique_ptr<stage_operator>> operators_;
  std::unique_ptr<edge_writer> writer_;
  std::vector<std::pair<std::uint32_t, bundle_ptr>> sent_;
  lines out_;
};

}  // namespace millrace::testing
