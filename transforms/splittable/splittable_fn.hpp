#pragma once

#include <millrace/transforms/functions/bundle_finalizer.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/splittable/process_result.hpp>
#include <millrace/transforms/splittable/tracker.hpp>
#include <millrace/transforms/splittable/watermark_estimators.hpp>

#include <algorithm>
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
//   double size(const T& x, const offset_range&);                      // optional: about how much work it is
//   using estimator = manual_watermark;                                // optional: it follows the tracker in process
//   timestamp initial_watermark(const T& x, timestamp at);             // optional: the estimator's first state
//   static constexpr bool bounded_per_element = true;                  // optional; else false if process can resume
//   void setup(); void teardown(); void start_bundle(); void finish_bundle(emitter<U>&); auto metrics();
// With start_bundle or finish_bundle it may keep something of a bundle in itself, since that is done again whole when a
// call throws, see do_fn.
// Contents of side inputs follow the element in process; a bundle_finalizer& may follow the emitters there and in
// finish_bundle. By size() idle shards choose whose work they take over; it goes before the restriction's own, and less
// than 2 is not divided.

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

// What is known of a splittable function, its elements and the contents of its side inputs when it is compiled.
template <class Fn, class T, class... Contents>
struct splittable_traits {
  using restriction = std::remove_cvref_t<decltype(std::declval<Fn&>().initial_restriction(std::declval<const T&>()))>;
  using estimator = typename estimator_of_fn<Fn>::type;
  static constexpr bool has_estimator = requires { typename Fn::estimator; };

  template <class... As>
  static constexpr bool takes_process = requires(Fn fn, As&... as) { fn.process(as...); };
  // Whether process can be called, with or without a bundle_finalizer& behind its emitters.
  template <bool Finalizes, class... Outs>
  static consteval bool callable_as() {
    using claims = tracker<restriction>;
    if constexpr (has_estimator && Finalizes)
      return takes_process<const T, const Contents..., claims, estimator, emitter<Outs>..., bundle_finalizer>;
    else if constexpr (has_estimator)
      return takes_process<const T, const Contents..., claims, estimator, emitter<Outs>...>;
    else if constexpr (Finalizes)
      return takes_process<const T, const Contents..., claims, emitter<Outs>..., bundle_finalizer>;
    else return takes_process<const T, const Contents..., claims, emitter<Outs>...>;
  }
  template <class... Outs>
  static constexpr bool finalizes = callable_as<true, Outs...>();
  template <class... Outs>
  static constexpr bool callable = callable_as<false, Outs...>() || finalizes<Outs...>;

  // What a call is given besides the element, the contents of side inputs and the emitters.
  struct call_parts {
    tracker<restriction>& claims;
    estimator& marks;
    bundle_finalizer& after;
  };
  template <class... Outs>
  static decltype(auto) call(Fn& fn, const call_parts& with, const T& x, const Contents&... c, emitter<Outs>&... out) {
    if constexpr (has_estimator && finalizes<Outs...>)
      return fn.process(x, c..., with.claims, with.marks, out..., with.after);
    else if constexpr (has_estimator) return fn.process(x, c..., with.claims, with.marks, out...);
    else if constexpr (finalizes<Outs...>) return fn.process(x, c..., with.claims, out..., with.after);
    else return fn.process(x, c..., with.claims, out...);
  }
  template <class... Outs>
  static constexpr bool resumes =
      !std::is_void_v<decltype(call<Outs...>(std::declval<Fn&>(), std::declval<const call_parts&>(),
                                             std::declval<const T&>(), std::declval<const Contents&>()...,
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
  // Whether the work for a restriction comes to an end.
  template <class... Outs>
  static bool ends(const restriction& of) {
    if constexpr (requires { of.bounded(); }) return of.bounded();
    else return bounded<Outs...>();
  }
  // About how much work a restriction is, as far as anybody says.
  static double size(Fn& fn, const T& x, const restriction& of) {
    if constexpr (requires { fn.size(x, of); }) return std::max(0.0, static_cast<double>(fn.size(x, of)));
    else if constexpr (requires { of.size(); }) return static_cast<double>(of.size());
    else if constexpr (requires(const tracker_of<restriction>& t) { t.progress().left; })
      return tracker_of<restriction>(of).progress().left;
    else return 2;  // as if it were little, but not too little
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
