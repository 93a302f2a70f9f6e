#pragma once

#include <millrace/transforms/combine.hpp>

#include <cstddef>
#include <functional>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

// The n greatest values of each key by `less`, greatest first: pcollection<kv<K, V>> -> pcollection<kv<K,
// std::vector<V>>>. Of equal values those with the least encoding stay, so that the result does not depend on the order
// of arrival.
template <class Less = std::less<>>
[[nodiscard]] auto top_per_key(std::string name, std::size_t n, Less less = {},
                               std::source_location where = std::source_location::current()) {
  return combine_per_key(std::move(name), top(n, std::move(less)), where);
}

// The n greatest elements by `less`, greatest first: pcollection<T> -> pcollection<std::vector<T>>.
template <class Less = std::less<>>
[[nodiscard]] auto top_globally(std::string name, std::size_t n, Less less = {},
                                std::source_location where = std::source_location::current()) {
  return combine_globally(std::move(name), top(n, std::move(less)), where);
}
template <class Less = std::less<>>
[[nodiscard]] auto top_globally(std::string name, std::size_t n, Less less, without_defaults_option option,
                                std::source_location where = std::source_location::current()) {
  return combine_globally(std::move(name), top(n, std::move(less)), option, where);
}

}  // namespace millrace
