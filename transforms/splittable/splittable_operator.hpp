#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/emissions.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/operators/stateful_views.hpp>
#include <millrace/transforms/splittable/output_watch.hpp>
#include <millrace/transforms/splittable/splittable_fn.hpp>
#include <millrace/transforms/splittable/splittable_limits.hpp>
#include <millrace/transforms/splittable/splittable_records.hpp>
#include <millrace/transforms/splittable/splittable_sharing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

template <class Element, class Fn, class Outputs, class... Shapes>
class splittable_operator;

// A splittable function on one shard: called for pairs of an element and a restriction, each once when it comes and
// again for what was left. A call that throws is repeated from its last claim on, since what it emitted for earlier
// claims stands. What is put off because a call was long goes on as soon as the stage has dealt with what else there
// is; what asked to be resumed waits for the clock. When the job is drained everything is truncated and worked off.
// Pairs whose side inputs are not ready wait until they are, and what is put off of them stays on this shard, which
// keeps the contents for it. Without side inputs, of what is put off and has an end, a shard that has nothing to do and
// gets no more input takes a part over; until it knows that there is none its watermark stands. With an error output,
// its last port, an element goes there when what is left of its restriction fails for good; what earlier claims gave
// out stands.
template <class Element, class Fn, class... Outs, class... Shapes>
class splittable_operator<Element, Fn, detail::output_list<Outs...>, Shapes...> final : public stage_operator,
                                                                                        public stage_head,
                                                                                        public view_consumer,
                                                                                        public epoch_participant,
                                                                                        public split_sharer,
                                                                                        private detail::claim_watch {
  using traits = detail::splittable_traits<Fn, Element, typename Shapes::contents...>;
  using restriction = typename traits::restriction;
  using estimator = typename traits::estimator;
  using records = detail::splittable_records<Element, restriction, typename estimator::state>;
  using work = typename records::work;
  using pair = kv<Element, restriction>;

 public:
  // What a splittable function reads: the views, and how late an element may be that asks for them.
  struct side_reading {
    std::tuple<view_source<Shapes>...> views;
    duration lateness{0};
  };

  splittable_operator(const operator_environment& in, Fn fn, const splittable_limits& limits, const side_reading& reads)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), clock_(in.clock), time_(in.time),
        metrics_(in.metrics), fn_(std::move(fn)),
        limits_{std::max<std::uint64_t>(1, limits.outputs_max), std::max<std::uint64_t>(1, limits.claims_max),
                limits.time_max},
        lateness_(reads.lateness), views_(in, reads.views, reads.lateness),
        watches_((static_cast<void>(sizeof(Outs)), tally_)...), emissions_(in) {
    detail::bind_metrics(fn_, in.metrics);
  }

  void connect(std::size_t output, receiver_ref next) override {
    if (!connect_one(output, next, std::index_sequence_for<Outs...>{})) errors_ = &next.as<failed<Element>>();
  }
  stage_head* as_head() override { return this; }
  view_consumer* as_view_consumer() override { return this; }
  split_sharer* as_split_sharer() override { return this; }
  // Only functions that register calls take part in epochs.
  epoch_participant* as_epoch_participant() override { return finalizes ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { finalization_.prepare(epoch); }
  void commit(std::uint64_t epoch) override { finalization_.commit(epoch, clock_.now); }
  void abort() noexcept override { finalization_.abort(); }

  void setup() override { emissions_.setup(fn_); }
  void finish_bundle() override {
    if (std::exchange(in_bundle_, false)) {
      finalization_.begin(clock_.now);
      emissions_.finish_bundle(fn_, finalization_.out());
    }
    if constexpr (sizeof...(Shapes) > 0) views_.collect(clock_.input_watermark, put_off_.least_end());
  }
  void teardown() noexcept override { emissions_.teardown(fn_); }

  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      for (; row < run.end; ++row)
        for (const window& w : in.contexts[run.context].windows)
          take(value_at<pair>(in.values, row), in.time_at(row), {w, in.contexts[run.context].pane});
    if (!in.timers.empty()) go_on();
  }
  void accept_view(std::uint32_t view, const bundle& in) override {
    views_.accept(view, in);
    release();
  }
  void advance_view(std::uint32_t view, timestamp mark) override {
    views_.advance(view, mark);
    release();
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

  [[nodiscard]] timestamp hold() const override {
    const timestamp least = std::min({put_off_.hold(), views_.hold(), sharing_.hold()});
    return wants_split() ? std::min(least, clock_.output_watermark) : least;
  }
  [[nodiscard]] bool has_state() const override { return !put_off_.empty(); }
  [[nodiscard]] std::size_t waiting_bytes() const override { return views_.waiting_bytes(); }
  void snapshot(writer& to) const override {
    sharing_.encode(to);
    put_off_.encode(to);
    if constexpr (sizeof...(Shapes) > 0) views_.snapshot(to);
  }
  void restore(reader& from) override {
    sharing_.decode(from);
    put_off_.decode(from);
    if constexpr (sizeof...(Shapes) > 0) views_.restore(from);
  }

  // Contents of side inputs stay with the pairs that wait for them.
  bool share() override {
    if constexpr (sizeof...(Shapes) == 0) sharing_.begin();
    return sizeof...(Shapes) == 0;
  }
  [[nodiscard]] bool wants_split() const override {
    return takes_part() && at_end() && put_off_.empty() && !sharing_.offers();
  }
  // Rows may still be on their way to it before the watermark is at its end.
  std::optional<double> left() override {
    std::optional<double> left;
    if (!takes_part()) left = 0.0;
    else if (at_end()) emissions_.around([&] { left = sharing_.left(put_off_, may_go(), size_of()); }, "size()");
    return left;
  }
  std::optional<std::string> give_split() override {
    std::optional<std::string> given;
    if (takes_part() && at_end())
      emissions_.around([&] { given = sharing_.give(put_off_, may_go(), size_of()); }, "size() or try_split()");
    return given;
  }
  void settle_split(bool taken) override {
    sharing_.settle(put_off_, taken);
    if (taken) ++metrics_.counter("splits_given");
  }
  bool take_split(std::string_view encoded) override {
    if (!wants_split() || !sharing_.take(put_off_, encoded, clock_.output_watermark)) return false;
    ++metrics_.counter("splits_taken");
    return true;
  }
  void no_more_splits() override { sharing_.end(); }

 private:
  static constexpr int rounds_max = 64;
  static constexpr int calls_max = 16;  // of what was put off, in one bundle
  static constexpr bool finalizes =
      traits::template finalizes<Outs...> || detail::emissions<Outs...>::template finalizes_bundles<Fn>;
  [[nodiscard]] bool takes_part() const { return sharing_.takes_part() && !clock_.draining; }
  [[nodiscard]] bool at_end() const { return clock_.input_watermark == timestamp::max(); }
  // What waits for a delay costs nobody time, and what has no end would have to be shared for ever.
  [[nodiscard]] auto may_go() const {
    return [now = clock_.now](const work& w) { return w.due <= now && traits::template ends<Outs...>(w.pair.value); };
  }
  [[nodiscard]] auto size_of() {
    return [this](const work& w) { return traits::size(fn_, w.pair.key, w.pair.value); };
  }

  // False for the number behind the last output.
  template <std::size_t... Indices>
  bool connect_one(std::size_t output, receiver_ref next, std::index_sequence<Indices...> /*all*/) {
    return ((Indices == output && emissions_.connect(output, std::get<Indices>(watches_).watch(next))) || ...);
  }
  [[noreturn]] void fail(const work& of, const std::string& cause, std::uint32_t attempts = 1) {
    throw element_failure(
        {step_, describe_stamped(describe_element(of.pair), of.time, of.in.windows), cause, attempts});
  }

  // The function has thrown for good: the element goes to the error output, if there is one.
  void give_up(const work& of, const std::string& cause, std::uint32_t attempts = 1) {
    if (!errors_) fail(of, cause, attempts);
    ++metrics_.error_elements;
    const failed<Element> one{of.pair.key, step_, cause + "; not done: " + describe_element(of.pair.value), attempts};
    const stamps at{nullptr, of.time, of.time, nullptr, {&of.in, 1}};
    errors_->accept({&one, sizeof one, 1, nullptr, &at});
  }

  void take(pair all, timestamp time, const context& in) {
    const window& w = in.windows.front();
    if (w.max_timestamp() + lateness_ < clock_.input_watermark && views_.may_be_forgotten(w, clock_.input_watermark))
      metrics_.drop("late", 1, w, clock_.input_watermark);
    else if (views_.ready(w)) begin_work(std::move(all), time, in);
    else views_.park(w, {{}, std::move(all), time, in.pane});
  }
  void release() {
    views_.release(
        [&](const window& w, const auto& waiting) { begin_work(waiting.value, waiting.time, {w, waiting.pane}); });
  }
  void begin_work(pair all, timestamp time, context in) {
    work w{std::move(all), time, std::move(in), timestamp::min(), timestamp::min(), typename estimator::state(time)};
    try {
      w.state = traits::first_state(fn_, w.pair.key, time);
      report(w, estimator(w.state));
    } catch (...) {
      return give_up(w, "initial_watermark(): " + message_of_current_exception());
    }
    run(std::move(w));
  }
  void go_on() {
    const std::uint64_t outputs = tally_.outputs;
    const std::uint64_t claims = attempts_;
    for (int calls = 0; calls < calls_max; ++calls) {
      if (tally_.outputs - outputs >= limits_.outputs_max || attempts_ - claims >= limits_.claims_max) return;
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
    if (!std::exchange(in_bundle_, true)) emissions_.start_bundle(fn_);
    for (std::uint32_t attempts = 1; !call(w, attempts); ++attempts) {
    }
  }
  bool truncate(work& w) {
    try {
      auto left = traits::truncated(fn_, w.pair.key, w.pair.value, traits::template bounded<Outs...>());
      if (!left) return false;
      w.pair.value = std::move(*left);
    } catch (...) {
      give_up(w, "truncate(): " + message_of_current_exception());
      return false;
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
    began_ = time_ ? (*time_)() : clock_.now;
    begin_position();
    detail::tracked_call<restriction> one(w.pair.value, *this);
    process_result result = process_result::stop();
    try {
      result = called(w, one, marks);
    } catch (...) {
      const std::string cause = message_of_current_exception();
      return given_up_from_last_claim(w, one, attempts, cause);
    }
    finish(w, one, marks, result);
    return true;
  }
  // What is emitted, reported and registered from now on belongs to a position, and is taken back with it.
  void begin_position() {
    emissions_.each([&](auto& e) { e.element(current_->time, current_->in); });
    metrics_.begin_call();
    finalization_.begin(clock_.now);
  }
  process_result called(const work& w, detail::tracked_call<restriction>& one, estimator& marks) {
    const typename traits::call_parts with{one.claims(), marks, finalization_.out()};
    return views_.arguments(w.in.windows.front()).apply([&](const auto&... c) {
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
  // Inside the catch block of a call: makes `w` what it did not get done; whether it is given up.
  bool given_up_from_last_claim(work& w, detail::tracked_call<restriction>& one, std::uint32_t& attempts,
                                const std::string& cause) {
    const bool nothing_left = emissions_.take_back();
    metrics_.take_back_call();
    finalization_.take_back();
    emissions_.end();
    if (one.refused()) fail(w, cause + "; it was thrown after the last claim had been refused", attempts);
    if (one.claimed() > 1) {
      attempts = 1;
      auto left = one.from_last_claim();
      check(left.has_value(), "a tracker whose claim succeeded can be split before it");
      w.pair.value = std::move(*left);
      w.state = *claimed_state_;
    }
    if (!nothing_left) fail(w, cause + "; some of its outputs had already left the step", attempts);
    if (attempts >= attempts_max_) {
      give_up(w, cause, attempts);
      return true;
    }
    metrics_.attempt_again();
    return false;
  }
  void finish(work& w, detail::tracked_call<restriction>& one, estimator& marks, const process_result& result) {
    const std::uint64_t refused_at = tally_.outputs;
    emissions_.end();
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
      emissions_.end();
      early_ = early_ || tally_.outputs > first_output_;
    }
    begin_position();
    claimed_state_ = marks_->saved();
    ++attempts_;
    return claims == 0
           || (claims < limits_.claims_max && tally_.outputs - first_output_ < limits_.outputs_max
               && (!time_ || (*time_)() - began_ < limits_.time_max));
  }
  void refused() override {
    emissions_.end();
    begin_position();
  }
  std::string step_;
  std::uint32_t attempts_max_;
  const stage_clock& clock_;
  const std::function<timestamp()>* time_;
  metric_board& metrics_;
  Fn fn_;
  splittable_limits limits_;
  duration lateness_;
  detail::stateful_views<pair, Shapes...> views_;
  records put_off_;
  detail::splittable_sharing<Element, restriction, typename estimator::state> sharing_;
  detail::output_tally tally_;
  std::tuple<detail::output_watch<Outs>...> watches_;
  detail::finalization finalization_;
  detail::emissions<Outs...> emissions_;
  receiver<failed<Element>>* errors_ = nullptr;
  std::uint64_t attempts_ = 0;  // of claims, ever
  int rounds_ = 0;
  bool in_bundle_ = false;
  // Of the call that is going on.
  const work* current_ = nullptr;
  estimator* marks_ = nullptr;
  std::optional<typename estimator::state> claimed_state_;  // when the last claim was made
  std::uint64_t first_output_ = 0;
  timestamp began_;
  bool early_ = false;
};

}  // namespace millrace
