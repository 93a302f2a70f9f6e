#pragma once

#include <millrace/transforms/fast/fast_combine.hpp>
#include <millrace/transforms/fast/fast_windowing.hpp>
#include <millrace/transforms/operators/combine_operator.hpp>
#include <millrace/transforms/operators/grouping_spec.hpp>
#include <millrace/transforms/operators/lifting_writer.hpp>

#include <memory>
#include <string>
#include <utility>

namespace millrace::detail {

// Why elements must not be combined before the shuffle; empty if they may.
inline std::string why_not_lifted(const windowing_strategy& strategy) {
  if (strategy.fire.observes_element_counts()) return "its trigger counts elements: " + strategy.fire.describe();
  if (reads_times(strategy)) return "the timestamp of its panes depends on the time of each element";
  return {};
}

// The functions of a combine: where key and value of a row are, and how values are combined.
template <class KeyOf, class ValueOf, class Fn>
struct combine_parts {
  [[no_unique_address]] KeyOf key_of;
  [[no_unique_address]] ValueOf value_of;
  [[no_unique_address]] Fn fn;
};
template <class KeyOf, class ValueOf, class Fn>
combine_parts(KeyOf, ValueOf, Fn) -> combine_parts<KeyOf, ValueOf, Fn>;

// What a combine keeps; without a key, its type is void.
template <class Key, class Fn>
state_schema kept_by_combine(const windowing_strategy& strategy) {
  state_schema kept = kept_by_grouping<Key>(strategy);
  kept.template part<accumulator_of<Fn>>("accumulator");
  if (fires_with_bundles(strategy)) kept.text(with_bundles, "at once", state_match::nothing);
  return kept;
}

// The operator of a combine: flat tables where its windowing allows, else the general engine. Both give the same.
template <class Key, class In, class Fn>
std::unique_ptr<stage_operator> make_combine(const operator_environment& in, const windowing_strategy& strategy,
                                             const Fn& fn) {
  if constexpr (fast_accumulator<accumulator_of<Fn>>) {
    if (in.fast_path && why_not_fast_combine<Fn>(strategy).empty()) return make_fast_combine<Key, In>(in, strategy, fn);
  }
  return make_operator<combine_operator<Key, In, Fn>>(in, strategy, fn);
}

// combine_per_key over rows whose key and value are found by functions.
template <class Row, class KeyOf, class ValueOf, class Fn>
class combine_spec final : public operator_spec {
  using key = row_part<KeyOf, Row>;
  using value = row_part<ValueOf, Row>;

 public:
  using output = kv<stored_key<key>, combined_by<Fn>>;

  combine_spec(windowing_strategy strategy, combine_parts<KeyOf, ValueOf, Fn> parts)
      : strategy_(std::move(strategy)), parts_(std::move(parts)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] std::string describe() const override {
    return "combine " + combine_fn_name(parts_.fn) + " of " + coder<value>::name() + " per "
           + coder<stored_key<key>>::name() + ", " + strategy_.describe();
  }
  [[nodiscard]] state_schema state() const override { return kept_by_combine<stored_key<key>, Fn>(strategy_); }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_combine<stored_key<key>, value>(in, strategy_, parts_.fn);
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    if (to.lift)
      return make_edge_writer<lifting_writer<Row, KeyOf, ValueOf, Fn>>(to, parts_.key_of, parts_.value_of, parts_.fn);
    return make_edge_writer<keyed_writer<Row, KeyOf, ValueOf>>(to, reads_times(strategy_), parts_.key_of,
                                                               parts_.value_of);
  }
  [[nodiscard]] std::string why_not_lifted() const override { return detail::why_not_lifted(strategy_); }
  [[nodiscard]] std::string why_not_fast() const override { return why_not_fast_combine<Fn>(strategy_); }

 private:
  windowing_strategy strategy_;
  combine_parts<KeyOf, ValueOf, Fn> parts_;
};

}  // namespace millrace::detail
