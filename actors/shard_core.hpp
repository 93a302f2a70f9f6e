#pragma once

#include <millrace/actors/protocol/aligner.hpp>
#include <millrace/actors/protocol/sequence.hpp>
#include <millrace/actors/protocol/watermark_merge.hpp>
#include <millrace/actors/shard_outlet.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// What a shard asks of its surroundings. The actor answers with messages, a test with plain calls.
class shard_surroundings {
 public:
  virtual ~shard_surroundings() = default;
  virtual void deliver(edge_id edge, std::uint32_t shard, shipment rows) = 0;
  // To shard `sender` of the stage that feeds `edge`.
  virtual void grant(edge_id edge, std::uint32_t sender, credit_grant credit) = 0;
  // The shard's part of a checkpoint; nothing of the epoch is visible yet.
  virtual void snapshot_taken(std::uint64_t epoch, std::string bytes) = 0;
  // Everything that the shard will ever send is on its way.
  virtual void finished() = 0;
};

// What a shard core is told when it is made.
struct shard_options {
  stage_id stage = 0;
  std::uint64_t generation = 0;
  std::size_t window_bytes = 1 << 20;       // credit per edge and destination
  bool pack = false;                        // compress every edge
  bool stepped = false;                     // watermarks and clock wait for step()
  std::size_t bundle_bytes_max = 64 << 20;  // of one unpacked bundle
  stage_options instance;
};

// What one shard of a stage does, without an actor: takes bundles in order, aligns barriers, merges watermarks, drives
// its stage instance, spends and grants credit. Its owner calls work() until it returns false, and again when a bundle,
// credit or the time of next_wake() has come. Anything thrown leaves the core unusable: the owner reports it and makes
// a new one from the last snapshot.
class shard_core {
 public:
  shard_core(const graph& of, const plan& in, const shard_options& options, shard_surroundings& around);

  // Sets the operators up and, with a snapshot, the one of `epoch`, restores their state. Once, first.
  void start(timestamp now, std::optional<std::string_view> snapshot, std::uint64_t epoch = 0);
  // A bundle has come. Older generations are dropped; a gap in a sender's sequence is a broken invariant.
  void receive(shipment in);
  void granted(credit_grant credit);
  // Begins epoch `epoch` at this shard: only for stages without main inputs.
  void inject_barrier(std::uint64_t epoch);
  // The epoch is durable everywhere: its effects outside appear, calls that wait for it are made unless they have
  // expired, and elements that waited for it go on.
  void commit(std::uint64_t epoch, timestamp now);
  // Stops its source or test stream, so that the job ends with everything read so far.
  void drain();
  void abort() noexcept { instance_.abort(); }

  // Shards of a stage take splits over from each other between two epochs, donor and taker the same two: a split that
  // is offered is still the donor's, which passes no barrier until it knows whether the other one has taken it.
  [[nodiscard]] bool wants_split() const;
  // How much it has left that others may take; nullopt if it cannot tell yet.
  std::optional<double> left();
  // The last epoch whose barrier it has passed.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  // Offers a part of what is left; nullopt if there is not enough. Not before the last offer is settled.
  std::optional<std::string> offer_split();
  [[nodiscard]] bool offering() const { return offering_; }
  void settle_offer(bool taken, timestamp now);
  // Takes a split that a shard offers which has passed the barrier of `epoch`. False: it cannot, or needs none any
  // more.
  bool take_split(std::string_view encoded, std::uint64_t epoch, timestamp now);
  // No shard has anything to give: it has come to its end.
  void no_more_splits();

  // Does one unit of work: a bundle, or a read. False if there is nothing to do before something comes.
  bool work(timestamp now);
  // How long a few units have taken. A source whose rows take long is read in small units, so that barriers and those
  // who ask for splits do not wait behind them.
  void took(duration units);
  // Processing time has come to next_wake().
  void tick(timestamp now);
  // Its watermark and clock move: for stepped jobs, in which they do not otherwise.
  void step(timestamp now);
  // Plays one event of its test stream.
  void play(std::size_t event, timestamp now);
  [[nodiscard]] std::optional<timestamp> next_wake() const;

  [[nodiscard]] bool is_source() const { return instance_.source() != nullptr; }
  [[nodiscard]] bool has_effects() const { return instance_.has_epoch_participants(); }
  [[nodiscard]] const stage_instance& instance() const { return instance_; }
  // Elements that its steps have dropped since the last call.
  [[nodiscard]] std::vector<step_drop> take_drops() { return instance_.take_drops(); }
  [[nodiscard]] timestamp output_mark() const { return output_; }
  [[nodiscard]] bool idle() const { return idle_; }
  // Bytes of rows that it holds: received and not completed, or waiting for credit.
  [[nodiscard]] std::size_t queued_bytes() const;
  [[nodiscard]] std::size_t queued_bytes_max() const { return queued_bytes_max_; }
  [[nodiscard]] std::map<edge_id, edge_traffic> traffic() const;
  // Of the due timers that it has sent to itself.
  [[nodiscard]] const edge_traffic& timer_traffic() const { return timer_traffic_; }
  [[nodiscard]] bool blocked() const;

 private:
  struct arrived_bundle {
    bundle_ptr rows;
    std::size_t charged_bytes;
    bool packed;
  };

  [[nodiscard]] stage_options instance_options();
  bundle_outlet& make_outlet(edge_id id);
  void carry_timers(bundle& due);
  [[nodiscard]] std::size_t sender_index(const bundle_header& h) const;
  bool take_bundle(timestamp now);
  void complete(arrived_bundle done);
  void apply_mark(const bundle_header& h, timestamp now);
  void barrier_reached(std::size_t sender, std::uint64_t epoch);
  void read_source(timestamp now);
  void work_came(timestamp now);
  void send_on(std::uint64_t barrier);
  void note_end();

  const plan& plan_;
  const stage_plan& stage_;
  shard_options options_;
  shard_surroundings& around_;
  std::map<edge_id, std::unique_ptr<shard_outlet>> outlets_;
  stage_instance instance_;
  // Senders are numbered over main edges, then views, then, for a stage without main inputs, the checkpointer.
  std::map<edge_id, std::size_t> first_sender_;
  std::size_t main_senders_ = 0;
  std::size_t senders_ = 0;
  watermark_merge merge_{0};
  std::map<edge_id, watermark_merge> view_merge_;
  sequence_check sequence_{0};
  aligner aligner_{0};
  std::deque<arrived_bundle> inbox_;
  std::deque<arrived_bundle> stash_;  // of senders that wait for a barrier
  std::size_t inbox_bytes_ = 0;
  std::size_t queued_bytes_max_ = 0;
  std::size_t snapshot_bytes_ = 0;  // of the last one
  timestamp output_ = timestamp::min();
  bool idle_ = false;
  bool unsent_ = false;      // something happened since send_on()
  std::uint32_t taken_ = 0;  // bundles since send_on()
  bool source_ended_ = true;
  bool source_waits_ = false;
  std::uint32_t read_rows_ = 1;
  bool end_noted_ = false;
  std::uint64_t epoch_ = 0;
  split_sharer* sharer_ = nullptr;  // while its shards share
  bool offering_ = false;
  std::optional<std::uint64_t> barrier_behind_offer_;
  edge_traffic timer_traffic_;
};

}  // namespace millrace
