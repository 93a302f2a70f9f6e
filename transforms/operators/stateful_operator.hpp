#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/operators/stateful_records.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// A stateful function on one shard: its cells and timers for each key and window, called for one element or timer at a
// time. What a failed call wrote, set or emitted is taken back before the next attempt. Elements of expired windows are
// dropped and counted. Due timers travel in a bundle to the shard itself and stay pending until that bundle is
// accepted; a key's timers fire by time, those that a callback sets included.
template <class Key, class Value, class Fn, class... Outs>
class stateful_operator final : public stage_operator, public stage_head {
  using records = detail::stateful_records<Fn>;
  using element = kv<Key, Value>;

 public:
  stateful_operator(const operator_environment& in, const windowing_strategy& strategy, Fn fn)
      : step_(in.step), attempts_max_(std::max(1U, in.attempts_max)), metrics_(in.metrics), fn_(std::move(fn)),
        records_(fn_, strategy, in.clock, has_expiration), emissions_(same<Outs>(in.batch_rows_max)...) {
    detail::bind_metrics(fn_, in.metrics);
  }

  void connect(std::size_t output, receiver_ref next) override {
    std::size_t port = 0;
    each_emission([&](auto& e) {
      if (port++ == output) e.connect(next);
    });
    if (output == sizeof...(Outs)) errors_ = &next.as<failed<element>>();
  }
  stage_head* as_head() override { return this; }

  void setup() override {
    if constexpr (requires { fn_.setup(); }) around([&] { fn_.setup(); }, "setup()");
  }
  // The function's bundle begins with its first element or timer: clocks that move are no bundle of it.
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
    if (!std::exchange(in_bundle_, true)) start_function_bundle();
    each_emission([](auto& e) { e.begin_stamped(); });
    std::uint32_t row = 0;
    for (const row_run& run : in.runs) {
      process_run(in, row, run.end, in.contexts[run.context]);
      row = run.end;
    }
    for (const bundle_timer& t : in.timers) {
      while (const auto earlier = records_.take_fresh_before(t)) fire(*earlier);
      fire(t);
    }
    if (!in.timers.empty()) records_.forget_expired();
    end();
  }
  void advance() override { records_.forget_expired(); }
  void due_timers(bundle& to) override { records_.take_due(to); }

  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override { return records_.next_clock_timer(); }
  [[nodiscard]] timestamp hold() const override { return records_.hold(); }
  [[nodiscard]] bool has_state() const override { return !records_.empty(); }
  void snapshot(writer& to) const override { records_.encode(to); }
  void restore(reader& from) override { records_.decode(from); }

 private:
  static constexpr bool has_expiration =
      requires(Fn fn, const Key& key, emitter<Outs>&... out) { fn.on_window_expiration(key, out...); };

  void start_function_bundle() {
    if constexpr (requires { fn_.start_bundle(); }) around([&] { fn_.start_bundle(); }, "start_bundle()");
  }
  template <class>
  static std::uint32_t same(std::uint32_t rows_max) {
    return rows_max;
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
  // A call without an element: its failure names the function instead.
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

  // Rows that share their windows. An element in several windows is processed once in each.
  void process_run(const bundle& in, std::uint32_t from, std::uint32_t to, const context& c) {
    std::vector<context> alive;
    for (const window& w : c.windows) {
      if (records_.expired(w)) metrics_.dropped("late") += to - from;
      else alive.push_back({w, c.pane});
    }
    if (alive.empty()) return;
    for (std::uint32_t row = from; row < to; ++row) {
      const std::string_view key = in.keys.bytes_at(row);
      const element x{decode_key<Key>(key), value_at<Value>(in.values, row)};
      for (const context& one : alive) process(x, key, in.time_at(row), one);
    }
  }
  void process(const element& x, std::string_view key, timestamp time, const context& in) {
    auto place = records_.open(in.windows.front(), key);
    const auto body = [&](auto&... e) {
      if constexpr (requires { fn_.process(x, e.out()...); }) fn_.process(x, e.out()...);
      else fn_.process(x, e.out()..., metrics_);
    };
    const auto give_up = [&](const std::string& cause, std::uint32_t attempts, bool nothing_left) {
      if (!errors_ || !nothing_left) fail(describe_element(x), time, in, {cause, attempts});
      ++metrics_.error_elements;
      const failed<element> one{x, step_, cause, attempts};
      const stamps at{nullptr, time, time, nullptr, {&in, 1}};
      errors_->accept({&one, sizeof one, 1, nullptr, &at});
    };
    call(place, {time, in}, body, give_up);
    records_.close(place);
  }

  void fire(const bundle_timer& t) {
    auto place = records_.find(t.in, t.key);
    if (!place) return;
    if (t.cell == records::expiration) return expire(*place, t);
    if constexpr (records::has_timers) {
      if (!records_.begin_firing(*place, t)) return;
      call_on_timer(*place, t);
      records_.close(*place);
    }
  }
  void call_on_timer(typename records::place& at, const bundle_timer& t) {
    const Key key = decode_key<Key>(t.key);
    const context in{t.in, {}};
    const timestamp time = records::time_of(t);
    records_.with_timer(at, t.cell, [&](auto& timer) {
      const auto body = [&](auto&... e) { fn_.on_timer(timer, key, e.out()...); };
      call(at, {time, in}, body, [&](const std::string& cause, std::uint32_t attempts, bool /*nothing_left*/) {
        fail("timer \"" + timer.name() + (t.tag.empty() ? "\"" : "\" with tag \"" + t.tag + "\"") + " of key "
                 + describe_element(key),
             time, in, {cause, attempts});
      });
    });
  }
  void expire(typename records::place& at, const bundle_timer& t) {
    if constexpr (has_expiration) {
      const Key key = decode_key<Key>(t.key);
      const context in{t.in, {}};
      const auto body = [&](auto&... e) { fn_.on_window_expiration(key, e.out()...); };
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
      each_emission([&](auto& e) { e.element(stamped.time, stamped.in); });
      try {
        std::apply(body, emissions_);
        break;
      } catch (...) {
        const std::string cause = message_of_current_exception();
        bool nothing_left = true;
        each_emission([&](auto& e) { nothing_left = e.take_back() && nothing_left; });
        records_.take_back(at);
        if (nothing_left && attempts < attempts_max_) continue;
        give_up(cause, attempts, nothing_left);
        break;
      }
    }
    each_emission([](auto& e) { e.settle(); });
    records_.release(at);
  }
  // Inside the catch block of the last attempt.
  [[noreturn]] void fail(std::string what, timestamp time, const context& in, call_failure of) {
    std::throw_with_nested(
        element_failure({step_, describe_stamped(std::move(what), time, in.windows), of.cause, of.attempts}));
  }

  std::string step_;
  std::uint32_t attempts_max_;
  metric_board& metrics_;
  Fn fn_;
  records records_;
  std::tuple<detail::emission<Outs>...> emissions_;
  receiver<failed<element>>* errors_ = nullptr;
  bool in_bundle_ = false;
};

}  // namespace millrace
