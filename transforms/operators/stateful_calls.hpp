#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/functions/bundle_finalizer.hpp>
#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/operators/emissions.hpp>
#include <millrace/transforms/state/cell_record.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/state/timer_family.hpp>

namespace millrace::detail {

// What the calls of a stateful function are given besides its outputs: key and element, the contents of side inputs in
// front of the emitters, and what it asks for behind them. Tells which of these a function takes, and calls it so.
template <class Fn, class Key, class Value, class... Contents>
class stateful_calls {
  using element = kv<Key, Value>;
  using types = typename function_cells<Fn>::types;

  template <class... As>
  static constexpr bool process_takes =
      requires(Fn& fn, const element& x, const Contents&... c, As&... as) { fn.process(x, c..., as...); };
  template <class Timer, class... As>
  static constexpr bool timer_takes =
      requires(Fn& fn, const Timer& t, const Key& key, As&... as) { fn.on_timer(t, key, as...); };
  template <class... As>
  static constexpr bool expiration_takes =
      requires(Fn& fn, const Key& key, As&... as) { fn.on_window_expiration(key, as...); };

  template <class Timer, class... Outs>
  static constexpr bool timer_finalizes =
      types::template has<Timer>
      && (timer_takes<Timer, emitter<Outs>..., bundle_finalizer>
          || timer_takes<Timer, const Contents..., emitter<Outs>..., bundle_finalizer>);

 public:
  template <class... Outs>
  static constexpr bool processes = process_takes<emitter<Outs>...> || process_takes<emitter<Outs>..., metric_board>
                                    || process_takes<emitter<Outs>..., bundle_finalizer>
                                    || process_takes<emitter<Outs>..., metric_board, bundle_finalizer>;

  // Whether on_timer takes the firings of a kind of timer with the contents of side inputs.
  template <class Timer, class... Outs>
  static constexpr bool timer_reads = timer_takes<Timer, const Contents..., emitter<Outs>...>
                                      || timer_takes<Timer, const Contents..., emitter<Outs>..., bundle_finalizer>;
  // Whether it takes the firings of a kind of timer, if it has one.
  template <class Timer, class... Outs>
  static constexpr bool fires =
      !types::template has<Timer> || timer_reads<Timer, Outs...> || timer_takes<Timer, emitter<Outs>...>
      || timer_takes<Timer, emitter<Outs>..., bundle_finalizer>;

  // Whether on_window_expiration takes the contents of side inputs, and whether it is there at all.
  template <class... Outs>
  static constexpr bool expiration_reads = expiration_takes<const Contents..., emitter<Outs>...>
                                           || expiration_takes<const Contents..., emitter<Outs>..., bundle_finalizer>;
  template <class... Outs>
  static constexpr bool expires = expiration_reads<Outs...> || expiration_takes<emitter<Outs>...>
                                  || expiration_takes<emitter<Outs>..., bundle_finalizer>;

  // Whether any call of it takes a bundle_finalizer&.
  template <class... Outs>
  static constexpr bool finalizes =
      process_takes<emitter<Outs>..., bundle_finalizer>
      || process_takes<emitter<Outs>..., metric_board, bundle_finalizer>
      || emissions<Outs...>::template finalizes_bundles<Fn> || timer_finalizes<event_timer, Outs...>
      || timer_finalizes<processing_timer, Outs...> || timer_finalizes<event_timer_family, Outs...>
      || timer_finalizes<processing_timer_family, Outs...> || expiration_takes<emitter<Outs>..., bundle_finalizer>
      || expiration_takes<const Contents..., emitter<Outs>..., bundle_finalizer>;

  // Calls the function, with contents (if any) and emitters behind the element or key.
  template <class... As>
  static void process(Fn& fn, metric_board& metrics, bundle_finalizer& after, As&... as) {
    if constexpr (requires { fn.process(as...); }) fn.process(as...);
    else if constexpr (requires { fn.process(as..., metrics); }) fn.process(as..., metrics);
    else if constexpr (requires { fn.process(as..., after); }) fn.process(as..., after);
    else fn.process(as..., metrics, after);
  }
  template <class Timer, class... As>
  static void on_timer(Fn& fn, bundle_finalizer& after, const Timer& timer, const Key& key, As&... as) {
    if constexpr (requires { fn.on_timer(timer, key, as...); }) fn.on_timer(timer, key, as...);
    else fn.on_timer(timer, key, as..., after);
  }
  template <class... As>
  static void on_window_expiration(Fn& fn, bundle_finalizer& after, const Key& key, As&... as) {
    if constexpr (requires { fn.on_window_expiration(key, as...); }) fn.on_window_expiration(key, as...);
    else fn.on_window_expiration(key, as..., after);
  }
};

}  // namespace millrace::detail
