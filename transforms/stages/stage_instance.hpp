#pragma once

#include <millrace/transforms/metrics/notices.hpp>
#include <millrace/transforms/plan/plan.hpp>
#include <millrace/transforms/side/side_budget.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// What a stage instance is told besides its plan.
struct stage_options {
  std::uint32_t shard = 0;
  std::string job;
  std::string temp_folder = {};  // empty: sinks write beside their targets
  std::uint32_t attempts_max = 4;
  std::uint32_t batch_rows_max = UINT32_MAX;
  std::uint32_t bundle_rows_max = 1024;
  bool fast_path = true;
  std::set<node_id> general_nodes = {};  // do without it: what they go on from was written by the general path
  std::size_t side_input_bytes_max = static_cast<std::size_t>(-1);  // of side inputs, and of what waits for them
  // Whether the runner takes epochs again and again and commits them; else functions do not wait for them.
  bool durable_epochs = false;
  // Processing time, for functions that ask within a call how long it has taken. Null: it stands during a call.
  std::function<timestamp()> time = nullptr;
  // The way of due timers from a stage to itself: called with each bundle of them before it is accepted. A runner that
  // packs bundles packs these too. Null: they stay where they are.
  std::function<void(bundle&)> carry_timers = nullptr;
  // How many bundles of due timers, each set by the one before, are given at once. The rest waits for the next call:
  // see has_due_timers().
  std::uint32_t timer_rounds_max = UINT32_MAX;
  // Whether the ways out are full, so that due timers wait too: they are looked at again when has_due_timers() is
  // heeded. Asked before each such bundle. Null: never.
  std::function<bool()> full = nullptr;
};

// Gives the sending side of an edge; owned by the runner and alive as long as the instance.
using outlet_of = std::function<bundle_outlet&(edge_id)>;

// One shard of one stage at work: makes the operators, wires them once, and drives them on one thread. It knows the
// model's order of things (start, elements, finish, clocks, timers, watermark) and nothing of transport: both runners
// are loops around it. Any exception leaves it unusable; teardown() may still be called.
class stage_instance {
 public:
  stage_instance(const graph& of, const plan& in, stage_id which, const stage_options& options,
                 const outlet_of& outlets);
  stage_instance(const stage_instance&) = delete;
  stage_instance& operator=(const stage_instance&) = delete;
  ~stage_instance();

  // Calls setup() of every operator. Once, before anything else but restore().
  void setup(timestamp now);

  // Takes the rows and timers of one bundle of a main input; `now` is processing time.
  void accept(const bundle& in, timestamp now);
  // Takes the rows of one bundle of a side input.
  void accept_view(edge_id edge, const bundle& in, timestamp now);
  // The output watermark of a side input's producer.
  void advance_view(edge_id edge, timestamp mark);
  // Moves the clocks and releases what became due: panes, then user timers until none is due. Neither clock moves back.
  void advance(timestamp input_watermark, timestamp now);
  // Reads about that many elements; only for stages that begin with a source.
  read_status read(std::uint32_t rows, timestamp now);
  // Whether it is fed by edges.
  [[nodiscard]] bool has_head() const { return head_ != nullptr; }
  // The source or test stream it begins with, or null.
  [[nodiscard]] source_head* source() const { return source_; }
  // Its first operator, if that shares its work with the other shards; null otherwise.
  [[nodiscard]] split_sharer* sharer() const { return steps_.front().op->as_split_sharer(); }
  [[nodiscard]] scripted_head* script() const { return script_; }
  // Plays one event of its test stream. The elements of one event are one bundle.
  void play(std::size_t event, timestamp now);
  // The job is drained: its source or test stream stops for good. Timers that fire once the watermark is at its end are
  // caused by this.
  void drain();

  // What it promises about its future output: max(previous, min(input watermark, every hold)).
  [[nodiscard]] watermark output_watermark();
  // The merged input watermark, or the source's promise.
  [[nodiscard]] timestamp input_watermark() const { return clock_.input_watermark; }
  // Whether timers are left that were due in the last call; advance() goes on. The output watermark stands until then.
  [[nodiscard]] bool has_due_timers() const { return timers_left_; }
  // When advance() would release something by processing time.
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const;
  // Whether any operator keeps state, a timer or a hold.
  [[nodiscard]] bool has_state() const;
  // About how many bytes of elements its operators have put aside.
  [[nodiscard]] std::size_t waiting_bytes() const;
  // Whether its source should not be read for now: what it has read waits for side inputs and is as much as may wait.
  [[nodiscard]] bool reading_pauses() const { return budget_.full(); }
  // Sends all rows that wait in edge writers. Call before the output watermark is sent on.
  void flush();

  // Everything a restart needs: clocks, operators' state, metrics. Only between bundles.
  void snapshot(writer& to) const;
  // Takes the state of an equal instance; after setup(), before anything else. Throws decode_error.
  void restore(std::string_view snapshot);
  // The protocol of epochs, for operators with effects outside; see epoch_participant.
  void prepare(std::uint64_t epoch);
  void commit(std::uint64_t epoch, timestamp now);
  void abort() noexcept;
  [[nodiscard]] bool has_epoch_participants() const { return !participants_.empty(); }
  void teardown() noexcept;

  // The metrics of each of its nodes, by path.
  [[nodiscard]] std::map<std::string, const metric_board*> metrics() const;
  // What they have reported since it was made or restored, with what failed calls have.
  [[nodiscard]] std::map<std::string, metric_board> attempted() const;
  // Whether any of them has dropped elements since take_drops().
  [[nodiscard]] bool has_drops() const;
  [[nodiscard]] std::vector<step_drop> take_drops();

 private:
  struct step {
    const node* of = nullptr;  // null for readers and tees
    std::unique_ptr<metric_board> metrics;
    metric_board restored;  // what they were at first
    std::unique_ptr<stage_operator> op;

    [[nodiscard]] bool keeps() const { return op->has_state() || op->hold() != timestamp::max(); }
  };

  stage_operator& add(const node* of, std::string path,
                      const std::function<std::unique_ptr<stage_operator>(const operator_environment&)>& make);
  void make_operators(const graph& of);
  void wire(const graph& of, const plan& in, const outlet_of& outlets);
  // All receivers of a collection inside this stage and on its edges out.
  void connect(stage_operator& from, std::size_t output, const collection& c, std::span<const receiver_ref> to);
  [[nodiscard]] stage_operator& operator_of(node_id id) const;
  void run_bundle(const std::function<void()>& body);
  void fire_due_timers();
  void take(const bundle& in);
  void move_clocks(timestamp input_watermark, timestamp now);

  const stage_plan& plan_;
  stage_options options_;
  stage_clock clock_;
  side_input_budget budget_;
  timestamp output_ = timestamp::min();
  std::vector<step> steps_;  // in chain order
  std::vector<std::unique_ptr<edge_writer>> writers_;
  std::map<edge_id, std::pair<view_consumer*, std::uint32_t>> views_;
  std::map<edge_id, timestamp> view_marks_;  // of each side edge; a view advances with the least of its edges
  stage_head* head_ = nullptr;
  source_head* source_ = nullptr;
  scripted_head* script_ = nullptr;
  std::vector<epoch_participant*> participants_;
  bool set_up_ = false;
  bool timers_left_ = false;
};

// The metrics in what a stage instance has written as its snapshot, by path. Throws decode_error.
[[nodiscard]] std::map<std::string, metric_board> metrics_of_snapshot(const graph& of, const stage_plan& which,
                                                                      std::string_view snapshot);

// Adds the metrics of one shard, or of one part of a job's life, to those of others.
void merge_metrics(std::map<std::string, metric_board>& to, const std::map<std::string, metric_board>& other);

}  // namespace millrace
