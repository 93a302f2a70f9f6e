#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/functions/member_names.hpp>
#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/grouping_spec.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>
#include <millrace/transforms/operators/stable_input.hpp>
#include <millrace/transforms/operators/stateful_calls.hpp>
#include <millrace/transforms/operators/stateful_operator.hpp>
#include <millrace/transforms/state/cell.hpp>          // IWYU pragma: export
#include <millrace/transforms/state/timer.hpp>         // IWYU pragma: export
#include <millrace/transforms/state/timer_family.hpp>  // IWYU pragma: export

#include <algorithm>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::detail {

// A stateful function: a stage behind a shuffle by key. The windowing of its input is also that of its outputs.
template <class Row, class Fn, class Outputs, class... Shapes>
class stateful_spec final : public operator_spec {
  using key = stored_key<decltype(Row::key)>;
  using value = decltype(Row::value);

 public:
  stateful_spec(windowing_strategy strategy, Fn fn, std::tuple<view_source<Shapes>...> views)
      : strategy_(std::move(strategy)), fn_(std::move(fn)), views_(std::move(views)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] std::string describe() const override {
    Fn fn = fn_;
    std::string views;
    std::apply([&](const auto&... v) { ((views += ", with " + Shapes::name() + " \"" + v.name + "\""), ...); }, views_);
    return "stateful par_do " + type_name<Fn>() + " of " + coder<value>::name() + " per " + coder<key>::name()
           + ", cells " + function_cells<Fn>(fn).describe() + (sorts_input<Fn>() ? ", in the order of time, " : ", ")
           + (needs_stable_input<Fn>() ? "of stable input, " : "") + strategy_.describe() + views;
  }
  [[nodiscard]] state_schema state() const override {
    Fn fn = fn_;
    state_schema kept;
    kept.part<key>("key", state_match::same);
    kept.text("windows", strategy_.into.describe(), state_match::same_while_kept);
    function_cells<Fn>(fn).add_to(kept);
    if (sorts_input<Fn>()) kept.text("order", "of time");
    if (waits_for_epochs()) kept.text("input", "stable");
    if (waits_for_epochs()) kept.part<value>("value", state_match::same);
    else if (sorts_input<Fn>() || sizeof...(Shapes) > 0) kept.part<value>("value");
    add_views(kept, views_);
    return kept;
  }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    const auto make_plain = [this](const operator_environment& within) {
      return make_operator<stateful_operator<key, value, Fn, Outputs, Shapes...>>(within, strategy_, fn_, views_);
    };
    if (waits_for_epochs() && in.durable_epochs) return make_operator<stable_input>(in, make_plain);
    return make_plain(in);
  }
  [[nodiscard]] bool waits_for_epochs() const override { return needs_stable_input<Fn>(); }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    return make_edge_writer<keyed_writer<Row>>(to, true);
  }
  [[nodiscard]] operator_traits traits() const override {
    using types = typename function_cells<Fn>::types;
    operator_traits traits = declared_traits<Fn>();
    traits.keeps_cells = true;
    traits.event_timers = types::event_timers;
    traits.clock_timers = types::processing_timers;
    traits.tells_expiration = requires { &Fn::on_window_expiration; };
    return traits;
  }

 private:
  windowing_strategy strategy_;
  Fn fn_;
  std::tuple<view_source<Shapes>...> views_;
};

// Throws pipeline_error where a function cannot keep state.
template <class T, class Fn>
void refuse_unsound_state(const pcollection<T>& in, std::string_view name, Fn fn) {
  const graph& g = in.owner();
  if (in.windowing().merges())
    throw pipeline_error(g.path_of(name),
                         "state cannot be kept in windows that merge, such as " + in.windowing().into.describe()
                             + " (sessions); group by key first, which merges them, or use other windows");
  std::vector<std::string> names = function_cells<Fn>(fn).names();
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    throw pipeline_error(g.path_of(name), "two cells are named \"" + *twice + "\"; each needs a name of its own");
}

// Stops compilation with one sentence where a stateful function lacks what its cells ask for.
template <class T, class Fn, class... Outs, class... Contents>
consteval void require_stateful(output_list<Contents...> /*contents*/) {
  static_assert(is_kv<T>, "millrace: a function with cells() keeps state per key, so it takes a collection of kv; "
                          "with_keys makes one");
  if constexpr (is_kv<T>) {
    using calls = stateful_calls<Fn, stored_key<decltype(T::key)>, decltype(T::value), Contents...>;
    require_group_key<decltype(T::key)>();
    require_codable<decltype(T::value)>();
    static_assert(calls::template processes<Outs...>,
                  "millrace: a stateful function needs process(const kv<Key, Value>&, emitter<Out>&) for the elements "
                  "of the collection, with the contents of its side inputs between them if it has some");
    static_assert(calls::template fires<event_timer, Outs...>,
                  "millrace: a function with an event_timer needs on_timer(const event_timer&, const Key&, "
                  "emitter<Out>&)");
    static_assert(calls::template fires<processing_timer, Outs...>,
                  "millrace: a function with a processing_timer needs on_timer(const processing_timer&, const Key&, "
                  "emitter<Out>&)");
    static_assert(calls::template fires<event_timer_family, Outs...>,
                  "millrace: a function with an event_timer_family needs on_timer(const event_timer_family&, const "
                  "Key&, emitter<Out>&)");
    static_assert(calls::template fires<processing_timer_family, Outs...>,
                  "millrace: a function with a processing_timer_family needs on_timer(const processing_timer_family&, "
                  "const Key&, emitter<Out>&)");
    static_assert(!names_on_window_expiration<Fn> || calls::template expires<Outs...>,
                  "millrace: on_window_expiration takes (const Key&, emitter<Out>&), with the contents of side inputs "
                  "between them if it reads some; the window is that of the emitter's at()");
    emissions<Outs...>::template require_calls<Fn>();
  }
}

template <class T, class Fn, class... Outs, bool Errors, class... Shapes>
auto add_stateful_node(const pcollection<T>& in, const std::string& name, const Fn& fn, std::source_location where,
                       const step_options<Errors, Shapes...>& options) {
  refuse_unsound_state(in, name, fn);
  auto spec = make_spec<stateful_spec<T, Fn, output_list<Outs...>, Shapes...>>(
      in.windowing(), fn, std::apply([](const auto&... v) { return std::tuple{v.source()...}; }, options.views));
  using element = kv<stored_key<decltype(T::key)>, decltype(T::value)>;
  return add_step_of<element, Outs...>(in, name, std::move(spec), options, where);
}

template <class T, class Fn, bool Errors, class... Shapes, class... Outs>
auto add_stateful_to(output_list<Outs...> /*outputs*/, const pcollection<T>& in, const std::string& name, const Fn& fn,
                     std::source_location where, const step_options<Errors, Shapes...>& options) {
  static_assert(sizeof...(Outs) > 0, "millrace: a stateful function says what it emits with `using output = Out;`");
  if constexpr (sizeof...(Outs) > 0) {
    (require_codable<Outs>(), ...);
    static_assert(ties_cells<Fn>, "millrace: cells() returns std::tie of the members that are state or timers, not "
                                  "copies of them");
    if constexpr (ties_cells<Fn>) {
      require_stateful<T, Fn, Outs...>(output_list<typename Shapes::contents...>{});
      return add_stateful_node<T, Fn, Outs...>(in, name, fn, where, options);
    }
  }
}

// Adds a function with cells(). One output is a collection, several are a tuple; with an error output the elements for
// which process() threw follow as a collection of failed<kv<Key, Value>>.
template <class T, class Fn, bool Errors, class... Shapes>
auto add_stateful(const pcollection<T>& in, const std::string& name, const Fn& fn, std::source_location where,
                  const step_options<Errors, Shapes...>& options) {
  return add_stateful_to<T, Fn>(outputs_of<Fn>{}, in, name, fn, where, options);
}

}  // namespace millrace::detail
