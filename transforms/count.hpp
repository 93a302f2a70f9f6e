#pragma once

#include <millrace/transforms/combine.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

namespace detail {

// Counting does not look at values: this is what the edge sends for each.
struct any_value {
  template <class Row>
  std::uint8_t operator()(const Row& /*row*/) const {
    return 0;
  }
};

}  // namespace detail

// How often each element occurs: pcollection<T> -> pcollection<kv<T, std::uint64_t>>.
[[nodiscard]] inline auto count_per_element(std::string name,
                                            std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    return detail::add_combine(
        in, name, detail::combine_parts{detail::whole_row{}, detail::any_value{}, count_of<std::uint8_t>{}}, where);
  };
}

// How many elements each key has: pcollection<kv<K, V>> -> pcollection<kv<K, std::uint64_t>>.
[[nodiscard]] inline auto count_per_key(std::string name,
                                        std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: count_per_key takes a collection of kv; count_per_element counts elements");
    if constexpr (is_kv<T>) {
      detail::require_group_key<decltype(T::key)>();
      return detail::add_combine(
          in, name, detail::combine_parts{key_member{}, detail::any_value{}, count_of<std::uint8_t>{}}, where);
    }
  };
}

// How many elements there are: pcollection<T> -> pcollection<std::uint64_t>. An empty input in the global window gives
// 0.
[[nodiscard]] inline auto count_globally(std::string name,
                                         std::source_location where = std::source_location::current()) {
  return combine_globally(std::move(name), count, where);
}
[[nodiscard]] inline auto count_globally(std::string name, without_defaults_option option,
                                         std::source_location where = std::source_location::current()) {
  return combine_globally(std::move(name), count, option, where);
}

}  // namespace millrace
