#pragma once

#include <millrace/transforms/coders/column_traits.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace::detail {

// What the key or value function of an edge gives for a row.
template <class Of, class Row>
using row_part = std::remove_cvref_t<std::invoke_result_t<const Of&, const Row&>>;

// How a key is kept and given out: text owns its characters.
template <class Key>
using stored_key = std::conditional_t<std::is_same_v<Key, std::string_view>, std::string, Key>;

// Stops compilation with one sentence unless elements can be grouped by the key.
template <class Key>
consteval void require_group_key() {
  if constexpr (codable<stored_key<Key>>)
    static_assert(deterministic_key<stored_key<Key>>,
                  "millrace: a key needs a deterministic coder; floating point is not one: key by an integer or text "
                  "form instead");
  else require_codable<Key>();
}

// Throws pipeline_error where the model refuses a grouping of this collection.
template <class T>
void refuse_unsound_grouping(const pcollection<T>& in, std::string_view name) {
  const graph& g = in.owner();
  if (const auto why = grouping_refusal(in.windowing(), {in.bounded(), g.unsafe_triggers_allowed()}))
    throw pipeline_error(g.path_of(name), *why);
}

// Adds a grouping: its output has the windowing that a grouping leaves.
template <class Out, class In>
pcollection<Out> add_grouping(const pcollection<In>& in, std::string_view name,
                              std::shared_ptr<const operator_spec> spec, std::source_location where) {
  node added;
  added.spec = std::move(spec);
  added.inputs = {in.id()};
  added.where = where;
  const node& n = in.owner().add(name, std::move(added),
                                 {{&element_type::of<Out>(), after_grouping(in.windowing()), in.bounded()}});
  return {in.shared_owner(), n.outputs[0]};
}

// What a grouping keeps of each key and window, whatever its contents. Contents without a key have the key type void.
template <class Key>
state_schema kept_by_grouping(const windowing_strategy& strategy) {
  state_schema kept;
  if constexpr (!std::is_void_v<Key>) kept.template part<Key>("key", state_match::same);
  kept.text("windows", strategy.describe_kept(), state_match::same_while_kept);
  return kept;
}

// Whether a grouping of this strategy looks at the event times of its input. The end of a window needs none.
inline bool reads_times(const windowing_strategy& strategy) {
  return strategy.timestamps != timestamp_combiner::end_of_window;
}

}  // namespace millrace::detail
