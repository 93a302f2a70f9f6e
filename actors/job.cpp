#include <millrace/actors/job.hpp>
#include <millrace/actors/messages.hpp>

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace millrace {

namespace {

// Asks the supervisor from a thread that is no actor.
template <class Atom>
job_report_ptr ask(caf::actor_system& system, const caf::actor& supervisor, Atom what) {
  caf::scoped_actor self{system};
  job_report_ptr answer;
  self->request(supervisor, caf::infinite, what)
      .receive([&](job_report_ptr& r) { answer = std::move(r); },
               [&](const caf::error& error) {
                 throw std::runtime_error("the supervisor of the job is gone: " + system.render(error));
               });
  return answer;
}

// Pauses between two looks at a job, growing from the one to the other: short jobs are noticed soon, long ones cost
// nothing.
constexpr std::chrono::milliseconds first_pause{1};
constexpr std::chrono::milliseconds longest_pause{16};

}  // namespace

job_report job::wait() const {
  return *ask(*system_, supervisor_, wait_atom::value);
}

std::optional<job_report> job::wait_for(std::chrono::milliseconds at_most) const {
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    if (const auto result = ask(*system_, supervisor_, peek_atom::value)) return *result;
    if (std::chrono::steady_clock::now() + pause > until) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

job_report job::status() const {
  return *ask(*system_, supervisor_, status_atom::value);
}

void job::cancel() const {
  caf::anon_send(supervisor_, cancel_atom::value);
}

void job::checkpoint() const {
  caf::anon_send(supervisor_, checkpoint_atom::value);
}

void job::drain() const {
  caf::anon_send(supervisor_, drain_atom::value);
}

void job::snapshot(checkpoint_store& to) const {
  const handover now = hand_over();
  if (!now.at) throw std::runtime_error("no snapshot can be taken of the job: " + now.refused);
  try {
    to.write(*now.at);
  } catch (...) {
    go_on();
    throw;
  }
  go_on();
}

handover job::hand_over() const {
  caf::scoped_actor self{*system_};
  handover answer;
  self->request(supervisor_, caf::infinite, hand_over_atom::value)
      .receive([&](handover& h) { answer = std::move(h); },
               [&](const caf::error& error) { answer.refused = "it is gone: " + system_->render(error); });
  return answer;
}

void job::go_on() const {
  caf::anon_send(supervisor_, go_on_atom::value);
}

void job::give_way() const {
  const auto shards = shard_actors();
  caf::anon_send(supervisor_, give_way_atom::value);
  const job_report result = wait();
  if (result.state != job_state::updated)
    throw std::runtime_error("job \"" + result.job + "\" has ended before it could be updated: " + to_text(result.state)
                             + (result.error.empty() ? "" : ": " + result.error));
  caf::scoped_actor self{*system_};
  for (const auto& stage : shards) self->wait_for(stage);
}

std::vector<std::vector<caf::actor>> job::shard_actors() const {
  caf::scoped_actor self{*system_};
  std::vector<std::vector<caf::actor>> all;
  self->request(supervisor_, caf::infinite, shards_atom::value)
      .receive([&](const roster_ptr& peers) { all = peers->shards; },
               [&](const caf::error& error) {
                 throw std::runtime_error("the supervisor of the job is gone: " + system_->render(error));
               });
  return all;
}

}  // namespace millrace
