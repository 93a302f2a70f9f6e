#pragma once

#include <compare>

namespace millrace {

// A key and a value: the element type of every keyed transform.
template <class Key, class Value>
struct kv {
  Key key;
  Value value;
};

// Compared by key, then by value. Templates, so that parts that cannot be compared cost nothing until they are.
template <class Key, class Value>
constexpr bool operator==(const kv<Key, Value>& a, const kv<Key, Value>& b) {
  return a.key == b.key && a.value == b.value;
}
template <class Key, class Value>
constexpr std::weak_ordering operator<=>(const kv<Key, Value>& a, const kv<Key, Value>& b) {
  if (a.key < b.key) return std::weak_ordering::less;
  if (b.key < a.key) return std::weak_ordering::greater;
  if (a.value < b.value) return std::weak_ordering::less;
  return b.value < a.value ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

template <class Key, class Value>
kv(Key, Value) -> kv<Key, Value>;

template <class T>
inline constexpr bool is_kv = false;
template <class Key, class Value>
inline constexpr bool is_kv<kv<Key, Value>> = true;

}  // namespace millrace
