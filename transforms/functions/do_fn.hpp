#pragma once

#include <millrace/transforms/functions/bundle_finalizer.hpp>
#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/metric.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace millrace {

// What a user writes for a par_do is either a lambda `[](const T& x, emitter<U>& out) {...}` or an object:
//   using output = U;                                    // std::tuple<A, B> for several outputs
//   void process(const T& x, emitter<U>& out);           // one emitter for each output
//   void setup(); void teardown();                       // optional: once per running copy
//   void start_bundle(); void finish_bundle(emitter<U>&) // optional: around each bundle; results need time and window
//   auto metrics() { return std::tie(words_); }          // optional
//   auto cells() { return std::tie(seen_, timer_); }     // optional: makes it a stateful function of kv elements,
//                                                        // which may ask for elements in the order of their times:
//   static constexpr bool requires_time_sorted_input = true;
//                                                        // processing timers that are pending at the end of a
//                                                        // bounded input are dropped, or fire when the clock comes to
//                                                        them:
//   static constexpr bool fires_clock_timers_at_end = true;
// Any of these objects may ask for elements that are the same if they come again after a crash:
//   static constexpr bool requires_stable_input = true;
// They wait until the epoch that contains them is durable; without cells they do so at "NAME/stable_input", which
// begins a stage and spreads them over its shards.
//
// Contents of side inputs follow the element; a metric_board& may follow the emitters, and then, in process, on_timer,
// on_window_expiration and finish_bundle, a bundle_finalizer&.
//
// A call that throws is made again, up to the attempts of the job; a copy of a function with setup or teardown that has
// thrown is torn down before, and a new one set up. A function with start_bundle or finish_bundle may keep something of
// its bundle in itself, so then its whole bundle is done again, by a new copy of it: with the cells and timers that
// there were before the bundle, and without the outputs, registered calls and metrics of the failed attempt. For that,
// its elements and outputs wait until the bundle ends, and a stateful one costs a copy of each record that a bundle
// touches.

namespace detail {

// The outputs of a function as a tuple of their types: of its `output`, or of the emitters it takes.
template <class... Xs>
struct output_list {
  static constexpr std::size_t size = sizeof...(Xs);
};

template <class List, class... Arguments>
struct emitters_among {
  using type = List;
};
template <class... Xs, class First, class... Rest>
struct emitters_among<output_list<Xs...>, First, Rest...> : emitters_among<output_list<Xs...>, Rest...> {};
template <class... Xs, class X, class... Rest>
struct emitters_among<output_list<Xs...>, emitter<X>&, Rest...> : emitters_among<output_list<Xs..., X>, Rest...> {};

template <class Signature>
struct outputs_of_call {
  using type = output_list<>;
};
template <class R, class... As>
struct outputs_of_call<R (*)(As...)> : emitters_among<output_list<>, As...> {};
template <class R, class... As>
struct outputs_of_call<R (*)(As...) noexcept> : emitters_among<output_list<>, As...> {};
template <class R, class C, class... As>
struct outputs_of_call<R (C::*)(As...)> : emitters_among<output_list<>, As...> {};
template <class R, class C, class... As>
struct outputs_of_call<R (C::*)(As...) const> : emitters_among<output_list<>, As...> {};
template <class R, class C, class... As>
struct outputs_of_call<R (C::*)(As...) noexcept> : emitters_among<output_list<>, As...> {};
template <class R, class C, class... As>
struct outputs_of_call<R (C::*)(As...) const noexcept> : emitters_among<output_list<>, As...> {};

template <class X>
struct outputs_named {
  using type = output_list<X>;
};
template <class... Xs>
struct outputs_named<std::tuple<Xs...>> {
  using type = output_list<Xs...>;
};

template <class Fn>
consteval auto find_outputs() {
  if constexpr (requires { typename Fn::output; }) return outputs_named<typename Fn::output>{};
  else if constexpr (requires { &Fn::process; }) return outputs_of_call<decltype(&Fn::process)>{};
  else if constexpr (requires { &Fn::operator(); }) return outputs_of_call<decltype(&Fn::operator())>{};
  else return outputs_of_call<Fn>{};
}

// output_list of what a function emits; empty if that cannot be told (a generic lambda).
template <class Fn>
using outputs_of = typename decltype(find_outputs<Fn>())::type;

// Whether a function asks for elements that are the same, if it is given them again after a crash.
template <class Fn>
consteval bool needs_stable_input() {
  if constexpr (requires { Fn::requires_stable_input; }) return Fn::requires_stable_input;
  else return false;
}
// Whether a function asks for the elements of a key in the order of event time.
template <class Fn>
consteval bool sorts_input() {
  if constexpr (requires { Fn::requires_time_sorted_input; }) return Fn::requires_time_sorted_input;
  else return false;
}

// Whether a function waits at the end of its input for the clock to come to its timers.
template <class Fn>
consteval bool fires_clock_timers_at_end() {
  if constexpr (requires { Fn::fires_clock_timers_at_end; }) return Fn::fires_clock_timers_at_end;
  else return false;
}

// A function with cells() keeps state per key and window.
template <class Fn>
concept stateful_function = requires(Fn fn) { fn.cells(); };

// A pointer to a member stands for the function that gives it.
template <class F>
auto as_function(F f) {
  if constexpr (std::is_member_object_pointer_v<F>) return [f](const auto& x) -> const auto& { return x.*f; };
  else if constexpr (std::is_member_function_pointer_v<F>)
    return [f](const auto& x) -> decltype(auto) { return (x.*f)(); };
  else return f;
}

// The contents of the side inputs that a function is called with; set by whoever maps windows and knows what is ready.
template <class... Views>
class view_arguments;
template <>
class view_arguments<> {
 public:
  template <class Call>
  decltype(auto) apply(Call&& call) const {
    return call();
  }
};

// Whether a call with Fn (its process, if it has one) and these arguments is possible.
template <class Fn, class... As>
concept takes = requires(Fn& fn, As&&... as) { fn.process(std::forward<As>(as)...); }
                || requires(Fn& fn, As&&... as) { fn(std::forward<As>(as)...); };

// Whether it takes a bundle_finalizer& behind them.
template <class Fn, class... As>
concept finalizing_step = takes<Fn, As..., bundle_finalizer&> || takes<Fn, As..., metric_board&, bundle_finalizer&>;

// How an operator calls a user's function: appends what the function asks for besides the element and the emitters,
// which are the contents of side inputs and its step's metrics. One per running operator.
template <class Fn, class... Views>
class user_function {
 public:
  using function_type = Fn;

  user_function(Fn fn, metric_board& metrics) : fn_(std::move(fn)), metrics_(&metrics) { bind_metrics(fn_, metrics); }

  [[nodiscard]] Fn& function() { return fn_; }
  // The contents for the calls that follow. Only for functions with side inputs.
  void look_at(const view_arguments<Views...>& views) { views_ = &views; }
  // Takes a new copy of the function.
  void renew(const Fn& prototype) {
    Fn fresh = prototype;
    std::destroy_at(&fn_);
    std::construct_at(&fn_, std::move(fresh));
    bind_metrics(fn_, *metrics_);
  }
  // Where its calls register what is to follow their bundle.
  void finalize_by(bundle_finalizer& with) { finalizer_ = &with; }

  // Whether process takes a bundle_finalizer&.
  template <class T, class... Outs>
  static constexpr bool finalizes =
      finalizing_step<Fn, const T&, const typename Views::contents&..., emitter<Outs>&...>;

  template <class T, class... Outs>
  decltype(auto) operator()(const T& x, Outs&... outs) {
    if constexpr (sizeof...(Views) == 0) return call(x, outs...);
    else return views_->apply([&](const auto&... contents) -> decltype(auto) { return call(x, contents..., outs...); });
  }

 private:
  template <class... As>
  decltype(auto) call(As&... as) {
    constexpr bool plain = requires { fn_.process(as...); } || requires { fn_(as...); }
                           || requires { fn_.process(as..., *finalizer_); } || requires { fn_(as..., *finalizer_); };
    if constexpr (!plain || requires { fn_.metrics(); }) metrics_->begin_call();
    if constexpr (requires { fn_.process(as...); }) return fn_.process(as...);
    else if constexpr (requires { fn_.process(as..., *metrics_); }) return fn_.process(as..., *metrics_);
    else if constexpr (requires { fn_(as...); }) return fn_(as...);
    else if constexpr (requires { fn_.process(as..., *finalizer_); }) return fn_.process(as..., *finalizer_);
    else if constexpr (requires { fn_.process(as..., *metrics_, *finalizer_); })
      return fn_.process(as..., *metrics_, *finalizer_);
    else if constexpr (requires { fn_(as..., *finalizer_); }) return fn_(as..., *finalizer_);
    else if constexpr (requires { fn_(as..., *metrics_, *finalizer_); }) return fn_(as..., *metrics_, *finalizer_);
    else return fn_(as..., *metrics_);
  }

  Fn fn_;
  metric_board* metrics_;
  bundle_finalizer* finalizer_ = nullptr;
  [[no_unique_address]] std::conditional_t<sizeof...(Views) == 0, std::tuple<>, const view_arguments<Views...>*>
      views_{};
};

// Whether user_function<Fn> can be called with these arguments.
template <class Fn, class... As>
concept callable_step = takes<Fn, As...> || takes<Fn, As..., metric_board&>;

template <class Fn, class... As>
struct step_result_of : std::invoke_result<Fn&, As..., metric_board&> {};
template <class Fn, class... As>
  requires std::is_invocable_v<Fn&, As...>
struct step_result_of<Fn, As...> : std::invoke_result<Fn&, As...> {};

// What calling it gives.
template <class Fn, class... As>
using step_result = typename step_result_of<Fn, As...>::type;

}  // namespace detail

}  // namespace millrace
