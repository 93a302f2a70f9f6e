#pragma once

#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/splittable/splittable_fn.hpp>
#include <millrace/transforms/splittable/splittable_records.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// How long one call of a splittable function may go on before its restriction is split, so that its shard can take a
// checkpoint and others have their turn.
struct splittable_limits {
  std::uint64_t outputs_max = 10'000;  // give or take a batch
  std::uint64_t claims_max = 10'000;
};

namespace detail {

// The outputs of a splittable function that were passed on: how many ever, and the greatest time in one call.
struct output_tally {
  std::uint64_t outputs = 0;
  timestamp greatest = timestamp::min();
};

// Counts the outputs of a splittable function on their way to the next step.
template <class X>
class output_watch final : public receiver<X> {
 public:
  explicit output_watch(output_tally& in) : in_(in) {}
  receiver_ref watch(receiver_ref next) {
    next_ = &next.as<X>();
    return static_cast<receiver<X>&>(*this);
  }
  void accept(const batch<X>& in) override {
    in_.outputs += in.count;
    in.each([&](std::uint32_t p, const X&) { in_.greatest = std::max(in_.greatest, in.at->time_at(p)); });
    next_->accept(in);
  }

 private:
  output_tally& in_;
  receiver<X>* next_ = nullptr;
};

}  // namespace detail

template <class Element, class Fn, class Outputs>
class splittable_operator;

// A splittable function on one shard: called for pairs of an element and a restriction, each once when it comes and
// again for what was left. A call that throws is repeated from its last claim on, since what it emitted for earlier
// claims stands. What is put off because a call was long goes on as soon as the stage has dealt with what else there
// is; what asked to be resumed waits for the clock. When the job is drained everything is truncated and worked off.
template <class Element, class Fn, class... Outs>
class splittable_operator<Element, Fn, detail::output_list<Outs...>> final : public stage_operator,
                                                                             public stage_head,
                                                                             private detail::claim_watch {
  using traits = detail::splittable_traits<Fn, Element>;
  using restriction = typename traits::restriction;
  using estimator = typename traits::estimator;
  using records = detail::splittable_records<Element, restriction, typename estimator::state>;
  using work = typename records::work;

 public:
  splittable_operator(const operator_environment& in, Fn fn, const splittable_limits& limits)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), clock_(in.clock), metrics_(in.metrics),
        fn_(std::move(fn)),
        limits_{std::max<std::uint64_t>(1, limits.outputs_max), std::max<std::uint64_t>(1, limits.claims_max)},
        watches_(tally_of<Outs>()...), emissions_(same<Outs>(in.batch_rows_max)...) {
    detail::bind_metrics(fn_, in.metrics);
  }

  void connect(std::size_t output, receiver_ref next) override {
    connect_one(output, next, std::index_sequence_for<Outs...>{});
  }
  stage_head* as_head() override { return this; }

  void setup() override {
    if constexpr (requires { fn_.setup(); }) around([&] { fn_.setup(); }, "setup()");
  }
  void finish_bundle() override {
    if (!std::exchange(in_bundle_, false)) return;
    const auto finish = [&](auto&... e) {
      if constexpr (requires { fn_.finish_bundle(e.out()...); }) {
        (e.begin_explicit(), ...);
        around([&] { fn_.finish_bundle(e.out()...); }, "finish_bundle()");
        end();
      } else if constexpr (requires { fn_.finish_bundle(); }) {
        around([&] { fn_.finish_bundle(); }, "finish_bundle()");
      }
    };
    std::apply(finish, emissions_);
  }
  void teardown() noexcept override {
    if constexpr (requires { fn_.teardown(); }) {
      try {
        fn_.teardown();
      } catch (...) {  // it is called after failures too, when nobody is left to tell
      }
    }
  }

  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      for (; row < run.end; ++row)
        for (const window& w : in.contexts[run.context].windows)
          begin_work(value_at<kv<Element, restriction>>(in.values, row), in.time_at(row),
                     {w, in.contexts[run.context].pane});
    if (!in.timers.empty()) go_on();
  }
  // What is due comes as a timer in a bundle. Now and then there is none though something is due, so that endless work
  // lets the stage tell its watermark; next_clock_timer() brings it back.
  void due_timers(bundle& to) override {
    const auto next = next_clock_timer();
    if (!next || *next > clock_.now || ++rounds_ > rounds_max) {
      rounds_ = 0;
      return;
    }
    to.timers.push_back(
        {.key = {}, .in = window::global(), .processing_time = true, .fires = *next, .output = timestamp::max()});
  }
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override {
    const auto next = put_off_.next_due();
    return next && clock_.draining ? std::min(*next, clock_.now) : next;
  }

  [[nodiscard]] timestamp hold() const override { return put_off_.hold(); }
  [[nodiscard]] bool has_state() const override { return !put_off_.empty(); }
  void snapshot(writer& to) const override { put_off_.encode(to); }
  void restore(reader& from) override { put_off_.decode(from); }

 private:
  static constexpr int rounds_max = 64;
  static constexpr int calls_max = 16;  // of what was put off, in one bundle

  template <std::size_t... Indices>
  void connect_one(std::size_t output, receiver_ref next, std::index_sequence<Indices...> /*all*/) {
    ((Indices == output ? std::get<Indices>(emissions_).connect(std::get<Indices>(watches_).watch(next)) : void()),
     ...);
  }
  template <class>
  static std::uint32_t same(std::uint32_t rows_max) {
    return rows_max;
  }
  template <class>
  detail::output_tally& tally_of() {
    return tally_;
  }
  template <class F>
  void each_emission(F&& f) {
    std::apply([&](auto&... e) { (f(e), ...); }, emissions_);
  }
  void end() {
    each_emission([&](auto& e) {
      e.end();
      metrics_.elements_out += e.passed();
    });
  }
  // A call without a restriction: its failure names the function instead.
  template <class F>
  void around(F&& f, const char* what) {
    try {
      f();
    } catch (...) {
      each_emission([](auto& e) { static_cast<void>(e.take_back()); });
      std::throw_with_nested(
          element_failure({step_, "", std::string(what) + ": " + message_of_current_exception(), 1}));
    }
  }
  [[noreturn]] void fail(const work& of, const std::string& cause, std::uint32_t attempts = 1) {
    throw element_failure(
        {step_, describe_stamped(describe_element(of.pair), of.time, of.in.windows), cause, attempts});
  }

  void begin_work(kv<Element, restriction> pair, timestamp time, context in) {
    work w{std::move(pair), time, std::move(in), timestamp::min(), timestamp::min(), typename estimator::state(time)};
    try {
      w.state = traits::first_state(fn_, w.pair.key, time);
      report(w, estimator(w.state));
    } catch (...) {
      fail(w, "initial_watermark(): " + message_of_current_exception());
    }
    run(std::move(w));
  }
  void go_on() {
    const std::uint64_t before = tally_.outputs;
    for (int calls = 0; calls < calls_max && tally_.outputs - before < limits_.outputs_max; ++calls) {
      auto next = put_off_.take_due(clock_.draining ? timestamp::max() : clock_.now);
      if (!next) return;
      run(std::move(*next));
    }
  }
  // A report never falls back, and what is being worked on holds the end of time off.
  void report(work& of, const estimator& now) const {
    of.mark = std::clamp(now.current(clock_.now), of.mark, timestamp::max() - duration{1});
  }
  void put_off(work w, restriction rest, timestamp due) {
    w.pair.value = std::move(rest);
    w.due = due;
    put_off_.add(std::move(w));
  }

  void run(work w) {
    if (clock_.draining && !w.truncated && !truncate(w)) return;
    if (!std::exchange(in_bundle_, true)) {
      if constexpr (requires { fn_.start_bundle(); }) around([&] { fn_.start_bundle(); }, "start_bundle()");
    }
    for (std::uint32_t attempts = 1; !call(w, attempts); ++attempts) {
    }
  }
  bool truncate(work& w) {
    try {
      auto left = traits::truncated(fn_, w.pair.key, w.pair.value, traits::template bounded<Outs...>());
      if (!left) return false;
      w.pair.value = std::move(*left);
    } catch (...) {
      fail(w, "truncate(): " + message_of_current_exception());
    }
    w.truncated = true;
    return true;
  }

  // Calls the function once; false if it has to be called again.
  bool call(work& w, std::uint32_t& attempts) {
    estimator marks(w.state);
    current_ = &w;
    marks_ = &marks;
    claimed_state_ = w.state;
    early_ = false;
    first_output_ = tally_.outputs;
    tally_.greatest = timestamp::min();
    each_emission([&](auto& e) { e.element(w.time, w.in); });
    detail::tracked_call<restriction> one(w.pair.value, *this);
    process_result result = process_result::stop();
    try {
      result = called(w, one, marks);
    } catch (...) {
      const std::string cause = message_of_current_exception();
      again_from_last_claim(w, one, attempts, cause);
      return false;
    }
    finish(w, one, marks, result);
    return true;
  }
  process_result called(const work& w, detail::tracked_call<restriction>& one, estimator& marks) {
    return std::apply(
        [&](auto&... e) {
          if constexpr (traits::template resumes<Outs...>)
            return traits::call(fn_, w.pair.key, one.claims(), marks, e.out()...);
          else {
            traits::call(fn_, w.pair.key, one.claims(), marks, e.out()...);
            return process_result::stop();
          }
        },
        emissions_);
  }
  // Inside the catch block of a call: makes `w` what it did not get done, or gives up.
  void again_from_last_claim(work& w, detail::tracked_call<restriction>& one, std::uint32_t& attempts,
                             const std::string& cause) {
    bool nothing_left = true;
    each_emission([&](auto& e) { nothing_left = e.take_back() && nothing_left; });
    end();
    if (one.refused()) fail(w, cause + "; it was thrown after the last claim had been refused", attempts);
    if (one.claimed() > 1) {
      attempts = 1;
      auto left = one.from_last_claim();
      check(left.has_value(), "a tracker whose claim succeeded can be split before it");
      w.pair.value = std::move(*left);
      w.state = *claimed_state_;
    }
    if (!nothing_left) fail(w, cause + "; some of its outputs had already left the step", attempts);
    if (attempts >= attempts_max_) fail(w, cause, attempts);
  }
  void finish(work& w, detail::tracked_call<restriction>& one, estimator& marks, const process_result& result) {
    const std::uint64_t refused_at = tally_.outputs;
    end();
    if (one.refused() && tally_.outputs > refused_at)
      fail(w, "it emitted after a claim was refused; the position belongs to another call, so return at once");
    if (early_ || (one.claimed() == 0 && tally_.outputs > first_output_))
      fail(w, "it emitted before a claim had succeeded; try_claim() first, then emit what belongs to the position");
    std::optional<restriction> rest;
    try {
      rest = one.rest(result.resume_after().has_value());
    } catch (...) {
      fail(w, message_of_current_exception());
    }
    if (!rest || (result.resume_after() && w.truncated)) return;
    if constexpr (requires { marks.observe(tally_.greatest); }) marks.observe(tally_.greatest);
    report(w, marks);
    w.state = marks.saved();
    put_off(std::move(w), std::move(*rest),
            result.resume_after() ? clock_.now + *result.resume_after() : timestamp::min());
  }

  // The function claims a position: what it has emitted so far is complete.
  bool attempted(std::uint64_t claims) override {
    if (claims == 0) {
      end();
      early_ = early_ || tally_.outputs > first_output_;
    }
    each_emission([&](auto& e) { e.element(current_->time, current_->in); });
    claimed_state_ = marks_->saved();
    return claims == 0 || (claims < limits_.claims_max && tally_.outputs - first_output_ < limits_.outputs_max);
  }
  void refused() override {
    end();
    each_emission([&](auto& e) { e.element(current_->time, current_->in); });
  }

  std::string step_;
  std::uint32_t attempts_max_;
  const stage_clock& clock_;
  metric_board& metrics_;
  Fn fn_;
  splittable_limits limits_;
  records put_off_;
  detail::output_tally tally_;
  std::tuple<detail::output_watch<Outs>...> watches_;
  std::tuple<detail::emission<Outs>...> emissions_;
  int rounds_ = 0;
  bool in_bundle_ = false;
  // Of the call that is going on.
  const work* current_ = nullptr;
  estimator* marks_ = nullptr;
  std::optional<typename estimator::state> claimed_state_;  // when the last claim was made
  std::uint64_t first_output_ = 0;
  bool early_ = false;
};

}  // namespace millrace
