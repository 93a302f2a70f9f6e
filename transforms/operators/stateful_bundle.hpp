#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/held_outputs.hpp>
#include <millrace/transforms/state/cell_timers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace millrace::detail {

// The bundle of a stateful function that is told of bundles, which is done again as a whole when one of its calls
// throws. Its elements and timers wait here until it ends, and what it gives out until it has succeeded. An element
// that fails for good goes to the error output, and the bundle is done without it. Owned by the function's operator,
// which does the work and knows how to undo it.
template <class Element, class... Outs>
class stateful_bundle {
 public:
  // An element in one window that waits for the end of the bundle.
  struct waiting_element {
    Element value;
    std::string key;  // key bytes
    timestamp at;
    context in;
    std::uint32_t attempts = 0;
    std::optional<std::string> cause = {};  // of one that has failed for good
  };

  explicit stateful_bundle(const operator_environment& in)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), metrics_(in.metrics),
        outputs_(in.batch_rows_max) {}

  void connect(std::size_t output, receiver_ref next) {
    if (!outputs_.connect(output, next)) errors_ = &next.as<failed<Element>>();
  }
  // Where the function's outputs go meanwhile.
  template <class Emissions>
  void take_outputs_of(Emissions& of) {
    std::size_t port = 0;
    outputs_.each([&](auto& o) { static_cast<void>(of.connect(port++, o)); });
  }

  void add(waiting_element e) { elements_.push_back(std::move(e)); }
  void add(const std::vector<bundle_timer>& timers) { timers_.insert(timers_.end(), timers.begin(), timers.end()); }
  [[nodiscard]] const std::vector<bundle_timer>& timers() const { return timers_; }
  [[nodiscard]] bool empty() const { return elements_.empty() && timers_.empty(); }

  // Calls work(), which does the whole bundle, until it succeeds; after a failure undo(reached), which is told how many
  // elements were worked on. Throws the failure that lasts.
  template <class Work, class Undo>
  void run(Work&& work, Undo&& undo) {
    while (!attempt(work)) {
      undo(reached_);
      outputs_.forget();
    }
  }
  // Inside of work(), each before the calls it is about: an element, a timer, or none of them.
  template <class F>
  void give(waiting_element& e, F&& f) {
    element_ = &e;
    ++reached_;
    if (!e.cause) f(e);
  }
  template <class F>
  void give_elements(F&& f) {
    for (waiting_element& e : elements_) give(e, f);
  }
  void give_timer(const bundle_timer& t) {
    element_ = nullptr;
    timer_.emplace(timer_id{t.fires, t.key, t.in, t.cell, t.tag});
  }
  void give_none() {
    element_ = nullptr;
    timer_.reset();
  }
  // The elements that a timer of timers() puts in order: taken when they are first asked for, with take(elements).
  template <class Take>
  std::vector<waiting_element>& in_order(const bundle_timer& of, Take&& take) {
    const auto [at, first] = ordered_.try_emplace(&of);
    if (first) take(at->second);
    return at->second;
  }
  // Timers of timers() that are left to another bundle; asked with the elements that were taken for one.
  void leave(std::span<const bundle_timer> left) { left_ = left; }
  [[nodiscard]] std::span<const bundle_timer> left() const { return left_; }
  [[nodiscard]] std::vector<waiting_element> take_ordered(const bundle_timer& of) {
    const auto at = ordered_.find(&of);
    return at == ordered_.end() ? std::vector<waiting_element>{} : std::move(ordered_.extract(at).mapped());
  }

  // The bundle has succeeded: passes on what it gave out, then the elements that failed for good, and forgets it.
  void conclude() {
    outputs_.pass_on();
    for (const waiting_element& e : elements_) give_up(e);
    for (const bundle_timer& t : timers_)
      if (const auto of = ordered_.find(&t); of != ordered_.end())
        for (const waiting_element& e : of->second) give_up(e);
    elements_.clear();
    ordered_.clear();
    timers_.clear();
    timer_attempts_.clear();
    left_ = {};
    element_ = nullptr;
    failures_ = 0;
  }

 private:
  template <class Work>
  bool attempt(Work& work) {
    give_none();
    reached_ = 0;
    left_ = {};
    try {
      work();
      return true;
    } catch (const element_failure& f) {
      count(f);
      return false;
    }
  }
  // Inside the catch block: whether what failed may be called again, or the bundle done without it.
  void count(const element_failure& f) {
    std::uint32_t& attempts = element_ ? element_->attempts : timer_ ? timer_attempts_[*timer_] : failures_;
    if (++attempts < attempts_max_) return;
    if (!element_ || !errors_) std::throw_with_nested(element_failure({step_, f.element(), f.cause(), attempts}));
    element_->cause = f.cause();
  }
  void give_up(const waiting_element& e) {
    if (!e.cause) return;
    ++metrics_.error_elements;
    const failed<Element> one{e.value, step_, *e.cause, e.attempts};
    const stamps at{nullptr, e.at, e.at, nullptr, {&e.in, 1}};
    errors_->accept({&one, sizeof one, 1, nullptr, &at});
  }

  std::string step_;
  std::uint32_t attempts_max_;
  metric_board& metrics_;
  held_ports<Outs...> outputs_;
  receiver<failed<Element>>* errors_ = nullptr;

  std::vector<waiting_element> elements_;
  std::vector<bundle_timer> timers_;  // behind the elements
  std::map<const bundle_timer*, std::vector<waiting_element>> ordered_;
  std::span<const bundle_timer> left_;

  // What is being worked on, and what has failed how often: elements know that themselves.
  waiting_element* element_ = nullptr;
  std::optional<timer_id> timer_;
  std::uint64_t reached_ = 0;
  std::map<timer_id, std::uint32_t> timer_attempts_;
  std::uint32_t failures_ = 0;  // of calls around elements and timers
};

}  // namespace millrace::detail
