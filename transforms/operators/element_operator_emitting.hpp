#pragma once

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/operators/edge.hpp>
#include <millrace/transforms/operators/element_operator.hpp>
#include <millrace/transforms/operators/emissions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// Whether a copy of a function that has thrown is replaced: only one that is told neither of its life nor of bundles is
// kept.
template <class Fn, class... Outs>
concept renewed_function =
    bundle_function<Fn, Outs...> || requires(Fn& fn) { fn.setup(); } || requires(Fn& fn) { fn.teardown(); };

}  // namespace detail

// A do_fn: any number of outputs with their own emitters, and the calls around a bundle. Its last port, if connected,
// is the error output.
template <class In, class Call, class... Outs>
class par_do_operator final : public stage_operator, public receiver<In>, public epoch_participant {
 public:
  static constexpr operator_traits traits = detail::declared_traits<typename Call::function_type>();

  template <class Fn>
  par_do_operator(const operator_environment& in, Fn fn)
      : clock_(in.clock), metrics_(in.metrics), calls_(in), call_(fn, in.metrics), prototype_(std::move(fn)),
        emissions_(in) {
    call_.finalize_by(finalization_.out());
  }

  [[nodiscard]] Call& call() { return call_; }
  receiver_ref input(std::size_t /*port*/) override { return static_cast<receiver<In>&>(*this); }
  void connect(std::size_t output, receiver_ref next) override {
    if (!emissions_.connect(output, next)) calls_.connect_errors(next);
  }

  [[nodiscard]] detail::finalization& finalizations() { return finalization_; }
  // Only functions that register calls take part in epochs.
  epoch_participant* as_epoch_participant() override { return finalizes ? this : nullptr; }
  void prepare(std::uint64_t epoch) override { finalization_.prepare(epoch); }
  void commit(std::uint64_t epoch) override { finalization_.commit(epoch, clock_.now); }
  void abort() noexcept override { finalization_.abort(); }

  void setup() override { emissions_.setup(call_.function()); }
  // The function's bundle begins with its first element: clocks that move and reads that find nothing are no bundle of
  // it.
  void finish_bundle() override {
    if (!std::exchange(in_bundle_, false)) return;
    finalization_.begin(clock_.now);
    emissions_.finish_bundle(call_.function(), finalization_.out());
  }
  void teardown() noexcept override { emissions_.teardown(call_.function()); }

  void accept(const batch<In>& in) override {
    metrics_.elements_in += in.count;
    if (!std::exchange(in_bundle_, true)) emissions_.start_bundle(call_.function());
    each_single_window(in, [&](const batch<In>& part) { process(part); });
  }

 private:
  void process(const batch<In>& in) {
    emissions_.each([&](auto& e) { e.begin(*in.at); });
    const auto call = [&](std::uint32_t p, const In& x) {
      emissions_.each([&](auto& e) { e.element(*in.at, p); });
      if constexpr (finalizes) finalization_.begin(clock_.now);
      emissions_.call([&](auto&... out) { call_(x, out...); });
      emissions_.settle();
    };
    const auto take_back = [&] {
      if constexpr (finalizes) finalization_.take_back();
      if constexpr (renews) renew();
      return emissions_.take_back();
    };
    for (std::uint32_t index = 0; index < in.count; ++index) index = calls_.run(in, index, call, take_back);
    emissions_.end();
  }
  // A copy that has thrown is not used again.
  void renew() {
    teardown();
    call_.renew(prototype_);
    setup();
  }
  using function = typename Call::function_type;
  static constexpr bool finalizes =
      Call::template finalizes<In, Outs...> || detail::emissions<Outs...>::template finalizes_bundles<function>;
  // Functions with a bundle of their own are renewed by the bundle_operator, or keep it.
  static constexpr bool renews =
      detail::renewed_function<function, Outs...> && !detail::bundle_function<function, Outs...>;

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
  detail::emissions<Outs...> emissions_;
  bool in_bundle_ = false;
};

}  // namespace millrace
