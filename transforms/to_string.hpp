#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/map.hpp>

#include <charconv>
#include <concepts>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace millrace {

namespace detail {

// What has a text of its own: text, numbers, bool and char.
template <class T>
concept has_text = std::is_convertible_v<const T&, std::string_view> || std::is_arithmetic_v<T>;

template <has_text T>
void append_text(std::string& to, const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) to += std::string_view(value);
  else if constexpr (std::is_same_v<T, bool>) to += value ? "true" : "false";
  else if constexpr (std::is_same_v<T, char>) to += value;
  else {
    char digits[64];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

template <class T>
concept range_with_text = !has_text<T> && requires(const T& range) {
  requires has_text<std::remove_cvref_t<decltype(*range.begin())>>;
  range.end();
};

}  // namespace detail

// Each element as text: text as it is, numbers in the shortest form that gives the same number again, true and false.
[[nodiscard]] inline auto to_string(std::string name, std::source_location where = std::source_location::current()) {
  return [name = std::move(name), where]<class T>(const pcollection<T>& in) {
    static_assert(detail::has_text<T>, "millrace: to_string takes a collection of text, numbers, bool or char; for "
                                       "another type use map with a function of your own");
    if constexpr (detail::has_text<T>) {
      const auto text = [](const T& x) {
        std::string result;
        detail::append_text(result, x);
        return result;
      };
      return in | map(name, text, where);
    }
  };
}

// Each kv as the texts of key and value with the delimiter between them: "key,value".
[[nodiscard]] inline auto kvs_to_string(std::string name, std::string delimiter = ",",
                                        std::source_location where = std::source_location::current()) {
  return [name = std::move(name), delimiter = std::move(delimiter), where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: kvs_to_string takes a collection of kv");
    if constexpr (is_kv<T>) {
      constexpr bool texts = detail::has_text<decltype(T::key)> && detail::has_text<decltype(T::value)>;
      static_assert(texts, "millrace: kvs_to_string takes keys and values that are text, numbers, bool or char");
      if constexpr (texts) {
        const auto text = [delimiter](const T& x) {
          std::string result;
          detail::append_text(result, x.key);
          result += delimiter;
          detail::append_text(result, x.value);
          return result;
        };
        return in | map(name, text, where);
      }
    }
  };
}

// Each element, which is a range such as a std::vector, as the texts of its parts with the delimiter between them.
[[nodiscard]] inline auto iterables_to_string(std::string name, std::string delimiter = ",",
                                              std::source_location where = std::source_location::current()) {
  return [name = std::move(name), delimiter = std::move(delimiter), where]<class T>(const pcollection<T>& in) {
    static_assert(detail::range_with_text<T>,
                  "millrace: iterables_to_string takes a collection of ranges of text, numbers, bool or char");
    if constexpr (detail::range_with_text<T>) {
      const auto text = [delimiter](const T& all) {
        std::string result;
        bool first = true;
        for (const auto& x : all) {
          if (!std::exchange(first, false)) result += delimiter;
          detail::append_text(result, x);
        }
        return result;
      };
      return in | map(name, text, where);
    }
  };
}

}  // namespace millrace
