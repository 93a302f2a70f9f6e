#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/held_outputs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace::detail {

// The bundle of a splittable function which is done again as a whole when one of its calls throws, by a new copy of the
// function if that is told of bundles. Its work waits here until it ends; what it gives out, and what is left of its
// work, until it has succeeded. Attempts are counted for positions: in the bundle that is done again the call that
// failed behind others' positions is ended before its own, which is then the first of a call in a later bundle. Where
// the tracker cannot be split there, they are those of the call. Owned by the function's operator.
template <class Calls, class... Outs>
class splittable_bundle {
 public:
  using work = typename Calls::work;

  // Work that is given up, and why.
  struct given_up {
    work todo;
    std::string cause;
    std::uint32_t attempts;
  };
  // What a bundle has come to, besides its outputs.
  struct result {
    std::vector<given_up> lost;
    std::vector<work> later;  // in the order in which it is to be taken up
  };

  splittable_bundle(const operator_environment& in, Calls& calls)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), clock_(in.clock), metrics_(in.metrics),
        calls_(calls), outputs_(in.batch_rows_max) {
    std::size_t port = 0;
    outputs_.each([&](auto& o) { static_cast<void>(calls_.connect(port++, o)); });
  }

  // Wires an output; false for the number behind the last, which is that of an error output.
  bool connect(std::size_t output, receiver_ref next) { return outputs_.connect(output, next); }

  // Work to be done when the bundle ends, which the function has not seen before.
  void add(work w) { items_.push_back({.todo = std::move(w), .fresh = true, .cause = {}}); }
  [[nodiscard]] bool empty() const { return items_.empty(); }

  // Does the whole bundle, as often as it takes, and passes on what it has given out; throws the failure that lasts.
  // arguments(window) are the contents of side inputs; next() takes up work that was put off, if there is some that
  // this bundle may do. Where nobody takes what is given up, it fails.
  template <class Arguments, class Next>
  result run(bool gives_up, Arguments&& arguments, Next&& next) {
    const metric_board before = metrics_;
    const std::size_t registered = calls_.finalizations().registered();
    gives_up_ = gives_up;
    while (!attempt(arguments, next)) {
      calls_.end();
      outputs_.forget();
      calls_.finalizations().back_to(registered);
      metrics_.take_back_to(before);
      for (; reached_ > 0; --reached_) metrics_.attempt_again();
      calls_.renew();
    }
    outputs_.pass_on();
    return conclude();
  }

 private:
  struct item {
    work todo;
    bool fresh = false;
    std::uint64_t claims_max = Calls::any_number;
    std::optional<std::string> cause;  // of the position behind claims_max; of all, if it is given up
    bool lost = false;
  };

  template <class Arguments, class Next>
  bool attempt(Arguments& arguments, Next& next) {
    so_far_ = {};
    rests_.clear();
    reached_ = 0;
    begun_ = calls_.done();
    try {
      for (std::size_t i = 0; i < items_.size() || take_up(next); ++i)
        if (!work_on(items_[i], arguments)) return false;
      calls_.finish_bundle();
      return true;
    } catch (const element_failure& f) {
      if (!f.element().empty()) throw;  // it will not be called again
      if (++failures_ < attempts_max_) return false;
      std::throw_with_nested(element_failure({step_, "", f.cause(), failures_}));
    }
  }
  template <class Next>
  bool take_up(Next& next) {
    if (calls_.full_since(begun_)) return false;
    std::optional<work> more = next();
    if (more) items_.push_back({.todo = std::move(*more), .cause = {}});
    return more.has_value();
  }
  // False if the bundle is to be done again.
  template <class Arguments>
  bool work_on(item& at, Arguments& arguments) {
    if (at.lost) return true;
    std::optional<work> w = at.todo;
    ++reached_;
    if (at.fresh)
      if (auto cause = calls_.begin(*w)) return count(at, std::move(*cause));
    if (calls_.full_since(begun_)) {
      so_far_.later.push_back(std::move(*w));
      return true;
    }
    if (clock_.draining && !w->truncated)
      if (auto cause = calls_.truncate(w)) return count(at, std::move(*cause));
    if (!w) return true;
    calls_.start_bundle();
    auto came = calls_.call(*w, arguments, at.claims_max);
    if (came.failed) return failed(at, came.claims, std::move(came.failed->cause), came.failed->refused);
    if (came.rest) put_off(at, std::move(*came.rest), came.claims);
    return true;
  }
  bool failed(item& at, std::uint64_t claims, std::string cause, bool refused) {
    if (refused || claims < 2 || claims > at.claims_max) return count(at, std::move(cause));
    at.claims_max = claims - 1;
    at.cause = std::move(cause);
    return false;
  }
  bool count(item& at, std::string cause) {
    if (++at.todo.attempts < attempts_max_) return false;
    if (!gives_up_) calls_.fail(at.todo, cause, at.todo.attempts);
    at.cause = std::move(cause);
    at.lost = true;
    return false;
  }
  // The first position of what is left may be one that has failed.
  void put_off(const item& at, work rest, std::uint64_t claims) {
    if (claims == at.claims_max) rest.attempts = 1;
    if (rest.attempts < attempts_max_) return rests_.push_back(std::move(rest));
    if (!gives_up_) calls_.fail(rest, *at.cause, rest.attempts);
    so_far_.lost.push_back({std::move(rest), *at.cause, 1});
  }
  result conclude() {
    for (item& i : items_)
      if (i.lost) so_far_.lost.push_back({i.todo, std::move(*i.cause), i.todo.attempts});
    std::ranges::move(rests_, std::back_inserter(so_far_.later));
    rests_.clear();
    items_.clear();
    failures_ = 0;
    return std::exchange(so_far_, {});
  }

  std::string step_;
  std::uint32_t attempts_max_;
  const stage_clock& clock_;
  metric_board& metrics_;
  Calls& calls_;
  held_ports<Outs...> outputs_;
  std::deque<item> items_;
  std::uint32_t failures_ = 0;  // of calls around a bundle
  bool gives_up_ = false;
  // Of the attempt that is going on.
  result so_far_;
  std::vector<work> rests_;  // behind the work that was not reached
  typename Calls::amounts begun_;
  std::uint64_t reached_ = 0;
};

}  // namespace millrace::detail
