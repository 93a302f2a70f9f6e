#pragma once

#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/operators/element_step.hpp>
#include <millrace/transforms/operators/grouping_spec.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>
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
template <class Row, class Fn, class... Outs>
class stateful_spec final : public operator_spec {
  using key = stored_key<decltype(Row::key)>;
  using value = decltype(Row::value);

 public:
  stateful_spec(windowing_strategy strategy, Fn fn) : strategy_(std::move(strategy)), fn_(std::move(fn)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] std::string describe() const override {
    Fn fn = fn_;
    return "stateful par_do " + type_name<Fn>() + " of " + coder<value>::name() + " per " + coder<key>::name()
           + ", cells " + function_cells<Fn>(fn).describe() + ", " + strategy_.describe();
  }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return std::make_unique<stateful_operator<key, value, Fn, Outs...>>(in, strategy_, fn_);
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    return std::make_unique<keyed_writer<Row>>(to, true);
  }

 private:
  windowing_strategy strategy_;
  Fn fn_;
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

// Whether a function takes the firings of a kind of timer.
template <class Fn, class Timer, class Key, class... Outs>
concept tells_of =
    requires(Fn fn, const Timer& t, const Key& key, emitter<Outs>&... out) { fn.on_timer(t, key, out...); };

// Stops compilation with one sentence where a stateful function lacks what its cells ask for.
template <class T, class Fn, class... Outs>
consteval void require_stateful() {
  static_assert(is_kv<T>, "millrace: a function with cells() keeps state per key, so it takes a collection of kv; "
                          "with_keys makes one");
  if constexpr (is_kv<T>) {
    using key = stored_key<decltype(T::key)>;
    using element = kv<key, decltype(T::value)>;
    require_group_key<decltype(T::key)>();
    require_codable<decltype(T::value)>();
    using types = typename function_cells<Fn>::types;
    static_assert(
        requires(Fn fn, const element& x, emitter<Outs>&... out) { fn.process(x, out...); }
            || requires(Fn fn, const element& x, emitter<Outs>&... out, metric_board& m) { fn.process(x, out..., m); },
        "millrace: a stateful function needs process(const kv<Key, Value>&, emitter<Out>&) for the elements of "
        "the collection");
    static_assert(!types::template has<event_timer> || tells_of<Fn, event_timer, key, Outs...>,
                  "millrace: a function with an event_timer needs on_timer(const event_timer&, const Key&, "
                  "emitter<Out>&)");
    static_assert(!types::template has<processing_timer> || tells_of<Fn, processing_timer, key, Outs...>,
                  "millrace: a function with a processing_timer needs on_timer(const processing_timer&, const Key&, "
                  "emitter<Out>&)");
    static_assert(!types::template has<event_timer_family> || tells_of<Fn, event_timer_family, key, Outs...>,
                  "millrace: a function with an event_timer_family needs on_timer(const event_timer_family&, const "
                  "Key&, emitter<Out>&)");
    static_assert(!types::template has<processing_timer_family> || tells_of<Fn, processing_timer_family, key, Outs...>,
                  "millrace: a function with a processing_timer_family needs on_timer(const processing_timer_family&, "
                  "const Key&, emitter<Out>&)");
  }
}

template <bool Errors, class T, class Fn, class... Outs>
auto add_stateful_node(const pcollection<T>& in, const std::string& name, const Fn& fn, std::source_location where) {
  refuse_unsound_state(in, name, fn);
  using failure = failed<kv<stored_key<decltype(T::key)>, decltype(T::value)>>;
  node added;
  added.spec = std::make_shared<stateful_spec<T, Fn, Outs...>>(in.windowing(), fn);
  added.inputs = {in.id()};
  added.where = where;
  std::vector<output_spec> outputs{output_like(in, element_type::of<Outs>())...};
  if constexpr (Errors) outputs.push_back(output_like(in, element_type::of<failure>()));
  const node& n = in.owner().add(name, std::move(added), outputs);
  if constexpr (Errors) return collections_of<Outs..., failure>(in.shared_owner(), n.outputs);
  else return collections_of<Outs...>(in.shared_owner(), n.outputs);
}

template <bool Errors, class T, class Fn, class... Outs>
auto add_stateful_to(output_list<Outs...> /*outputs*/, const pcollection<T>& in, const std::string& name, const Fn& fn,
                     std::source_location where) {
  static_assert(sizeof...(Outs) > 0, "millrace: a stateful function says what it emits with `using output = Out;`");
  if constexpr (sizeof...(Outs) > 0) {
    (require_codable<Outs>(), ...);
    require_stateful<T, Fn, Outs...>();
    return add_stateful_node<Errors, T, Fn, Outs...>(in, name, fn, where);
  }
}

// Adds a function with cells(). One output is a collection, several are a tuple; with an error output the elements for
// which process() threw follow as a collection of failed<kv<Key, Value>>.
template <class T, class Fn, bool Errors, class... Shapes>
auto add_stateful(const pcollection<T>& in, const std::string& name, const Fn& fn, std::source_location where,
                  const step_options<Errors, Shapes...>& /*options*/) {
  static_assert(sizeof...(Shapes) == 0,
                "millrace: a stateful function cannot read side inputs yet; join them in a step before it");
  return add_stateful_to<Errors>(outputs_of<Fn>{}, in, name, fn, where);
}

}  // namespace millrace::detail
