#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/map.hpp>

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

namespace millrace {

// Gives each element a key: pcollection<T> -> pcollection<kv<K, T>>. `f` is a function or a pointer to a member:
// `clicks | with_keys("by user", &click::user)`.
template <class F>
[[nodiscard]] auto with_keys(std::string name, F f, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), f = std::move(f), where]<class T>(const pcollection<T>& in) {
    using function = decltype(detail::as_function(f));
    static_assert(
        std::is_invocable_v<F, const T&>,
        "millrace: with_keys: the key function must be callable with an element of the collection (const T&)");
    if constexpr (std::is_invocable_v<F, const T&>) {
      using key = std::remove_cvref_t<std::invoke_result_t<function&, const T&>>;
      require_key<key>();
      if constexpr (deterministic_key<key>)
        return detail::add_map(
            in, name, [f = detail::as_function(f)](const T& x) mutable { return kv<key, T>{f(x), x}; },
            detail::options_from(), where);
    }
  };
}

// The key of each kv, without copying it.
[[nodiscard]] inline auto keys(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: keys takes a collection of kv");
    if constexpr (is_kv<T>) return detail::add_map(in, name, &T::key, detail::options_from(), where);
  };
}

// The value of each kv, without copying it.
[[nodiscard]] inline auto values(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: values takes a collection of kv");
    if constexpr (is_kv<T>) return detail::add_map(in, name, &T::value, detail::options_from(), where);
  };
}

// Values become keys and keys values.
[[nodiscard]] inline auto swap(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: swap takes a collection of kv");
    if constexpr (is_kv<T>) {
      require_key<decltype(T::value)>();
      return detail::add_map(in, name, [](const T& x) { return kv{x.value, x.key}; }, detail::options_from(), where);
    }
  };
}

}  // namespace millrace
