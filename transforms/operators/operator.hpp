#pragma once

#include <millrace/transforms/bundles/outlet.hpp>
#include <millrace/transforms/checkpoints/state_schema.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/receiver.hpp>
#include <millrace/transforms/operators/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// The roles that an operator may have besides being a link of a chain. Each is small; a runner asks for the one it
// needs.

// The first operator of a stage that is fed by edges.
class stage_head {
 public:
  virtual ~stage_head() = default;
  // Takes the rows and the due timers of one bundle. Watermarks are not read from it: see advance().
  virtual void accept(const bundle& in) = 0;
  // The stage's clock has moved (watermark, processing time or both): releases what became due, either at once or, for
  // user timers, by due_timers(). Called after the rows that came before.
  virtual void advance() {}
  // Moves the user timers that are due into `to`, in the order they must fire. They count as pending until the bundle
  // that carries them has been accepted.
  virtual void due_timers(bundle& /*to*/) {}
  // The earliest processing time at which advance() would release something, if any.
  [[nodiscard]] virtual std::optional<timestamp> next_clock_timer() const { return std::nullopt; }
};

// How a read went.
enum class read_status : std::uint8_t {
  more,     // there may be more at once
  waiting,  // nothing before source_head::next_read()
  ended     // this shard's splits are exhausted
};

// The first operator of a stage that reads a source.
class source_head {
 public:
  virtual ~source_head() = default;
  // Passes on at most about `rows` elements in batches.
  virtual read_status read(std::uint32_t rows) = 0;
  // What the source promises about elements still to come; idle if its splits say so.
  [[nodiscard]] virtual watermark promise() const = 0;
  // The split behind the promise, by its name; empty if nothing is left or the source gives its splits no names.
  [[nodiscard]] virtual std::string split_behind_promise() const { return {}; }
  // When reading makes sense again after `waiting`.
  [[nodiscard]] virtual timestamp next_read() const = 0;
  // Stops reading for good: read() ends and promise() becomes max(). Used to drain.
  virtual void stop() = 0;
};

// The first operator of a stage whose shards take work over from each other while they run. What one has not begun, or
// the rest of what it is at, is a split that it gives away and another one takes; a split is at any moment with exactly
// one of them. One that has come to the end of its own waits, and holds its watermark, until it is given more or hears
// that there is none.
class split_sharer {
 public:
  virtual ~split_sharer() = default;
  // Lets the shards of its stage share, for as long as it runs. False if what it works on cannot be divided; then
  // nothing else is called.
  virtual bool share() = 0;
  // Whether it has come to the end of its own and waits.
  [[nodiscard]] virtual bool wants_split() const = 0;
  // About how much it has left to do, in a unit that its shards agree on; nullopt if it cannot tell yet.
  virtual std::optional<double> left() = 0;
  // Offers a part of what is left, if there is enough, and does not work on it before it knows what came of the offer.
  virtual std::optional<std::string> give_split() = 0;
  // What it has offered is another's, or else its own again.
  virtual void settle_split(bool taken) = 0;
  // Takes a split over; false if it does not want it or may not, for its watermark is too far.
  virtual bool take_split(std::string_view encoded) = 0;
  // There is nothing to take over, and never will be: it has come to its end.
  virtual void no_more_splits() = 0;
};

// The first operator of a stage that plays a test_stream: the runner plays event i only when the pipeline is quiescent.
class scripted_head {
 public:
  enum class event_kind : std::uint8_t { elements, watermark, processing_time };
  virtual ~scripted_head() = default;
  [[nodiscard]] virtual std::size_t events() const = 0;
  [[nodiscard]] virtual event_kind kind(std::size_t event) const = 0;
  // By how much a processing_time event moves the clock.
  [[nodiscard]] virtual duration clock_advance(std::size_t event) const = 0;
  // Passes the elements of an `elements` event on, or takes over the watermark of a `watermark` event.
  virtual void play(std::size_t event) = 0;
  // Ends the stream: promise() becomes max(). Used to drain.
  virtual void stop() = 0;
  [[nodiscard]] virtual timestamp promise() const = 0;
};

// An operator that reads side inputs. Views are numbered in the order of the node's side inputs.
class view_consumer {
 public:
  virtual ~view_consumer() = default;
  virtual void accept_view(std::uint32_t view, const bundle& in) = 0;
  // The output watermark of the view's producer. Afterwards parked elements that have become ready are passed on.
  virtual void advance_view(std::uint32_t view, timestamp mark) = 0;
};

// An operator with effects outside of the job that appear with a committed epoch. prepare() makes everything of the
// epoch durable but invisible; what commit() needs is part of the operator's snapshot. commit() is idempotent.
class epoch_participant {
 public:
  virtual ~epoch_participant() = default;
  virtual void prepare(std::uint64_t epoch) = 0;
  virtual void commit(std::uint64_t epoch) = 0;
  // The job failed or was cancelled: removes what was prepared but never committed.
  virtual void abort() noexcept = 0;
};

// One running operator of one shard. Made from an operator_spec, wired once, then driven by a stage instance on one
// thread: setup, restore?, (start_bundle, elements, finish_bundle)*, snapshot?, teardown.
class stage_operator {
 public:
  stage_operator() = default;
  stage_operator(const stage_operator&) = delete;
  stage_operator& operator=(const stage_operator&) = delete;
  virtual ~stage_operator() = default;

  // The receiver of main input `port`; empty for operators that are fed by edges or read.
  virtual receiver_ref input(std::size_t /*port*/) { return {}; }
  // Wires output `output` to its consumer. Every output is connected before setup().
  virtual void connect(std::size_t output, receiver_ref next) = 0;

  virtual void setup() {}
  virtual void start_bundle() {}
  virtual void finish_bundle() {}
  // Called once, also after a failure; must not throw.
  virtual void teardown() noexcept {}

  // The earliest output timestamp this operator may still produce on its own; max() when it holds nothing.
  [[nodiscard]] virtual timestamp hold() const { return timestamp::max(); }
  // Whether it keeps something for any key: state, a timer, a window. What holds the watermark counts anyway.
  [[nodiscard]] virtual bool has_state() const { return false; }
  // About how many bytes of elements it keeps that wait for side inputs, for their order or for an epoch.
  [[nodiscard]] virtual std::size_t waiting_bytes() const { return 0; }
  // Everything a restart needs. Restoring into a fresh operator of an equal spec continues exactly.
  virtual void snapshot(writer& /*to*/) const {}
  virtual void restore(reader& /*from*/) {}

  virtual stage_head* as_head() { return nullptr; }
  virtual source_head* as_source() { return nullptr; }
  virtual split_sharer* as_split_sharer() { return nullptr; }
  virtual scripted_head* as_scripted() { return nullptr; }
  virtual view_consumer* as_view_consumer() { return nullptr; }
  virtual epoch_participant* as_epoch_participant() { return nullptr; }
};

// The sending end of an edge: takes batches and appends their rows to a bundle per destination shard.
class edge_writer {
 public:
  edge_writer() = default;
  edge_writer(const edge_writer&) = delete;
  edge_writer& operator=(const edge_writer&) = delete;
  virtual ~edge_writer() = default;

  [[nodiscard]] virtual receiver_ref input() = 0;
  // Sends every row that still waits, including partial results. Called before the stage's watermark moves on, when the
  // input runs dry, and before a barrier.
  virtual void flush() = 0;
};

// Made by these, operators and writers have no smart pointer to their own type: one takes as long to compile as they
// do.
template <class Operator, class... Arguments>
[[nodiscard]] std::unique_ptr<stage_operator> make_operator(Arguments&&... arguments) {
  return std::unique_ptr<stage_operator>(new Operator(std::forward<Arguments>(arguments)...));
}
template <class Writer, class... Arguments>
[[nodiscard]] std::unique_ptr<edge_writer> make_edge_writer(Arguments&&... arguments) {
  return std::unique_ptr<edge_writer>(new Writer(std::forward<Arguments>(arguments)...));
}

// How an edge chooses the shard of a row.
enum class routing : std::uint8_t {
  by_key,     // the owner of the key's slice
  spread,     // bundle after bundle to the next shard
  broadcast,  // every shard
  forward     // the shard with the sender's number (equal shard counts) or its number modulo the shards
};

// What an edge writer is told when it is made.
struct edge_environment {
  bundle_outlet& to;
  routing by = routing::by_key;
  std::uint32_t sender_shard = 0;
  std::uint32_t bundle_rows_max = 1024;
  bool lift = false;      // aggregate partially before sending; only ever set where the plan found it legal
  std::string step = {};  // the full path of the transform that the edge leads to, whose functions it may call
};

// What an operator is for the planner.
enum class operator_kind : std::uint8_t {
  read,       // begins a stage: source or test stream
  element,    // fused into the stage of its input
  keyed,      // begins a stage behind a shuffle by key
  reshuffle,  // begins a stage behind a shuffle that spreads rows; has an operator only if it waits for epochs
  flatten,    // no operator: its consumers take several inputs
  view,       // a side input: its elements go to every shard of its consumers
};

// The immutable description of a transform's operator, shared by all runs of the graph. Nothing in it needs an element
// type known at compile time by whoever plans or runs it.
class operator_spec {
 public:
  operator_spec() = default;
  operator_spec(const operator_spec&) = delete;
  operator_spec& operator=(const operator_spec&) = delete;
  virtual ~operator_spec() = default;

  [[nodiscard]] virtual operator_kind kind() const = 0;
  // One line for people and for the fingerprint: what it does, its types and parameters. Equal programs give equal
  // texts.
  [[nodiscard]] virtual std::string describe() const = 0;
  // The running instance for one shard. `flatten` and `view` have none and throw broken_invariant.
  [[nodiscard]] virtual std::unique_ptr<stage_operator> make(const operator_environment& in) const = 0;
  // The sending end of the edges into a keyed operator.
  [[nodiscard]] virtual std::unique_ptr<edge_writer> make_writer(const edge_environment& /*to*/) const {
    return nullptr;
  }
  // Why partial aggregation before the shuffle is not allowed; empty if it is. Only combines answer with an empty text.
  [[nodiscard]] virtual std::string why_not_lifted() const { return "not a combine"; }
  // Whether the operator would take the fast path of flat tables; empty if so, else why it takes the general path.
  [[nodiscard]] virtual std::string why_not_fast() const { return "not a combine"; }
  // Whether its function must see the same elements again after a rewind, so that it waits for epochs to be durable.
  [[nodiscard]] virtual bool waits_for_epochs() const { return false; }
  // What is known of it for warnings.
  [[nodiscard]] virtual operator_traits traits() const { return {}; }
  // What its operators write into checkpoints: how a changed program is judged that goes on from one. Unless it says
  // otherwise, an element-wise operator keeps nothing, and any other nothing that another operator could go on from.
  [[nodiscard]] virtual state_schema state() const {
    state_schema kept;
    if (kind() == operator_kind::read || kind() == operator_kind::keyed) kept.text("operator", describe());
    return kept;
  }
  // A number of shards that the stage of this operator must have, if any (a sink with a fixed number of files).
  [[nodiscard]] virtual std::optional<std::uint32_t> fixed_shards() const { return std::nullopt; }
};

// Makes a spec, without a smart pointer to its own type.
template <class Spec, class... Arguments>
[[nodiscard]] std::shared_ptr<const operator_spec> make_spec(Arguments&&... arguments) {
  return std::unique_ptr<const operator_spec>(new Spec(std::forward<Arguments>(arguments)...));
}

}  // namespace millrace
