#pragma once

#include <millrace/transforms/operators/group_operator.hpp>
#include <millrace/transforms/operators/grouping_spec.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {

template <class Row>
class group_spec final : public operator_spec {
  using key = stored_key<decltype(Row::key)>;
  using value = decltype(Row::value);

 public:
  explicit group_spec(windowing_strategy strategy) : strategy_(std::move(strategy)) {}

  [[nodiscard]] operator_kind kind() const override { return operator_kind::keyed; }
  [[nodiscard]] operator_traits traits() const override { return {.collects = true}; }
  [[nodiscard]] std::string describe() const override {
    return "group " + coder<value>::name() + " by " + coder<key>::name() + ", " + strategy_.describe();
  }
  [[nodiscard]] state_schema state() const override {
    return kept_by_grouping<key>(strategy_).template part<value>("value");
  }
  [[nodiscard]] std::unique_ptr<stage_operator> make(const operator_environment& in) const override {
    return make_operator<group_operator<key, value>>(in, strategy_);
  }
  [[nodiscard]] std::unique_ptr<edge_writer> make_writer(const edge_environment& to) const override {
    return make_edge_writer<keyed_writer<Row>>(to, reads_times(strategy_));
  }

 private:
  windowing_strategy strategy_;
};

}  // namespace detail

// All values of each key and window: pcollection<kv<K, V>> -> pcollection<kv<K, std::vector<V>>>. They are held in
// memory together; where only their sum, count or the like is wanted, combine_per_key holds much less.
[[nodiscard]] inline auto group_by_key(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: group_by_key takes a collection of kv; with_keys makes one");
    if constexpr (is_kv<T>) {
      detail::require_group_key<decltype(T::key)>();
      require_codable<decltype(T::value)>();
      detail::refuse_unsound_grouping(in, name);
      using output = kv<detail::stored_key<decltype(T::key)>, std::vector<decltype(T::value)>>;
      return detail::add_grouping<output>(in, name, make_spec<detail::group_spec<T>>(in.windowing()), where);
    }
  };
}

}  // namespace millrace
