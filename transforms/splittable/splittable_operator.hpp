#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/operators/stateful_views.hpp>
#include <millrace/transforms/splittable/splittable_bundle.hpp>
#include <millrace/transforms/splittable/splittable_calls.hpp>
#include <millrace/transforms/splittable/splittable_limits.hpp>
#include <millrace/transforms/splittable/splittable_sharing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
// claims stands; where the function is told of bundles, or its tracker cannot be split just there, the whole bundle is
// done again, see splittable_bundle. What is put off because a call was long goes on as soon as the stage has dealt
// with what else there is; what asked to be resumed waits for the clock. When the job is drained everything is
// truncated and worked off.
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
                                                                                        public split_sharer {
  using calls = detail::splittable_calls<Element, Fn, detail::output_list<Outs...>, typename Shapes::contents...>;
  using traits = typename calls::traits;
  // Whether a whole bundle is done again.
  static constexpr bool redone =
      detail::bundle_function<Fn, Outs...> || !detail::splits_between_claims<typename traits::restriction>;
  using records = typename calls::records;
  using work = typename calls::work;
  using pair = kv<Element, typename traits::restriction>;
  using estimator_state = typename traits::estimator::state;

 public:
  // What a splittable function reads: the views, and how late an element may be that asks for them.
  struct side_reading {
    std::tuple<view_source<Shapes>...> views;
    duration lateness{0};
  };

  splittable_operator(const operator_environment& in, Fn fn, const splittable_limits& limits, const side_reading& reads)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), clock_(in.clock), metrics_(in.metrics),
        lateness_(reads.lateness), views_(in, reads.views, reads.lateness), calls_(in, std::move(fn), limits),
        bundle_(in, calls_) {}

  void connect(std::size_t output, receiver_ref next) override {
    bool known = false;
    if constexpr (redone) known = bundle_.connect(output, next);
    else known = calls_.connect(output, next);
    if (!known) errors_ = &next.as<failed<Element>>();
  }
  stage_head* as_head() override { return this; }
  view_consumer* as_view_consumer() override { return this; }
  split_sharer* as_split_sharer() override { return this; }
  // Only functions that register calls take part in epochs.
  epoch_participant* as_epoch_participant() override { return calls::finalizes ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { calls_.finalizations().prepare(epoch); }
  void commit(std::uint64_t epoch) override { calls_.finalizations().commit(epoch, clock_.now); }
  void abort() noexcept override { calls_.finalizations().abort(); }

  void setup() override { calls_.setup(); }
  void finish_bundle() override {
    if constexpr (redone) do_bundle();
    if constexpr (sizeof...(Shapes) > 0) views_.collect(clock_.input_watermark, put_off_.least_end());
  }
  void teardown() noexcept override { calls_.teardown(); }

  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    std::uint32_t row = 0;
    for (const row_run& run : in.runs)
      for (; row < run.end; ++row)
        for (const window& w : in.contexts[run.context].windows)
          take(value_at<pair>(in.values, row), in.time_at(row), {w, in.contexts[run.context].pane});
    if (in.timers.empty()) return;
    if constexpr (redone) goes_on_ = true;
    else go_on();
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
    else if (at_end()) calls_.around([&] { left = sharing_.left(put_off_, may_go(), size_of()); }, "size()");
    return left;
  }
  std::optional<std::string> give_split() override {
    std::optional<std::string> given;
    if (takes_part() && at_end())
      calls_.around([&] { given = sharing_.give(put_off_, may_go(), size_of()); }, "size() or try_split()");
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
  [[nodiscard]] bool takes_part() const { return sharing_.takes_part() && !clock_.draining; }
  [[nodiscard]] bool at_end() const { return clock_.input_watermark == timestamp::max(); }
  // What waits for a delay costs nobody time, and what has no end would have to be shared for ever.
  [[nodiscard]] auto may_go() const {
    return [now = clock_.now](const work& w) { return w.due <= now && traits::template ends<Outs...>(w.pair.value); };
  }
  [[nodiscard]] auto size_of() {
    return [this](const work& w) { return calls_.size_of(w); };
  }

  // The function has thrown for good: the element goes to the error output, if there is one.
  void give_up(const work& of, const std::string& cause, std::uint32_t attempts) {
    if (!errors_) calls_.fail(of, cause, attempts);
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
  // A pair in one window: now, or when its bundle ends.
  void begin_work(pair all, timestamp time, context in) {
    work w{std::move(all), time, std::move(in), timestamp::min(), timestamp::min(), estimator_state(time)};
    if constexpr (redone) bundle_.add(std::move(w));
    else if (tried(w, [&] { return calls_.begin(w); })) run(std::move(w));
  }
  // The contents of side inputs for the calls of one window.
  auto arguments() {
    return [this](const window& w) -> const auto& { return views_.arguments(w); };
  }
  std::optional<work> take_due() { return put_off_.take_due(clock_.draining ? timestamp::max() : clock_.now); }
  void go_on() {
    const auto before = calls_.done();
    for (int c = 0; c < calls_max && !calls_.full_since(before); ++c) {
      auto next = take_due();
      if (!next) return;
      run(std::move(*next));
    }
  }
  // The whole bundle of a function that is told of it.
  void do_bundle() {
    if (bundle_.empty() && !goes_on_) return;
    int more = std::exchange(goes_on_, false) ? calls_max : 0;
    const auto next = [&] { return more-- > 0 ? take_due() : std::nullopt; };
    auto came = bundle_.run(errors_ != nullptr, arguments(), next);
    for (const auto& [todo, cause, attempts] : came.lost) give_up(todo, cause, attempts);
    for (work& w : came.later) put_off_.add(std::move(w));
  }

  // Calls f(), which returns why it failed, until it succeeds; false if the work is given up.
  template <class F>
  bool tried(const work& w, F&& f) {
    for (std::uint32_t attempts = 1;; ++attempts) {
      const std::optional<std::string> cause = f();
      if (!cause) return true;
      calls_.renew();
      if (attempts >= attempts_max_) {
        give_up(w, *cause, attempts);
        return false;
      }
      metrics_.attempt_again();
    }
  }
  void run(std::optional<work> w) {
    if (clock_.draining && !w->truncated && !tried(*w, [&] { return calls_.truncate(w); })) return;
    if (!w) return;
    for (std::uint32_t attempts = 1;; ++attempts) {
      auto came = calls_.call(*w, arguments());
      if (came.rest) put_off_.add(std::move(*came.rest));
      if (!came.failed || given_up_from_last_claim(*w, came, attempts)) return;
    }
  }
  // Makes `w` what a call that failed did not get done; whether it is given up.
  bool given_up_from_last_claim(work& w, typename calls::outcome& came, std::uint32_t& attempts) {
    auto& of = *came.failed;
    if (of.refused) calls_.fail(w, of.cause + "; it was thrown after the last claim had been refused", attempts);
    if (of.split_off) put_off_.add(std::move(*of.split_off));
    if (came.claims > 1) {
      attempts = 1;
      if (!of.from_last_claim)
        calls_.fail(w, of.cause + "; its tracker, which says splits_between_claims, cannot be split before that claim",
                    attempts);
      w = std::move(*of.from_last_claim);
    }
    if (of.gave_out) calls_.fail(w, of.cause + "; some of its outputs had already left the step", attempts);
    calls_.renew();
    if (attempts >= attempts_max_) {
      give_up(w, of.cause, attempts);
      return true;
    }
    metrics_.attempt_again();
    return false;
  }

  struct no_bundle {
    template <class... As>
    explicit no_bundle(const As&... /*of*/) {}
  };

  std::string step_;
  std::uint32_t attempts_max_;
  const stage_clock& clock_;
  metric_board& metrics_;
  duration lateness_;
  detail::stateful_views<pair, Shapes...> views_;
  records put_off_;
  detail::splittable_sharing<Element, typename traits::restriction, estimator_state> sharing_;
  calls calls_;
  [[no_unique_address]] std::conditional_t<redone, detail::splittable_bundle<calls, Outs...>, no_bundle> bundle_;
  receiver<failed<Element>>* errors_ = nullptr;
  int rounds_ = 0;
  bool goes_on_ = false;  // the bundle takes up what was put off
};

}  // namespace millrace
