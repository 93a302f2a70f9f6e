#pragma once

#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/emissions.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/splittable/output_watch.hpp>
#include <millrace/transforms/splittable/splittable_fn.hpp>
#include <millrace/transforms/splittable/splittable_limits.hpp>
#include <millrace/transforms/splittable/splittable_records.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace::detail {

template <class Element, class Fn, class Outputs, class... Contents>
class splittable_calls;

// The running copy of a splittable function and the calls of it: each is watched, so that it is told what was claimed
// and is ended by a split after the limits, and says what is left of its work. Decides nothing about calls that failed.
// Owned by the function's operator.
template <class Element, class Fn, class... Outs, class... Contents>
class splittable_calls<Element, Fn, output_list<Outs...>, Contents...> final : private claim_watch {
 public:
  using traits = splittable_traits<Fn, Element, Contents...>;
  using restriction = typename traits::restriction;
  using estimator = typename traits::estimator;
  using records = splittable_records<Element, restriction, typename estimator::state>;
  using work = typename records::work;

  static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
  static constexpr bool finalizes =
      traits::template finalizes<Outs...> || emissions<Outs...>::template finalizes_bundles<Fn>;
  static constexpr bool renews = renewed_function<Fn, Outs...>;

  // Why a call failed, and how far it had come.
  struct failure {
    std::string cause;
    bool refused = false;   // it was thrown after a claim had been refused
    bool gave_out = false;  // outputs of its last position have left the step
    // What its last claim and all behind it make, if there were claims before and the tracker can be split there.
    std::optional<work> from_last_claim;
    std::optional<work> split_off;  // behind that
  };
  // What came of a call.
  struct outcome {
    std::uint64_t claims = 0;  // that succeeded
    std::optional<work> rest;  // what comes in another call
    std::optional<failure> failed;
  };

  splittable_calls(const operator_environment& in, Fn fn, const splittable_limits& limits)
      : step_(in.step), clock_(in.clock), time_(in.time), metrics_(in.metrics), prototype_(fn), fn_(std::move(fn)),
        limits_{std::max<std::uint64_t>(1, limits.outputs_max), std::max<std::uint64_t>(1, limits.claims_max),
                limits.time_max},
        watches_((static_cast<void>(sizeof(Outs)), tally_)...), emissions_(in) {
    bind_metrics(fn_, in.metrics);
  }

  // Wires an output; false for the number behind the last, which is that of an error output.
  bool connect(std::size_t output, receiver_ref next) {
    return connect_one(output, next, std::index_sequence_for<Outs...>{});
  }
  [[nodiscard]] finalization& finalizations() { return finalization_; }

  void setup() { emissions_.setup(fn_); }
  void teardown() noexcept { emissions_.teardown(fn_); }
  void start_bundle() {
    if (!std::exchange(in_bundle_, true)) emissions_.start_bundle(fn_);
  }
  void finish_bundle() {
    if (!std::exchange(in_bundle_, false)) return;
    finalization_.begin(clock_.now);
    emissions_.finish_bundle(fn_, finalization_.out());
  }
  // Replaces a copy that has thrown, if it is one that is replaced; the bundle of the new one has not begun.
  void renew() {
    if constexpr (renews) {
      in_bundle_ = false;
      emissions_.renew(fn_, prototype_);
    }
  }
  // Passes on what was given out.
  void end() { emissions_.end(); }
  // Calls f(), which asks the function for sizes; its failure names `what`.
  template <class F>
  void around(F&& f, const char* what) {
    emissions_.around(std::forward<F>(f), what);
  }
  [[nodiscard]] double size_of(const work& w) { return traits::size(fn_, w.pair.key, w.pair.value); }

  // Outputs that have left and claims that were made, ever; and whether so many more of them fill a bundle.
  struct amounts {
    std::uint64_t outputs = 0;
    std::uint64_t claims = 0;
  };
  [[nodiscard]] amounts done() const { return {tally_.outputs, attempts_}; }
  [[nodiscard]] bool full_since(const amounts& before) const {
    return tally_.outputs - before.outputs >= limits_.outputs_max || attempts_ - before.claims >= limits_.claims_max;
  }

  // Asks for the first watermark of a work; returns why that failed.
  std::optional<std::string> begin(work& w) {
    return asked("initial_watermark()", [&] {
      w.state = traits::first_state(fn_, w.pair.key, w.time);
      report(w, estimator(w.state));
    });
  }
  // Asks what a drain leaves of a work, which may be nothing; returns why that failed.
  std::optional<std::string> truncate(std::optional<work>& w) {
    return asked("truncate()", [&] {
      auto left = traits::truncated(fn_, w->pair.key, w->pair.value, traits::template bounded<Outs...>());
      if (!left) return w.reset();
      w->pair.value = std::move(*left);
      w->truncated = true;
    });
  }
  // Calls the function once, in a bundle that has begun, for so many claims at most. arguments(window) are the contents
  // of its side inputs, which may be what fails.
  template <class Arguments>
  outcome call(const work& w, const Arguments& arguments, std::uint64_t claims_max = any_number) {
    current_ = &w;
    claimed_state_ = w.state;
    early_ = false;
    claims_max_ = std::min(claims_max, limits_.claims_max);
    first_output_ = tally_.outputs;
    tally_.greatest = timestamp::min();
    began_ = time_ ? (*time_)() : clock_.now;
    begin_position();
    std::optional<open_call> now;
    process_result result = process_result::stop();
    try {
      now.emplace(w, static_cast<claim_watch&>(*this));
      marks_ = &now->marks;
      result = called(w, arguments, *now);
    } catch (...) {
      std::string cause = message_of_current_exception();
      return {.claims = now ? now->one.claimed() : 0, .rest = {}, .failed = failed(w, now, std::move(cause))};
    }
    return {.claims = now->one.claimed(), .rest = finished(w, *now, result), .failed = {}};
  }
  [[noreturn]] void fail(const work& of, const std::string& cause, std::uint32_t attempts = 1) const {
    throw element_failure(
        {step_, describe_stamped(describe_element(of.pair), of.time, of.in.windows), cause, attempts});
  }

 private:
  struct no_prototype {
    explicit no_prototype(const Fn& /*fn*/) {}
  };

  // A tracker and an estimator, which a user may have written: they may refuse what they are made of.
  struct open_call {
    estimator marks;
    tracked_call<restriction> one;
    open_call(const work& w, claim_watch& by) : marks(w.state), one(w.pair.value, by) {}
  };

  template <std::size_t... Indices>
  bool connect_one(std::size_t output, receiver_ref next, std::index_sequence<Indices...> /*all*/) {
    return ((Indices == output && emissions_.connect(output, std::get<Indices>(watches_).watch(next))) || ...);
  }
  template <class F>
  std::optional<std::string> asked(const char* call, F&& f) {
    metrics_.begin_call();
    try {
      f();
      return std::nullopt;
    } catch (...) {
      std::string cause = std::string(call) + ": " + message_of_current_exception();
      metrics_.take_back_call();
      return cause;
    }
  }
  // A report never falls back, and what is being worked on holds the end of time off.
  void report(work& of, const estimator& now) const {
    of.mark = std::clamp(now.current(clock_.now), of.mark, timestamp::max() - duration{1});
  }
  // What is emitted, reported and registered from now on belongs to a position, and is taken back with it.
  void begin_position() {
    emissions_.each([&](auto& e) { e.element(current_->time, current_->in); });
    metrics_.begin_call();
    finalization_.begin(clock_.now);
  }
  template <class Arguments>
  process_result called(const work& w, const Arguments& arguments, open_call& now) {
    const typename traits::call_parts with{now.one.claims(), now.marks, finalization_.out()};
    return arguments(w.in.windows.front()).apply([&](const auto&... c) {
      return emissions_.call([&](auto&... out) {
        if constexpr (traits::template resumes<Outs...>)
          return traits::template call<Outs...>(fn_, with, w.pair.key, c..., out...);
        else {
          traits::template call<Outs...>(fn_, with, w.pair.key, c..., out...);
          return process_result::stop();
        }
      });
    });
  }
  // Inside the catch block of a call: what it did for its last position is undone.
  failure failed(const work& w, std::optional<open_call>& now, std::string cause) {
    failure of{.cause = std::move(cause), .from_last_claim = {}, .split_off = {}};
    of.gave_out = !emissions_.take_back();
    metrics_.take_back_call();
    finalization_.take_back();
    emissions_.end();
    const auto with = [&](std::optional<restriction> left) {
      std::optional<work> part;
      if (!left) return part;
      part = w;
      part->pair.value = std::move(*left);
      part->state = *claimed_state_;
      part->due = timestamp::min();
      part->attempts = 0;
      return part;
    };
    if (!now) return of;
    of.refused = now->one.refused();
    of.split_off = with(now->one.split_off());
    if (now->one.claimed() > 1 && !of.refused) of.from_last_claim = with(now->one.from_last_claim());
    return of;
  }
  std::optional<work> finished(const work& w, open_call& now, const process_result& result) {
    const std::uint64_t refused_at = tally_.outputs;
    emissions_.end();
    if (now.one.refused() && tally_.outputs > refused_at)
      fail(w, "it emitted after a claim was refused; the position belongs to another call, so return at once");
    if (early_ || (now.one.claimed() == 0 && tally_.outputs > first_output_))
      fail(w, "it emitted before a claim had succeeded; try_claim() first, then emit what belongs to the position");
    std::optional<work> later;
    try {
      std::optional<restriction> rest = now.one.rest(result.resume_after().has_value());
      if (!rest || (result.resume_after() && w.truncated)) return later;
      if constexpr (requires { now.marks.observe(tally_.greatest); }) now.marks.observe(tally_.greatest);
      later = w;
      report(*later, now.marks);
      later->state = now.marks.saved();
      later->pair.value = std::move(*rest);
    } catch (...) {
      fail(w, message_of_current_exception());
    }
    later->due = result.resume_after() ? clock_.now + *result.resume_after() : timestamp::min();
    later->attempts = 0;
    return later;
  }

  // The function claims a position: what it has emitted so far is complete.
  bool attempted(std::uint64_t claims) override {
    if (claims == 0) {
      emissions_.end();
      early_ = early_ || tally_.outputs > first_output_;
    }
    begin_position();
    claimed_state_ = marks_->saved();
    ++attempts_;
    return claims == 0
           || (claims < claims_max_ && tally_.outputs - first_output_ < limits_.outputs_max
               && (!time_ || (*time_)() - began_ < limits_.time_max));
  }
  void refused() override {
    emissions_.end();
    begin_position();
  }

  std::string step_;
  const stage_clock& clock_;
  const std::function<timestamp()>* time_;
  metric_board& metrics_;
  [[no_unique_address]] std::conditional_t<renews, Fn, no_prototype> prototype_;
  Fn fn_;
  splittable_limits limits_;
  output_tally tally_;
  std::tuple<output_watch<Outs>...> watches_;
  finalization finalization_;
  emissions<Outs...> emissions_;
  std::uint64_t attempts_ = 0;  // of claims, ever
  bool in_bundle_ = false;
  // Of the call that is going on.
  const work* current_ = nullptr;
  estimator* marks_ = nullptr;
  std::optional<typename estimator::state> claimed_state_;  // when the last claim was made
  std::uint64_t claims_max_ = any_number;
  std::uint64_t first_output_ = 0;
  timestamp began_;
  bool early_ = false;
};

}  // namespace millrace::detail
