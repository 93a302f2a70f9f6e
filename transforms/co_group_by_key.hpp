#pragma once

#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace millrace {

namespace detail {

// The values of a key sorted by the collection that they came from.
template <class... Values>
auto sorted_out(const std::vector<std::variant<Values...>>& tagged) {
  std::tuple<std::vector<Values>...> sorted;
  const auto take = [&]<std::size_t... I>(const std::variant<Values...>& value, std::index_sequence<I...>) {
    static_cast<void>(((value.index() == I && (std::get<I>(sorted).push_back(std::get<I>(value)), true)) || ...));
  };
  for (const auto& value : tagged) take(value, std::index_sequence_for<Values...>{});
  return sorted;
}

template <class Key, class... Values, std::size_t... I>
auto co_group(const placed_name& name, std::index_sequence<I...> /*inputs*/,
              const pcollection<kv<Key, Values>>&... inputs) {
  using tagged = std::variant<Values...>;
  using element = kv<Key, tagged>;
  using grouped = kv<stored_key<Key>, std::vector<tagged>>;
  using output = kv<stored_key<Key>, std::tuple<std::vector<Values>...>>;
  const auto body = [&](const auto& first) {
    static_cast<void>(first);
    const auto tag = [&]<std::size_t Index, class V>(std::integral_constant<std::size_t, Index>,
                                                     const pcollection<kv<Key, V>>& in) {
      return in
             | map(
                 "tag " + std::to_string(Index),
                 [](const kv<Key, V>& x) { return element{x.key, tagged{std::in_place_index<Index>, x.value}}; },
                 name.where);
    };
    return flatten("flatten",
                   std::vector<pcollection<element>>{tag(std::integral_constant<std::size_t, I>{}, inputs)...},
                   name.where)
           | group_by_key("group", name.where)
           | map(
               "sort out", [](const grouped& g) { return output{g.key, sorted_out<Values...>(g.value)}; }, name.where);
  };
  return composite(name.name, body)(std::get<0>(std::tie(inputs...)));
}

}  // namespace detail

// All values of each key and window from several collections: kv<K, A>, kv<K, B>, ... -> kv<K, tuple<vector<A>,
// vector<B>, ...>>. A collection without values for a key gives an empty vector. The collections must be windowed
// alike.
template <class Key, class First, class Second, class... More>
[[nodiscard]] auto co_group_by_key(const detail::placed_name& name, const pcollection<kv<Key, First>>& first,
                                   const pcollection<kv<Key, Second>>& second,
                                   const pcollection<kv<Key, More>>&... more) {
  detail::require_group_key<Key>();
  return detail::co_group(name, std::make_index_sequence<2 + sizeof...(More)>{}, first, second, more...);
}

}  // namespace millrace
