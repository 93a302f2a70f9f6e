#pragma once

#include <millrace/transforms/co_group_by_key.hpp>
#include <millrace/transforms/flat_map.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace millrace {

// One result of a join: a value from the left and one from the right. A side that may lack is an optional.
template <class Left, class Right>
struct joined {
  Left left{};
  Right right{};

  friend bool operator==(const joined&, const joined&) = default;
};

namespace detail {

// A value of each side in all combinations; a side without values counts as one that lacks where it may.
template <bool LeftMayLack, bool RightMayLack, class Key, class Left, class Right>
auto join(const placed_name& name, const pcollection<kv<Key, Left>>& left, const pcollection<kv<Key, Right>>& right) {
  require_group_key<Key>();
  using left_value = std::conditional_t<LeftMayLack, std::optional<Left>, Left>;
  using right_value = std::conditional_t<RightMayLack, std::optional<Right>, Right>;
  using grouped = kv<stored_key<Key>, std::tuple<std::vector<Left>, std::vector<Right>>>;
  using output = kv<stored_key<Key>, joined<left_value, right_value>>;
  const auto combinations = [](const grouped& g, emitter<output>& out) {
    const auto& [of_left, of_right] = g.value;
    for (const Left& l : of_left)
      for (const Right& r : of_right) out(output{g.key, {left_value(l), right_value(r)}});
    if constexpr (RightMayLack)
      if (of_right.empty())
        for (const Left& l : of_left) out(output{g.key, {left_value(l), std::nullopt}});
    if constexpr (LeftMayLack)
      if (of_left.empty())
        for (const Right& r : of_right) out(output{g.key, {std::nullopt, right_value(r)}});
  };
  const auto body = [&](const pcollection<kv<Key, Left>>& of_left) {
    return co_group_by_key(placed_name("group", name.where), of_left, right)
           | flat_map("combinations", combinations, name.where);
  };
  return composite(name.name, body)(left);
}

}  // namespace detail

// Joins of two collections of kv by key and window; both must be windowed alike. A key with m values on the left and n
// on the right gives m times n results, which are built from the panes of a grouping: where panes are discarding, the
// values of a later pane do not meet those of an earlier one.

// Pairs of values with one key: kv<K, A>, kv<K, B> -> kv<K, joined<A, B>>.
template <class Key, class Left, class Right>
[[nodiscard]] auto inner_join(const detail::placed_name& name, const pcollection<kv<Key, Left>>& left,
                              const pcollection<kv<Key, Right>>& right) {
  return detail::join<false, false>(name, left, right);
}

// The same, and every value on the left whose key the right lacks: kv<K, joined<A, std::optional<B>>>.
template <class Key, class Left, class Right>
[[nodiscard]] auto left_outer_join(const detail::placed_name& name, const pcollection<kv<Key, Left>>& left,
                                   const pcollection<kv<Key, Right>>& right) {
  return detail::join<false, true>(name, left, right);
}

// The pairs, and every value on the right whose key the left lacks: kv<K, joined<std::optional<A>, B>>.
template <class Key, class Left, class Right>
[[nodiscard]] auto right_outer_join(const detail::placed_name& name, const pcollection<kv<Key, Left>>& left,
                                    const pcollection<kv<Key, Right>>& right) {
  return detail::join<true, false>(name, left, right);
}

// The pairs, and every value whose key the other side lacks: kv<K, joined<std::optional<A>, std::optional<B>>>.
template <class Key, class Left, class Right>
[[nodiscard]] auto full_outer_join(const detail::placed_name& name, const pcollection<kv<Key, Left>>& left,
                                   const pcollection<kv<Key, Right>>& right) {
  return detail::join<true, true>(name, left, right);
}

}  // namespace millrace
