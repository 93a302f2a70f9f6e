#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/element_operator_emitting.hpp>
#include <millrace/transforms/operators/emissions.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/operators/stateful_bundle.hpp>
#include <millrace/transforms/operators/stateful_calls.hpp>
#include <millrace/transforms/operators/stateful_records.hpp>
#include <millrace/transforms/operators/stateful_views.hpp>
#include <millrace/transforms/state/sorted_input.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

template <class Key, class Value, class Fn, class Outputs, class... Shapes>
class stateful_operator;

// A stateful function on one shard: its cells and timers for each key and window, called for one element or timer at a
// time. What a failed call wrote, set or emitted is taken back before the next attempt. Elements of expired windows are
// dropped and counted. Due timers travel in a bundle to the shard itself and stay pending until that bundle is
// accepted; a key's timers fire by time, those that a callback sets included. Windows whose side inputs are not ready
// are left alone until they are. A function that is told when a bundle begins or ends may keep something of it in
// itself: when it throws, its whole bundle is done again by a new copy of it, with state and timers as they were.
template <class Key, class Value, class Fn, class... Outs, class... Shapes>
class stateful_operator<Key, Value, Fn, detail::output_list<Outs...>, Shapes...> final : public stage_operator,
                                                                                         public stage_head,
                                                                                         public view_consumer,
                                                                                         public epoch_participant {
  static constexpr bool redone = detail::bundle_function<Fn, Outs...>;  // a whole bundle at a time
  static constexpr bool renews = detail::renewed_function<Fn, Outs...>;
  using records = detail::stateful_records<Fn, redone>;
  using element = kv<Key, Value>;
  using calls = detail::stateful_calls<Fn, Key, Value, typename Shapes::contents...>;
  struct nothing {
    template <class... As>
    explicit nothing(const As&... /*of*/) {}
  };

 public:
  stateful_operator(const operator_environment& in, const windowing_strategy& strategy, Fn fn,
                    const std::tuple<view_source<Shapes>...>& views)
      : step_(in.step), attempts_max_(redone ? 1U : std::max(1U, in.attempts_max)), clock_(in.clock),
        metrics_(in.metrics), prototype_(fn), fn_(std::move(fn)),
        records_(fn_, strategy, in.clock, calls::template expires<Outs...>),
        sorted_(strategy, in.clock, records::sorted), views_(in, views, strategy.allowed_lateness), emissions_(in),
        bundle_(in) {
    detail::bind_metrics(fn_, in.metrics);
    if constexpr (redone) bundle_.take_outputs_of(emissions_);
  }

  void connect(std::size_t output, receiver_ref next) override {
    if constexpr (redone) bundle_.connect(output, next);
    else if (!emissions_.connect(output, next)) errors_ = &next.as<failed<element>>();
  }
  stage_head* as_head() override { return this; }
  view_consumer* as_view_consumer() override { return this; }

  // Only functions that register calls take part in epochs.
  epoch_participant* as_epoch_participant() override { return calls::template finalizes<Outs...> ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { finalization_.prepare(epoch); }
  void commit(std::uint64_t epoch) override { finalization_.commit(epoch, clock_.now); }
  void abort() noexcept override { finalization_.abort(); }

  void setup() override { emissions_.setup(fn_); }
  // The function's bundle begins with its first element or timer: clocks that move are no bundle of it.
  void finish_bundle() override {
    if constexpr (redone) {
      if (!bundle_.empty()) do_bundle();
    }
    collect();
  }
  void teardown() noexcept override { emissions_.teardown(fn_); }

  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    begin();
    std::uint32_t row = 0;
    for (const row_run& run : in.runs) {
      process_run(in, row, run.end, in.contexts[run.context]);
      row = run.end;
    }
    if constexpr (redone) return bundle_.add(in.timers);
    fire_in_order(in.timers);
    if (!in.timers.empty()) forget_expired();
    emissions_.end();
  }
  void advance() override { forget_expired(); }
  void due_timers(bundle& to) override {
    const auto allowed = [this](const window& w) { return views_.ready(w); };
    if constexpr (sorts) sorted_.take_due(to, allowed);
    records_.take_due(to, allowed);
  }
  void accept_view(std::uint32_t view, const bundle& in) override {
    views_.accept(view, in);
    release();
  }
  void advance_view(std::uint32_t view, timestamp mark) override {
    views_.advance(view, mark);
    release();
  }

  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override {
    return records_.next_clock_timer([this](const window& w) { return views_.ready(w); });
  }
  [[nodiscard]] timestamp hold() const override { return std::min({records_.hold(), sorted_.hold(), views_.hold()}); }
  [[nodiscard]] bool has_state() const override { return !records_.empty(); }
  [[nodiscard]] std::size_t waiting_bytes() const override { return sorted_.bytes() + views_.waiting_bytes(); }
  void snapshot(writer& to) const override {
    records_.encode(to);
    if constexpr (sorts) sorted_.encode(to);
    if constexpr (sizeof...(Shapes) > 0) views_.snapshot(to);
  }
  void restore(reader& from) override {
    records_.decode(from);
    if constexpr (sorts) sorted_.decode(from);
    if constexpr (sizeof...(Shapes) > 0) views_.restore(from);
  }

 private:
  static constexpr bool sorts = detail::sorts_input<Fn>();
  // How many timers that callbacks have set may fire in one bundle, so that a loop of them lets go of its stage.
  static constexpr std::uint32_t fresh_max = 1024;

  void begin() {
    emissions_.each([](auto& e) { e.begin_stamped(); });
  }
  // The whole bundle of a function that is told of it, as often as it takes.
  void do_bundle() {
    const metric_board before = metrics_;
    const std::size_t registered = finalization_.registered();
    const auto work = [&] {
      emissions_.start_bundle(fn_);
      begin();
      bundle_.give_elements([&](const auto& e) { process(e.value, e.key, e.at, e.in); });
      fire_in_order(bundle_.timers());
      emissions_.end();
      bundle_.give_none();
      finalization_.begin(clock_.now);
      emissions_.finish_bundle(fn_, finalization_.out());
    };
    bundle_.run(work, [&](std::uint64_t elements) {
      emissions_.end();
      records_.set_back();
      finalization_.back_to(registered);
      metrics_.take_back_to(before);
      for (; elements > 0; --elements) metrics_.attempt_again();
      emissions_.renew(fn_, prototype_);
    });
    records_.keep();
    put_back_left();
    const bool fired = !bundle_.timers().empty();
    bundle_.conclude();
    if (fired) forget_expired();
  }
  void put_back_left() {
    for (const bundle_timer& t : bundle_.left())
      for (auto& e : bundle_.take_ordered(t)) sorted_.add(t.in, t.key, e.at, {std::move(e.value.value), e.in.pane});
    put_back(bundle_.left());
  }
  void forget_expired() {
    records_.forget_expired([this](const window& w) { return sorted_.has(w) || views_.waits(w); });
  }
  void collect() {
    if constexpr (sizeof...(Shapes) > 0)
      views_.collect(clock_.input_watermark, std::min(records_.least_end(), sorted_.least_end()));
  }
  // Processes what waited for side inputs that are there now.
  void release() {
    bool begun = false;
    views_.release([&](const window& in, const auto& waiting) {
      if (!std::exchange(begun, true)) begin();
      take({decode_key<Key>(waiting.key), waiting.value}, waiting.key, waiting.time, {in, waiting.pane});
    });
    if (begun) emissions_.end();
  }

  // Rows that share their windows. An element in several windows is processed once in each.
  void process_run(const bundle& in, std::uint32_t from, std::uint32_t to, const context& c) {
    std::vector<context> alive;
    for (const window& w : c.windows) {
      if (records_.expired(w)) metrics_.drop("late", to - from, w, clock_.input_watermark);
      else if (sorts || !views_.ready(w)) put_aside(in, from, to, {w, c.pane});
      else alive.push_back({w, c.pane});
    }
    if (alive.empty()) return;
    for (std::uint32_t row = from; row < to; ++row) {
      const std::string_view key = in.keys.bytes_at(row);
      const element x{decode_key<Key>(key), value_at<Value>(in.values, row)};
      for (const context& one : alive) take(x, key, in.time_at(row), one);
    }
  }
  // Rows of one window wait for their turn in the order of time, or for their side inputs.
  void put_aside(const bundle& in, std::uint32_t from, std::uint32_t to, const context& c) {
    const window& w = c.windows.front();
    for (std::uint32_t row = from; row < to; ++row) {
      const timestamp time = in.time_at(row);
      std::string key(in.keys.bytes_at(row));
      Value value = value_at<Value>(in.values, row);
      if constexpr (!sorts) views_.park(w, {std::move(key), std::move(value), time, c.pane});
      else if (sorted_.late(time, w)) metrics_.drop("late", 1, w, clock_.input_watermark);
      else sorted_.add(w, key, time, {std::move(value), c.pane});
    }
  }
  // One element in one window: now, or when its bundle ends.
  void take(const element& x, std::string_view key, timestamp time, const context& in) {
    if constexpr (redone) bundle_.add({x, std::string(key), time, in});
    else process(x, key, time, in);
  }
  void process(const element& x, std::string_view key, timestamp time, const context& in) {
    auto place = records_.open(in.windows.front(), key);
    const auto& arguments = views_.arguments(in.windows.front());
    const auto body = [&](auto&... out) {
      arguments.apply([&](const auto&... c) { calls::process(fn_, metrics_, finalization_.out(), x, c..., out...); });
    };
    const auto give_up = [&](const std::string& cause, std::uint32_t attempts, bool nothing_left) {
      if (!errors_ || !nothing_left) fail(describe_element(x), time, in, {cause, attempts});
      ++metrics_.error_elements;
      const failed<element> one{x, step_, cause, attempts};
      const stamps at{nullptr, time, time, nullptr, {&in, 1}};
      errors_->accept({&one, sizeof one, 1, nullptr, &at});
    };
    call(place, {time, in, true}, body, give_up);
    records_.close(place);
  }

  // Fires the timers of a bundle, and between them those of their keys that callbacks set for earlier times.
  void fire_in_order(const std::vector<bundle_timer>& due) {
    std::uint32_t left = fresh_max;
    for (auto t = due.begin(); t != due.end(); ++t) {
      while (const auto earlier = records_.take_fresh_before(*t)) {
        if (left-- == 0) return hand_back({t, due.end()});
        fire(*earlier);
      }
      fire(*t);
    }
  }
  void hand_back(std::span<const bundle_timer> timers) {
    if constexpr (redone) bundle_.leave(timers);
    else put_back(timers);
  }
  void put_back(std::span<const bundle_timer> timers) {
    for (const bundle_timer& t : timers)
      if (t.cell == records::sorted) sorted_.hand_back(t);
      else records_.hand_back(t);
  }
  void fire(const bundle_timer& t) {
    if constexpr (sorts) {
      if (t.cell == records::sorted) return give_sorted(t);
    }
    if constexpr (redone) bundle_.give_timer(t);
    auto place = records_.find(t.in, t.key);
    if (!place) return;
    if (t.cell == records::expiration) return expire(*place, t);
    if constexpr (records::has_timers) {
      if (!records_.begin_firing(*place, t)) return;
      call_on_timer(*place, t);
      records_.close(*place);
    }
  }
  void give_sorted(const bundle_timer& t) {
    const Key key = decode_key<Key>(t.key);
    if constexpr (redone) {
      for (auto& e : bundle_.in_order(t, [&](auto& to) { take_sorted(t, key, to); }))
        bundle_.give(e, [&](const auto& one) { process(one.value, one.key, one.at, one.in); });
    } else {
      for (auto& [time, one] : sorted_.take(t)) process({key, std::move(one.value)}, t.key, time, {t.in, one.pane});
    }
  }
  template <class Waiting>
  void take_sorted(const bundle_timer& t, const Key& key, Waiting& to) {
    for (auto& [time, one] : sorted_.take(t))
      to.push_back({{key, std::move(one.value)}, t.key, time, {t.in, one.pane}});
  }
  void call_on_timer(typename records::place& at, const bundle_timer& t) {
    const Key key = decode_key<Key>(t.key);
    const context in{t.in, {}};
    const timestamp time = records::time_of(t);
    records_.with_timer(at, t.cell, [&](auto& timer) {
      const auto& arguments = views_.arguments(t.in);
      const auto body = [&](auto&... out) {
        records_.tell_firing(timer, t);
        bundle_finalizer& after = finalization_.out();
        if constexpr (calls::template timer_reads<std::remove_reference_t<decltype(timer)>, Outs...>)
          arguments.apply([&](const auto&... c) { calls::on_timer(fn_, after, timer, key, c..., out...); });
        else calls::on_timer(fn_, after, timer, key, out...);
      };
      call(at, {time, in}, body, [&](const std::string& cause, std::uint32_t attempts, bool /*nothing_left*/) {
        fail("timer \"" + timer.name() + (t.tag.empty() ? "\"" : "\" with tag \"" + t.tag + "\"") + " of key "
                 + describe_element(key),
             time, in, {cause, attempts});
      });
    });
  }
  void expire(typename records::place& at, const bundle_timer& t) {
    if constexpr (calls::template expires<Outs...>) {
      const Key key = decode_key<Key>(t.key);
      const context in{t.in, {}};
      const auto& arguments = views_.arguments(t.in);
      const auto body = [&](auto&... out) {
        bundle_finalizer& after = finalization_.out();
        if constexpr (calls::template expiration_reads<Outs...>)
          arguments.apply([&](const auto&... c) { calls::on_window_expiration(fn_, after, key, c..., out...); });
        else calls::on_window_expiration(fn_, after, key, out...);
      };
      records_.allow_timers(false);
      call(at, {t.output, in}, body, [&](const std::string& cause, std::uint32_t attempts, bool) {
        fail("the expiration of key " + describe_element(key), t.output, in, {cause, attempts});
      });
      records_.allow_timers(true);
    }
    records_.erase(at);
  }

  struct call_stamp {
    timestamp time;
    const context& in;
    bool of_element = false;
  };
  struct call_failure {
    const std::string& cause;
    std::uint32_t attempts;
  };
  // Calls the user's function until it succeeds or may not be called again.
  template <class Body, class GiveUp>
  void call(typename records::place& at, call_stamp stamped, Body&& body, GiveUp&& give_up) {
    for (std::uint32_t attempts = 1;; ++attempts) {
      records_.bind(at, stamped.time);
      emissions_.each([&](auto& e) { e.element(stamped.time, stamped.in); });
      metrics_.begin_call();
      finalization_.begin(clock_.now);
      try {
        emissions_.call(body);
        break;
      } catch (...) {
        const std::string cause = message_of_current_exception();
        const bool nothing_left = emissions_.take_back();
        records_.take_back(at);
        finalization_.take_back();
        metrics_.take_back_call();
        if constexpr (renews && !redone) emissions_.renew(fn_, prototype_);
        if (nothing_left && attempts < attempts_max_) {
          if (stamped.of_element) metrics_.attempt_again();
          continue;
        }
        give_up(cause, attempts, nothing_left);
        break;
      }
    }
    emissions_.settle();
    records_.release(at);
  }
  // Inside the catch block of the last attempt.
  [[noreturn]] void fail(std::string what, timestamp time, const context& in, call_failure of) {
    std::throw_with_nested(
        element_failure({step_, describe_stamped(std::move(what), time, in.windows), of.cause, of.attempts}));
  }

  std::string step_;
  std::uint32_t attempts_max_;
  const stage_clock& clock_;
  metric_board& metrics_;
  [[no_unique_address]] std::conditional_t<renews, Fn, nothing> prototype_;
  Fn fn_;
  records records_;
  sorted_input<Value> sorted_;
  detail::stateful_views<Value, Shapes...> views_;
  detail::finalization finalization_;
  detail::emissions<Outs...> emissions_;
  [[no_unique_address]] std::conditional_t<redone, detail::stateful_bundle<element, Outs...>, nothing> bundle_;
  receiver<failed<element>>* errors_ = nullptr;  // of a function that is called again for elements
};

}  // namespace millrace
