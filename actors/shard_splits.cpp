#include <millrace/actors/shard.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace millrace {

// One round of questions.
struct shard_state::seeking {
  std::uint64_t generation = 0;
  std::uint64_t epoch = 0;  // when it began
  std::size_t awaited = 0;  // answers to the first question
  std::vector<std::pair<double, caf::actor>> donors;
  bool again = false;  // somebody is ahead of it, and may give something in the next epoch
};

void shard_state::seek() {
  if (seeking_ || !core_->wants_split()) return;
  seeking_ = true;
  const auto& shards = peers_->shards.at(at_.stage);
  auto round = std::make_shared<seeking>();
  round->generation = peers_->generation;
  round->epoch = core_->epoch();
  round->awaited = shards.size() - 1;
  const auto one_less = [this, round] {
    if (--round->awaited > 0 || !current(round->generation)) return;
    std::ranges::sort(round->donors, {}, [](const auto& donor) { return donor.first; });
    ask_next(round);
  };
  for (std::size_t s = 0; s < shards.size(); ++s) {
    if (s == at_.shard) continue;
    self_->request(shards[s], caf::infinite, left_atom::value, round->generation)
        .then(
            [round, one_less, peer = shards[s]](double left) {
              if (left > 0) round->donors.emplace_back(left, peer);
              one_less();
            },
            [round, one_less](const caf::error& /*it is gone, and the generation with it*/) {
              round->again = true;
              one_less();
            });
  }
}

void shard_state::ask_next(const std::shared_ptr<seeking>& round) {
  if (round->donors.empty()) return end_seeking(*round);
  const caf::actor donor = std::move(round->donors.back().second);
  round->donors.pop_back();
  self_->request(donor, caf::infinite, give_atom::value, round->generation, core_->epoch())
      .then(
          [this, round, donor](const split_offer& offer) {
            if (current(round->generation)) offered(round, donor, offer);
          },
          [this, round](const caf::error& /*it is gone, and the generation with it*/) {
            round->again = true;
            if (current(round->generation)) end_seeking(*round);
          });
}

void shard_state::offered(const std::shared_ptr<seeking>& round, const caf::actor& donor, const split_offer& offer) {
  if (offer.offered != split_offer::what::split) {
    round->again = round->again || offer.offered == split_offer::what::later;
    return ask_next(round);
  }
  bool taken = false;
  guarded([&] { taken = core_->take_split(offer.split, offer.epoch, job_->now()); });
  self_->send(donor, given_atom::value, round->generation, taken);
  if (!core_) return;
  if (!taken && core_->wants_split() && core_->epoch() == offer.epoch) return ask_next(round);
  round->again = true;
  end_seeking(*round);
  if (taken) schedule();
}

// Whoever is ahead has passed a barrier that is on its way here, unless it has come meanwhile.
void shard_state::end_seeking(const seeking& round) {
  seeking_ = false;
  guarded([&] {
    if (!round.again && core_->wants_split()) core_->no_more_splits();
    if (!round.again || core_->epoch() != round.epoch) schedule();
  });
}

caf::response_promise shard_state::ask(std::uint64_t generation, bool for_split, std::uint64_t epoch) {
  asked_.push_back({self_->make_response_promise(), generation, for_split, epoch});
  caf::response_promise answer = asked_.back().answer;
  answer_asked();
  return answer;
}

void shard_state::answer_asked() {
  if (asked_.empty()) return;
  auto all = std::exchange(asked_, {});
  for (asked& one : all)
    if (!answer(one)) asked_.push_back(std::move(one));
}

// False if it is too early.
bool shard_state::answer(asked& one) {
  const std::uint64_t own = peers_ ? peers_->generation : 0;
  if (one.generation > own) return false;
  if (core_ && one.generation == own) {
    if (!started_) return false;
    if (one.for_split && (core_->offering() || core_->epoch() < one.epoch)) return false;
    if (one.for_split) {
      one.answer.deliver(offer(one.epoch));
      return true;
    }
    std::optional<double> left;
    guarded([&] { left = core_->left(); });
    if (left || !core_) one.answer.deliver(left.value_or(0));
    return left || !core_;
  }
  if (one.for_split) one.answer.deliver(split_offer{});
  else one.answer.deliver(0.0);
  return true;
}

split_offer shard_state::offer(std::uint64_t epoch) {
  split_offer made{split_offer::what::later, core_->epoch(), {}};
  if (made.epoch > epoch) return made;
  guarded([&] {
    auto split = core_->offer_split();
    made.offered = split ? split_offer::what::split : split_offer::what::nothing;
    if (split) made.split = std::move(*split);
  });
  return made;
}

void shard_state::settle_offer(bool taken) {
  guarded([&] {
    core_->settle_offer(taken, job_->now());
    schedule();
  });
  answer_asked();
}

}  // namespace millrace
