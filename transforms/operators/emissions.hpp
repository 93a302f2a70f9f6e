#pragma once

#include <millrace/transforms/functions/bundle_finalizer.hpp>
#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/functions/member_names.hpp>
#include <millrace/transforms/metric.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/operators/failure.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace millrace::detail {

// All outputs of a running user function, and the calls of it that belong to no element: around its life and around a
// bundle. Such a call that throws fails naming the step and the call. Owned by the function's operator.
template <class... Outs>
class emissions {
 public:
  explicit emissions(const operator_environment& in)
      : step_(in.step), metrics_(in.metrics), all_(same<Outs>(in.batch_rows_max)...) {}

  // Wires one of them; false for the number behind the last, which is that of an error output.
  bool connect(std::size_t output, receiver_ref next) {
    std::size_t port = 0;
    each([&](auto& e) {
      if (port++ == output) e.connect(next);
    });
    return output < sizeof...(Outs);
  }
  // Calls f(emission) for each.
  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... e) { (f(e), ...); }, all_);
  }
  // Calls f(emitter...) with those of all.
  template <class F>
  decltype(auto) call(F&& f) {
    return std::apply([&](auto&... e) -> decltype(auto) { return f(e.out()...); }, all_);
  }
  void settle() {
    each([](auto& e) { e.settle(); });
  }
  // Passes everything on and counts it.
  void end() {
    each([&](auto& e) {
      e.end();
      metrics_.elements_out += e.passed();
    });
  }
  // Inside a catch block: forgets what the current element has given out; whether nothing of it had left.
  [[nodiscard]] bool take_back() {
    bool all = true;
    each([&](auto& e) { all = e.take_back() && all; });
    return all;
  }

  // A call that belongs to no element: its failure names the step and `what`.
  template <class F>
  void around(F&& f, const char* what) {
    try {
      f();
    } catch (...) {
      static_cast<void>(take_back());
      std::throw_with_nested(
          element_failure({step_, "", std::string(what) + ": " + message_of_current_exception(), 1}));
    }
  }
  template <class Fn>
  void setup(Fn& fn) {
    if constexpr (requires { fn.setup(); }) around([&] { fn.setup(); }, "setup()");
  }
  // A copy of a function that has thrown is not used again: tears it down and sets up one of `prototype` in its place.
  template <class Fn>
  void renew(Fn& fn, const Fn& prototype) {
    teardown(fn);
    Fn fresh = prototype;
    std::destroy_at(&fn);
    std::construct_at(&fn, std::move(fresh));
    bind_metrics(fn, metrics_);
    setup(fn);
  }
  template <class Fn>
  void start_bundle(Fn& fn) {
    if constexpr (requires { fn.start_bundle(); }) around([&] { fn.start_bundle(); }, "start_bundle()");
  }
  template <class Fn>
  void finish_bundle(Fn& fn, bundle_finalizer& after) {
    constexpr bool emits = requires(emitter<Outs>&... out) { fn.finish_bundle(out...); }
                           || requires(emitter<Outs>&... out) { fn.finish_bundle(out..., after); };
    if constexpr (emits) {
      const auto finish = [&](auto&... out) {
        if constexpr (requires { fn.finish_bundle(out...); }) fn.finish_bundle(out...);
        else fn.finish_bundle(out..., after);
      };
      each([](auto& e) { e.begin_explicit(); });
      around([&] { call(finish); }, "finish_bundle()");
      end();
    } else if constexpr (requires { fn.finish_bundle(after); }) {
      around([&] { fn.finish_bundle(after); }, "finish_bundle()");
    } else if constexpr (requires { fn.finish_bundle(); }) {
      around([&] { fn.finish_bundle(); }, "finish_bundle()");
    }
  }
  template <class Fn>
  static void teardown(Fn& fn) noexcept {
    if constexpr (requires { fn.teardown(); }) {
      try {
        fn.teardown();
      } catch (...) {  // it is called after failures too, when nobody is left to tell
      }
    }
  }

  // Stops compilation with one sentence where the function has a call around bundles or its life that nothing can call.
  template <class Fn>
  static consteval void require_calls() {
    static_assert(
        !names_setup<Fn> || requires(Fn& fn) { fn.setup(); },
        "millrace: par_do: setup takes no arguments: void setup()");
    static_assert(
        !names_teardown<Fn> || requires(Fn& fn) { fn.teardown(); },
        "millrace: par_do: teardown takes no arguments: void teardown()");
    static_assert(
        !names_start_bundle<Fn> || requires(Fn& fn) { fn.start_bundle(); },
        "millrace: par_do: start_bundle takes no arguments: void start_bundle(); process and finish_bundle "
        "emit");
    static_assert(
        !names_finish_bundle<Fn> || finalizes_bundles<Fn> || requires(Fn& fn) { fn.finish_bundle(); }
            || requires(Fn& fn, emitter<Outs>&... out) { fn.finish_bundle(out...); },
        "millrace: par_do: finish_bundle takes nothing or an emitter<X>& for each output, and a "
        "bundle_finalizer& behind them if it likes");
  }

  // Whether finish_bundle takes a bundle_finalizer&.
  template <class Fn>
  static constexpr bool finalizes_bundles = requires(Fn& fn, emitter<Outs>&... out, bundle_finalizer& after) {
    fn.finish_bundle(out..., after);
  } || requires(Fn& fn, bundle_finalizer& after) { fn.finish_bundle(after); };

 private:
  template <class>
  static std::uint32_t same(std::uint32_t rows_max) {
    return rows_max;
  }

  std::string step_;
  metric_board& metrics_;
  std::tuple<emission<Outs>...> all_;
};

}  // namespace millrace::detail
