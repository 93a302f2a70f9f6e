#include <millrace/actors/simulation/simulated_job.hpp>
#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/transforms/graph/validate.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace millrace {

namespace {

// Keeps the newest epoch for the session, whose next job is a new process to the one before: what that has prepared is
// not undone when it dies.
class session_checkpoints final : public checkpoint_store {
 public:
  explicit session_checkpoints(std::optional<checkpoint> newest) : newest_(std::move(newest)) {}
  void write(const checkpoint& complete) override { newest_ = complete; }
  std::optional<checkpoint> newest() override { return newest_; }
  [[nodiscard]] bool outlives_process() const override { return true; }
  [[nodiscard]] std::string describe() const override { return "the session"; }

 private:
  std::optional<checkpoint> newest_;
};

// Longer than any session.
constexpr std::chrono::milliseconds session_longest = std::chrono::hours(24 * 365 * 50);

}  // namespace

simulation_session::simulation_session(const pipeline& p, const simulation_options& options)
    : pipeline_(&p), options_(options) {
  options_.job.checkpoint_every = session_longest;
  options_.job.ends_with_input = false;
  options_.job.on_notice = [this, listener = std::move(options_.job.on_notice)](const std::string& notice) {
    notices_.push_back(notice);
    if (listener) listener(notice);
  };
  start(timestamp{0});
}

simulation_session::~simulation_session() = default;

void simulation_session::start(timestamp clock) {
  job_.reset();
  options_.job.checkpoints = std::make_shared<session_checkpoints>(last_);
  job_ = std::make_unique<simulated_job>(*pipeline_, options_, clock);
  settle();
}

void simulation_session::settle() {
  job_->settle_event();
  report_ = *job_->status();
  switch (report_.state) {
  case job_state::running:
    return;
  case job_state::cancelled:
    state_ = session_state::cancelled;
    return;
  case job_state::failed:
    state_ = session_state::failed;
    error_ = report_.error;
    return;
  case job_state::done:
  case job_state::drained:
  case job_state::updated:
    state_ = session_state::drained;
    return;
  }
}

void simulation_session::play(std::size_t event) {
  if (!runs()) return;
  job_->play(event);
  settle();
}

void simulation_session::advance_clock(timestamp now) {
  if (!runs()) return;
  if (now > job_->now()) job_->pass_time(now - job_->now());
  settle();
}

void simulation_session::checkpoint() {
  if (!runs()) return;
  job_->tell(checkpoint_atom::value);
  settle();
  std::optional<millrace::checkpoint> taken = options_.job.checkpoints->newest();
  const std::uint64_t before = last_ ? last_->epoch : 0;
  if (!runs()) return;
  if (!taken || taken->epoch <= before) throw std::runtime_error("the simulated job has taken no checkpoint");
  last_ = std::move(taken);
  last_clock_ = job_->now();
}

void simulation_session::crash(std::optional<timestamp> clock) {
  if (runs()) start(clock.value_or(last_clock_));
}

void simulation_session::update(const pipeline& p, const name_mapping& names) {
  validate(p.description());
  if (!runs()) throw update_refused(pipeline_->name(), {has_ended(state_)});
  checkpoint();
  if (!runs()) return;
  const job_options& job = options_.job;
  const plan stages =
      make_plan(p.description(), {.shards = job.shards, .fuse = job.fuse, .lift_combiners = job.lift_combiners});
  static_cast<void>(adopt(*last_, {p.description(), stages, {}, job.fast_path}, names));
  pipeline_ = &p;
  options_.job.update = true;
  options_.job.transform_names = names;
  start(last_clock_);
}

void simulation_session::drain() {
  if (!runs()) return;
  job_->tell(drain_atom::value);
  settle();
  // What waits for an epoch comes out behind it, and may wait again in a later step.
  for (std::size_t step = 0; step < job_->steps() && runs() && queued_bytes() > 0; ++step) checkpoint();
  if (!runs()) return;
  const job_report drained = report_;
  job_->tell(settled_atom::value);
  settle();
  // The shards are gone by now: what they held at the end is what they held before.
  report_.shards = drained.shards;
}

void simulation_session::cancel() {
  if (!runs()) return;
  job_->tell(cancel_atom::value);
  settle();
}

timestamp simulation_session::output_watermark(const std::string& path) const {
  const graph& of = pipeline_->description();
  const job_options& job = options_.job;
  const plan stages = make_plan(of, {.shards = job.shards, .fuse = job.fuse, .lift_combiners = job.lift_combiners});
  timestamp least = timestamp::max();
  for (const stage_plan& s : stages.stages) {
    if (std::ranges::none_of(s.nodes, [&](node_id n) { return of.at(n).path == path; })) continue;
    for (const shard_report& shard : report_.shards)
      if (shard.stage == s.name) least = std::min(least, shard.output_watermark);
  }
  return least;
}

std::uint64_t simulation_session::dropped(const std::string& cause) const {
  return report_.dropped(cause);
}

std::size_t simulation_session::queued_bytes() const {
  std::size_t all = 0;
  for (const shard_report& shard : report_.shards) all += shard.queued_bytes;
  return all;
}

bool simulation_session::has_state() const {
  return std::ranges::any_of(report_.shards, &shard_report::has_state);
}

}  // namespace millrace
