#pragma once

#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/splittable/process_result.hpp>
#include <millrace/transforms/splittable/tracker.hpp>
#include <millrace/transforms/splittable/watermark_estimators.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// What a user writes for par_do_splittable:
//   using output = U;                                                  // as in a do_fn
//   offset_range initial_restriction(const T& x);                      // all of the work that an element means
//   process_result process(const T& x, tracker<offset_range>& range, emitter<U>& out);   // or void: always stops
//   std::vector<offset_range> split(const T& x, const offset_range&);  // optional: parts to begin with
//   std::optional<offset_range> truncate(const T& x, const offset_range&);  // optional: what a drain leaves of it
//   using estimator = manual_watermark;                                // optional: it follows the tracker in process
//   timestamp initial_watermark(const T& x, timestamp at);             // optional: the estimator's first state
//   static constexpr bool bounded_per_element = true;                  // optional; else false if process can resume
//   void setup(); void teardown(); void start_bundle(); void finish_bundle(emitter<U>&); auto metrics();

namespace detail {

// A function whose work for an element of T can be divided.
template <class Fn, class T>
concept splittable_function = requires(Fn fn, const T& x) { fn.initial_restriction(x); };

template <class Fn>
struct estimator_of_fn {
  using type = element_time_watermark;
};
template <class Fn>
  requires requires { typename Fn::estimator; }
struct estimator_of_fn<Fn> {
  using type = typename Fn::estimator;
};

// What is known of a splittable function and its elements when it is compiled.
template <class Fn, class T>
struct splittable_traits {
  using restriction = std::remove_cvref_t<decltype(std::declval<Fn&>().initial_restriction(std::declval<const T&>()))>;
  using estimator = typename estimator_of_fn<Fn>::type;
  static constexpr bool has_estimator = requires { typename Fn::estimator; };

  template <class... Outs>
  static constexpr bool callable =
      has_estimator ? requires(Fn fn, const T& x, tracker<restriction>& r, estimator& e, emitter<Outs>&... out) {
        fn.process(x, r, e, out...);
      } : requires(Fn fn, const T& x, tracker<restriction>& r, emitter<Outs>&... out) { fn.process(x, r, out...); };

  template <class... Outs>
  static decltype(auto) call(Fn& fn, const T& x, tracker<restriction>& r, estimator& e, emitter<Outs>&... out) {
    if constexpr (has_estimator) return fn.process(x, r, e, out...);
    else return fn.process(x, r, out...);
  }
  template <class... Outs>
  static constexpr bool resumes =
      !std::is_void_v<decltype(call(std::declval<Fn&>(), std::declval<const T&>(),
                                    std::declval<tracker<restriction>&>(), std::declval<estimator&>(),
                                    std::declval<emitter<Outs>&>()...))>;

  // Whether the work for each element comes to an end.
  template <class... Outs>
  static consteval bool bounded() {
    if constexpr (requires { Fn::bounded_per_element; }) return Fn::bounded_per_element;
    else return !resumes<Outs...>;
  }

  static typename estimator::state first_state(Fn& fn, const T& x, timestamp at) {
    if constexpr (requires { fn.initial_watermark(x, at); }) return fn.initial_watermark(x, at);
    else return typename estimator::state(at);
  }
  static std::vector<restriction> parts(Fn& fn, const T& x, restriction all) {
    if constexpr (requires { fn.split(x, all); }) return fn.split(x, all);
    else if constexpr (requires { fn.split(all); }) return fn.split(all);
    else return {std::move(all)};
  }
  // What a drain leaves of a restriction: of a function that says nothing, the whole of one that ends.
  static std::optional<restriction> truncated(Fn& fn, const T& x, restriction of, bool bounded) {
    if constexpr (requires { fn.truncate(x, of); }) return fn.truncate(x, of);
    else if constexpr (requires { of.bounded(); }) return of.bounded() ? std::optional(std::move(of)) : std::nullopt;
    else return bounded ? std::optional(std::move(of)) : std::nullopt;
  }
};

}  // namespace detail

}  // namespace millrace
