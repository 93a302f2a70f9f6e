#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/graph/validate.hpp>

#include <exception>
#include <utility>

namespace millrace {

direct_session::direct_session(const pipeline& p, direct_options options)
    : pipeline_(&p), options_(std::move(options)) {
  validate(p.description());
  options_.on_notice = [this, listener = std::move(options_.on_notice)](const std::string& notice) {
    notices_.push_back(notice);
    if (listener) listener(notice);
  };
  start(std::nullopt);
}

direct_session::~direct_session() {
  if (state_ == session_state::running) job_->abort();
}

template <class F>
void direct_session::guarded(F&& f) {
  if (state_ != session_state::running) return;
  try {
    f();
  } catch (const std::exception& error) {
    state_ = session_state::failed;
    error_ = error.what();
    job_->abort();
  }
}

void direct_session::start(std::optional<timestamp> clock) {
  job_ = std::make_unique<direct_job>(*pipeline_, options_, general_nodes_);
  const timestamp then = last_ ? last_->clock : timestamp{0};
  guarded([&] {
    job_->start(clock.value_or(then), last_ ? &*last_ : nullptr);
    job_->read_ready();
  });
}

void direct_session::play(std::size_t event) {
  guarded([&] {
    job_->play(event);
    job_->read_ready();
  });
}

void direct_session::advance_clock(timestamp now) {
  guarded([&] {
    job_->advance_clock(now);
    job_->read_ready();
  });
}

void direct_session::checkpoint() {
  guarded([&] { last_ = job_->checkpoint(last_ ? last_->epoch + 1 : 1); });
}

void direct_session::crash(std::optional<timestamp> clock) {
  if (state_ == session_state::running) start(clock);
}

void direct_session::update(const pipeline& p, const name_mapping& names) {
  validate(p.description());
  if (state_ != session_state::running) throw update_refused(pipeline_->name(), {has_ended(state_)});
  checkpoint();
  if (state_ != session_state::running) return;
  const plan stages = make_plan(
      p.description(), {.shards = options_.shards, .fuse = options_.fuse, .lift_combiners = options_.lift_combiners});
  adopted_checkpoint taken = adopt(*last_, {p.description(), stages, {}, options_.fast_path}, names);
  for (const std::string& notice : taken.notices) options_.on_notice(notice);
  pipeline_ = &p;
  last_ = std::move(taken.from);
  general_nodes_ = std::move(taken.general_nodes);
  start(std::nullopt);
}

void direct_session::drain() {
  guarded([&] {
    job_->drain();
    job_->commit(last_ ? last_->epoch + 1 : 1);
    job_->tell_rest();
    state_ = session_state::drained;
  });
}

void direct_session::cancel() {
  guarded([&] {
    job_->abort();
    state_ = session_state::cancelled;
  });
}

timestamp direct_session::output_watermark(const std::string& path) const {
  return job_->output_watermark(path);
}

std::uint64_t direct_session::dropped(const std::string& cause) const {
  return direct_result{.metrics = job_->metrics(), .attempted = {}}.dropped(cause);
}

}  // namespace millrace
