#pragma once

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/operators/edge.hpp>
#include <millrace/transforms/operators/element_operator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// Calls f(part) with batches whose elements are each in exactly one window; an element in several windows comes once
// for each, one in none not at all. The batch as it is where every context has one window, which is nearly always.
template <class T, class F>
void each_single_window(const batch<T>& in, F&& f) {
  if (std::all_of(in.at->contexts.begin(), in.at->contexts.end(),
                  [](const context& c) { return c.windows.size() == 1; }))
    return f(in);
  each_context(in, [&](const context& c, const batch<T>& part) {
    for (const window& w : c.windows) {
      const context one{w, c.pane};
      stamps at = *in.at;
      at.codes = nullptr;
      at.contexts = {&one, 1};
      batch<T> in_window = part;
      in_window.at = &at;
      f(in_window);
    }
  });
}

// One element in, any number of outputs of one type, each with the stamp of its element: flat_map.
// `Emits` tells whether the function takes an emitter; else it returns a range of outputs.
template <class In, class Out, class Call, bool Emits>
class flat_map_operator final : public stage_operator, public receiver<In> {
 public:
  template <class Fn>
  flat_map_operator(const operator_environment& in, Fn fn)
      : metrics_(in.metrics), calls_(in), call_(std::move(fn), in.metrics), emission_(in.batch_rows_max) {}

  [[nodiscard]] Call& call() { return call_; }
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (output == 0) emission_.connect(next);
    else calls_.connect_errors(next);
  }

  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    emission_.begin(*in.at);
    const auto call = [&](std::uint32_t p, const In& x) {
      emission_.element(*in.at, p);
      emit_results(x);
      emission_.settle();
    };
    for (std::uint32_t index = 0; index < in.count; ++index)
      index = calls_.run(in, index, call, [&] { return emission_.take_back(); });
    emission_.end();
    metrics_.elements_out += emission_.passed();
  }

 private:
  void emit_results(const In& x) {
    if constexpr (Emits) {
      call_(x, emission_.out());
    } else {
      auto&& results = call_(x);
      for (auto&& r : results) {
        if constexpr (std::is_rvalue_reference_v<decltype(results)>) emission_.out()(std::move(r));
        else emission_.out()(r);
      }
    }
  }

  metric_board& metrics_;
  element_calls<In> calls_;
  Call call_;
  detail::emission<Out> emission_;
};

namespace detail {

// Whether a function is told of bundles.
template <class Fn, class... Outs>
concept bundle_function =
    requires(Fn& fn) { fn.start_bundle(); } || requires(Fn& fn) { fn.finish_bundle(); }
    || requires(Fn& fn, emitter<Outs>&... out) { fn.finish_bundle(out...); }
    || requires(Fn& fn, bundle_finalizer& after) { fn.finish_bundle(after); }
    || requires(Fn& fn, emitter<Outs>&... out, bundle_finalizer& after) { fn.finish_bundle(out..., after); };

}  // namespace detail

// A do_fn: any number of outputs with their own emitters, and the calls around a bundle. Its last port, if connected,
// is the error output.
template <class In, class Call, class... Outs>
class par_do_operator final : public stage_operator, public receiver<In>, public epoch_participant {
 public:
  static constexpr operator_traits traits = detail::declared_traits<typename Call::function_type>();

  template <class Fn>
  par_do_operator(const operator_environment& in, Fn fn)
      : step_(in.step), clock_(in.clock), metrics_(in.metrics), calls_(in), call_(fn, in.metrics),
        prototype_(std::move(fn)), emissions_(same<Outs>(in.batch_rows_max)...) {
    call_.finalize_by(finalization_.out());
  }

  [[nodiscard]] Call& call() { return call_; }
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    std::size_t port = 0;
    each_emission([&](auto& e) {
      if (port++ == output) e.connect(next);
    });
    if (output == sizeof...(Outs)) calls_.connect_errors(next);
  }

  [[nodiscard]] detail::finalization& finalizations() { return finalization_; }
  // Only functions that register calls take part in epochs.
  epoch_participant* as_epoch_participant() override { return finalizes ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { finalization_.prepare(epoch); }
  void commit(std::uint64_t epoch) override { finalization_.commit(epoch, clock_.now); }
  void abort() noexcept override { finalization_.abort(); }

  void setup() override {
    if constexpr (requires { call_.function().setup(); }) around([&] { call_.function().setup(); }, "setup()");
  }
  // The function's bundle begins with its first element: clocks that move and reads that find nothing are no bundle of
  // it.
  void finish_bundle() override {
    if (!std::exchange(in_bundle_, false)) return;
    auto& fn = call_.function();
    bundle_finalizer& after = finalization_.out();
    finalization_.begin(clock_.now);
    const auto finish = [&](auto&... e) {
      if constexpr (requires { fn.finish_bundle(e.out()...); } || requires { fn.finish_bundle(e.out()..., after); }) {
        (e.begin_explicit(), ...);
        const auto call = [&] {
          if constexpr (requires { fn.finish_bundle(e.out()...); }) fn.finish_bundle(e.out()...);
          else fn.finish_bundle(e.out()..., after);
        };
        around(call, "finish_bundle()");
        end();
      } else if constexpr (requires { fn.finish_bundle(after); }) {
        around([&] { fn.finish_bundle(after); }, "finish_bundle()");
      } else if constexpr (requires { fn.finish_bundle(); }) {
        around([&] { fn.finish_bundle(); }, "finish_bundle()");
      }
    };
    std::apply(finish, emissions_);
  }
  void teardown() noexcept override {
    if constexpr (requires { call_.function().teardown(); }) {
      try {
        call_.function().teardown();
      } catch (...) {  // it is called after failures too, when nobody is left to tell
      }
    }
  }

  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    if (!std::exchange(in_bundle_, true)) start_function_bundle();
    each_single_window(in, [&](const batch<In>& part) { process(part); });
  }

 private:
  void start_function_bundle() {
    if constexpr (requires { call_.function().start_bundle(); })
      around([&] { call_.function().start_bundle(); }, "start_bundle()");
  }
  template <class>
  static std::uint32_t same(std::uint32_t rows_max) {
    return rows_max;
  }
  template <class F>
  void each_emission(F&& f) {
    std::apply([&](auto&... e) { (f(e), ...); }, emissions_);
  }

  void process(const batch<In>& in) {
    each_emission([&](auto& e) { e.begin(*in.at); });
    const auto call = [&](std::uint32_t p, const In& x) {
      each_emission([&](auto& e) { e.element(*in.at, p); });
      if constexpr (finalizes) finalization_.begin(clock_.now);
      std::apply([&](auto&... e) { call_(x, e.out()...); }, emissions_);
      each_emission([](auto& e) { e.settle(); });
    };
    const auto take_back = [&] {
      bool all = true;
      if constexpr (finalizes) finalization_.take_back();
      if constexpr (renews) renew();
      each_emission([&](auto& e) { all = e.take_back() && all; });
      return all;
    };
    for (std::uint32_t index = 0; index < in.count; ++index) index = calls_.run(in, index, call, take_back);
    end();
  }
  // A copy that has thrown is not used again.
  void renew() {
    teardown();
    call_.renew(prototype_);
    setup();
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

  using function = typename Call::function_type;
  static constexpr bool finalizes =
      Call::template finalizes<In, Outs...> || requires(function& fn, emitter<Outs>&... out, bundle_finalizer& after) {
        fn.finish_bundle(out..., after);
      } || requires(function& fn, bundle_finalizer& after) { fn.finish_bundle(after); };
  // Functions with a bundle of their own are renewed by the bundle_operator, or keep it.
  static constexpr bool renews =
      !detail::bundle_function<function, Outs...>
      && (requires(function& fn) { fn.setup(); } || requires(function& fn) { fn.teardown(); });

  std::string step_;
  const stage_clock& clock_;
  metric_board& metrics_;
  element_calls<In> calls_;
  Call call_;
  struct no_prototype {
    template <class Fn>
    explicit no_prototype(const Fn& /*fn*/) {}
  };
  [[no_unique_address]] std::conditional_t<renews, function, no_prototype> prototype_;
  detail::finalization finalization_;
  std::tuple<detail::emission<Outs>...> emissions_;
  bool in_bundle_ = false;
};

}  // namespace millrace
