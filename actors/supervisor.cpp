#include <millrace/actors/supervisor.hpp>
#include <millrace/transforms/stages/stage_instance.hpp>

#include <memory>
#include <utility>

namespace millrace {

namespace {

caf::actor spawned_checkpointer(caf::event_based_actor& supervisor, const blueprint_ptr& job) {
  const auto self = caf::actor_cast<caf::actor>(&supervisor);
  return job->options.on_one_thread ? supervisor.spawn(checkpointer_actor, job, self)
                                    : supervisor.spawn<caf::detached>(checkpointer_actor, job, self);
}

}  // namespace

caf::behavior supervisor_actor(caf::stateful_actor<supervisor_state>* self, blueprint_ptr job, checkpoint_ptr from) {
  return self->state.run(std::move(job), std::move(from));
}

caf::behavior supervisor_state::run(blueprint_ptr job, checkpoint_ptr from) {
  job_ = std::move(job);
  last_ = std::move(from);
  resumed_from_ = last_ ? last_->epoch : 0;
  attempted_ = metrics_of(last_);
  notices_ = notice_list(job_->options.on_notice);
  for (const std::string& notice : job_->notices) notices_.add(notice);
  checkpointer_ = spawned_checkpointer(*self_, job_);
  for (const stage_plan& s : job_->stages.stages)
    stages_.push_back(self_->spawn(stage_actor, job_, s.id, caf::actor_cast<caf::actor>(self_)));
  gather();
  return calls_of_shards().or_else(calls_of_users());
}

caf::message_handler supervisor_state::calls_of_shards() {
  return {
      [this](const shard_event& e) { event(e); },
      [this](const shard_work& done) {
        if (phase_ != phase::over) merge_metrics(attempted_, done.attempted);
      },
      [this](const shard_drops& dropped) { tell(dropped.drops); },
      [this](epoch_durable& durable) {
        if (durable.generation != generation_ || ended()) return false;
        last_ = std::move(durable.complete);
        return true;
      },
      [this](epoch_done& done) {
        if (done.generation != generation_ || ended()) return;
        last_ = std::move(done.complete);
        rewinds_since_progress_ = 0;
        if (done.last) end(draining_ ? job_state::drained : job_state::done, {});
      },
      [this](const epoch_failed& failed) {
        if (failed.generation == generation_ && !ended()) end(job_state::failed, failed.message);
      },
  };
}

caf::message_handler supervisor_state::calls_of_users() {
  return {
      [this](wait_atom) -> caf::result<job_report_ptr> {
        if (phase_ == phase::over) return std::make_shared<const job_report>(result_);
        waiters_.push_back(self_->make_response_promise());
        return waiters_.back();
      },
      // The result, or null while there is none.
      [this](peek_atom) {
        return phase_ == phase::over ? std::make_shared<const job_report>(result_) : job_report_ptr();
      },
      [this](status_atom) { return status(); },
      [this](shards_atom) -> roster_ptr { return peers_ ? peers_ : std::make_shared<const roster>(); },
      [this](cancel_atom) {
        if (!ended()) end(job_state::cancelled, {});
      },
      // Whoever plays test streams says that the last event has been dealt with: what has come out is the result.
      [this](settled_atom) {
        if (phase_ == phase::running && !std::exchange(final_asked_, true))
          self_->send(checkpointer_, final_atom::value, generation_);
      },
      [this](checkpoint_atom) {
        if (phase_ == phase::running) self_->send(checkpointer_, checkpoint_atom::value, generation_);
      },
      [this](hand_over_atom) { return hand_over(); },
      [this](go_on_atom) {
        if (!ended()) self_->send(checkpointer_, go_on_atom::value);
      },
      // At the epoch that was handed over: what came after it is as if it had not been done.
      [this](give_way_atom) {
        if (!ended()) end(job_state::updated, {});
      },
      [this](drain_atom) {
        if (ended()) return;
        draining_ = true;
        if (phase_ == phase::running) drain_shards();
      },
  };
}

caf::result<job_report_ptr> supervisor_state::status() {
  if (phase_ == phase::over) return std::make_shared<const job_report>(result_);
  auto answer = self_->make_response_promise();
  collect([answer](job_report& r, bool /*whole*/) mutable {
    answer.deliver(job_report_ptr(std::make_shared<const job_report>(std::move(r))));
  });
  return answer;
}

caf::result<handover> supervisor_state::hand_over() {
  if (ended()) return handover{nullptr, job_, "it has ended"};
  if (draining_) return handover{nullptr, job_, "it is being drained"};
  auto answer = self_->make_response_promise();
  self_->request(checkpointer_, caf::infinite, hand_over_atom::value)
      .then(
          [this, answer](checkpoint_ptr& at) mutable {
            answer.deliver(at ? handover{at, job_, {}} : handover{nullptr, job_, "its input has ended"});
          },
          [this, answer](const caf::error&) mutable {
            answer.deliver(handover{nullptr, job_, "it has ended, or another update or snapshot of it is under way"});
          });
  return answer;
}

// Begins a generation: the stages say which actors their shards are now.
void supervisor_state::gather() {
  phase_ = phase::gathering;
  const bool first = generation_++ == 0;
  const auto generation = generation_;
  gathering_.assign(stages_.size(), {});
  awaited_ = stages_.size();
  self_->send(checkpointer_, cancel_atom::value);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const auto answered = [this, generation, i](shard_list& shards) {
      if (generation != generation_ || ended()) return;
      gathering_[i] = std::move(shards);
      if (--awaited_ == 0) gathered();
    };
    if (first) self_->request(stages_[i], caf::infinite, start_stage{checkpointer_}).then(answered);
    else self_->request(stages_[i], caf::infinite, shards_atom::value).then(answered);
  }
}

void supervisor_state::gathered() {
  phase_ = phase::starting;
  started_.clear();
  finished_.clear();
  with_effects_.clear();
  final_asked_ = false;
  auto peers = std::make_shared<roster>();
  peers->generation = generation_;
  peers->shards = std::move(gathering_);
  peers_ = std::move(peers);
  awaited_ = 0;
  for (const auto& stage : peers_->shards) awaited_ += stage.size();
  if (last_)
    if (const auto notice = clock_notice(last_->clock, job_->now())) notices_.add(*notice);
  for (const auto& stage : peers_->shards)
    for (const auto& s : stage) self_->send(s, start_shard{peers_, last_});
}

void supervisor_state::event(const shard_event& e) {
  if (ended()) return;
  // A stage tells of a dead actor without knowing the generation; whatever else is old has been dealt with.
  if (e.generation != 0 && e.generation != generation_) return;
  switch (e.happened) {
  case shard_event::what::has_effects:
    with_effects_.emplace(e.stage, e.shard);
    return;
  case shard_event::what::started:
    started_.emplace(e.stage, e.shard);
    if (started_.size() == awaited_) all_started();
    return;
  case shard_event::what::finished:
    finished_.emplace(e.stage, e.shard);
    return maybe_finish();
  case shard_event::what::failed:
    return lost(e);
  }
}

void supervisor_state::lost(const shard_event& e) {
  const restart_facts facts{e.why, rewinds_since_progress_};
  if (!job_->options.restarts.rewind(facts)) return end(job_state::failed, e.message);
  ++rewinds_;
  ++rewinds_since_progress_;
  gather();
}

void supervisor_state::all_started() {
  phase_ = phase::running;
  self_->send(checkpointer_, begin_epochs{peers_, with_effects_, last_ ? last_->epoch + 1 : 1});
  if (draining_) drain_shards();
  maybe_finish();
}

// All of them hear of it before any hears what comes of it: no message of a shard overtakes these.
void supervisor_state::drain_shards() {
  for (const auto& stage : peers_->shards)
    for (const auto& s : stage) self_->send(s, drain_atom::value);
}

void supervisor_state::maybe_finish() {
  if (!job_->options.ends_with_input || phase_ != phase::running || finished_.size() < awaited_
      || std::exchange(final_asked_, true))
    return;
  self_->send(checkpointer_, final_atom::value, generation_);
}

void supervisor_state::end(job_state how, std::string error) {
  phase_ = phase::ending;
  collect([this, how, error = std::move(error)](job_report& r, bool whole) {
    // A shard that dies before it has told its last metrics costs a rewind like any other.
    if (!whole && (how == job_state::done || how == job_state::drained)) {
      phase_ = phase::running;
      return lost({shard_event::what::failed, 0, 0, generation_, shard_loss::crashed,
                   "the actor of a shard died at the end of the job"});
    }
    for (const step_drop& one : drops_.rest()) notices_.add(to_text(one));
    result_ = std::move(r);
    result_.notices = notices_.all();
    result_.holds.clear();
    result_.state = how;
    result_.error = error;
    phase_ = phase::over;
    stop_actors();
    const job_report_ptr report = std::make_shared<const job_report>(result_);
    for (auto& w : waiters_) w.deliver(report);
    waiters_.clear();
  });
}

void supervisor_state::stop_actors() {
  peers_ = nullptr;
  for (const auto& s : stages_) {
    if (!result_.succeeded() && result_.state != job_state::updated) self_->send(s, abort_atom::value);
    self_->send(s, final_atom::value);
  }
  self_->send_exit(checkpointer_, caf::exit_reason::user_shutdown);
  stages_.clear();
  checkpointer_ = nullptr;
}

void supervisor_state::collect(std::function<void(job_report&, bool)> then) {
  struct answers {
    std::vector<shard_status_ptr> got;
    std::size_t awaited = 0;
    bool whole = true;
    std::function<void(job_report&, bool)> then;
  };
  auto all = std::make_shared<answers>();
  all->then = std::move(then);
  const auto one_less = [this, all] {
    if (--all->awaited > 0) return;
    for (const auto& status : all->got) tell(status->drops);
    job_report r = report_of(all->got);
    all->then(r, all->whole);
  };
  if (peers_)
    for (const auto& stage : peers_->shards) all->awaited += stage.size();
  if (all->awaited == 0) {
    all->awaited = 1;
    return one_less();
  }
  for (const auto& stage : peers_->shards)
    for (const auto& s : stage)
      self_->request(s, caf::infinite, status_atom::value)
          .then(
              [all, one_less](shard_status_ptr& status) {
                all->got.push_back(std::move(status));
                one_less();
              },
              [all, one_less](const caf::error&) {
                all->whole = false;
                one_less();
              });
}

void supervisor_state::tell(const std::vector<step_drop>& drops) {
  if (phase_ == phase::over) return;
  for (const step_drop& one : drops)
    if (const auto told = drops_.pass(one, job_->now())) notices_.add(to_text(*told));
}

std::map<std::string, metric_board> supervisor_state::metrics_of(const checkpoint_ptr& complete) const {
  std::map<std::string, metric_board> all;
  if (!complete) return all;
  try {
    for (const auto& [of, bytes] : complete->parts)
      merge_metrics(all, metrics_of_snapshot(*job_->of, job_->stages.stages.at(of.first), *bytes));
  } catch (const decode_error&) {
    return {};  // the shard that restores from it says what is wrong
  }
  return all;
}

job_report supervisor_state::report_of(const std::vector<shard_status_ptr>& shards) const {
  job_report r;
  r.job = job_->job;
  r.epoch = last_ ? last_->epoch : 0;
  r.resumed_from = resumed_from_;
  r.rewinds = rewinds_;
  r.warnings = graph_warnings(*job_->of);
  r.notices = notices_.all();
  r.committed = metrics_of(last_);
  r.attempted = attempted_;
  std::map<edge_id, edge_traffic> traffic;
  std::map<stage_id, edge_traffic> timers;
  for (const auto& s : shards) {
    const stage_plan& stage = job_->stages.stages[s->stage];
    merge_metrics(r.metrics, s->metrics);
    merge_metrics(r.attempted, s->attempted);
    for (const auto& [edge, t] : s->traffic) traffic[edge].merge(t);
    if (s->timer_traffic.bundles > 0) timers[s->stage].merge(s->timer_traffic);
    shard_report one{stage.name,
                     s->shard,
                     0,
                     s->input_watermark,
                     s->output_watermark,
                     s->queued_bytes,
                     s->queued_bytes_max,
                     0,
                     s->has_state,
                     s->idle,
                     s->split};
    if (peers_) one.actor = peers_->shards[s->stage][s->shard].id();
    if (!stage.nodes.empty())
      if (const auto first = s->metrics.find(job_->of->at(stage.nodes.front()).path); first != s->metrics.end())
        one.elements_in = stage.inputs.empty() ? first->second.elements_out : first->second.elements_in;
    r.shards.push_back(std::move(one));
  }
  r.holds = watermark_holds(*job_->of, job_->stages, r.shards);
  const std::string codec = job_->options.edges == edge_compression::zstd ? "zstd" : "none";
  const auto& stages = job_->stages.stages;
  for (const edge_plan& e : job_->stages.edges)
    r.edges.push_back({stages[e.from].name, stages[e.to].name, codec, e.lift, traffic[e.id]});
  for (const auto& [stage, t] : timers) r.edges.push_back({stages[stage].name, stages[stage].name, codec, false, t});
  return r;
}

}  // namespace millrace
