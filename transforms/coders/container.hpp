#pragma once

#include <millrace/transforms/coders/codable.hpp>
#include <millrace/transforms/coders/scalar.hpp>
#include <millrace/transforms/coders/type_schema.hpp>
#include <millrace/transforms/element/kv.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace millrace {

// "prefix<a,b>" of the names of the parts.
template <codable... Parts>
std::string name_of_parts(std::string_view prefix) {
  std::string parts;
  ((parts += parts.empty() ? "" : ",", parts += coder<Parts>::name()), ...);
  return std::string(prefix) + "<" + parts + ">";
}

// The weakest form of the memory of the parts.
template <codable... Parts>
constexpr memory_form memory_of_parts() {
  memory_form weakest = memory_form::key;
  ((weakest = weaker(weakest, memory_of<Parts>)), ...);
  return weakest;
}

// A key and its value, one after the other.
template <codable Key, codable Value>
struct coder<kv<Key, Value>> {
  using type = kv<Key, Value>;
  static void encode(writer& out, const type& value) {
    coder<Key>::encode(out, value.key);
    coder<Value>::encode(out, value.value);
  }
  static type decode(reader& in) { return type{coder<Key>::decode(in), coder<Value>::decode(in)}; }
  static constexpr bool deterministic = coder<Key>::deterministic && coder<Value>::deterministic;
  static constexpr memory_form memory = form_of_parts<type>(memory_of_parts<Key, Value>());
  static std::string name() { return name_of_parts<Key, Value>("kv"); }
  static type_schema schema() { return schema_of_parts<Key, Value>("kv"); }
};

// Both parts, one after the other.
template <codable First, codable Second>
struct coder<std::pair<First, Second>> {
  using type = std::pair<First, Second>;
  static void encode(writer& out, const type& value) {
    coder<First>::encode(out, value.first);
    coder<Second>::encode(out, value.second);
  }
  static type decode(reader& in) { return type{coder<First>::decode(in), coder<Second>::decode(in)}; }
  static constexpr bool deterministic = coder<First>::deterministic && coder<Second>::deterministic;
  static std::string name() { return name_of_parts<First, Second>("pair"); }
  static type_schema schema() { return schema_of_parts<First, Second>("pair"); }
};

// The parts in order; the empty tuple is a zero byte.
template <codable... Parts>
struct coder<std::tuple<Parts...>> {
  using type = std::tuple<Parts...>;
  static void encode(writer& out, const type& value) {
    if constexpr (sizeof...(Parts) == 0) out.varint(0);
    else std::apply([&out](const Parts&... parts) { (coder<Parts>::encode(out, parts), ...); }, value);
  }
  static type decode(reader& in) {
    if constexpr (sizeof...(Parts) == 0) {
      if (in.varint() != 0) in.fail("an empty tuple is a zero byte");
      return {};
    } else {
      return type{coder<Parts>::decode(in)...};  // braces fix the order
    }
  }
  static constexpr bool deterministic = (coder<Parts>::deterministic && ...);
  static std::string name() { return name_of_parts<Parts...>("tuple"); }
  static type_schema schema() { return schema_of_parts<Parts...>("tuple"); }
};

// Nothing: a zero byte.
template <>
struct coder<std::monostate> {
  static void encode(writer& out, const std::monostate&) { out.varint(0); }
  static std::monostate decode(reader& in) {
    if (in.varint() != 0) in.fail("a monostate is a zero byte");
    return {};
  }
  static constexpr bool deterministic = true;
  static std::string name() { return "monostate"; }
};

// A byte that is 0 or 1, and the value after a 1.
template <codable T>
struct coder<std::optional<T>> {
  using type = std::optional<T>;
  static void encode(writer& out, const type& value) {
    coder<bool>::encode(out, value.has_value());
    if (value) coder<T>::encode(out, *value);
  }
  static type decode(reader& in) {
    const reader::nested level{in};
    return coder<bool>::decode(in) ? type{coder<T>::decode(in)} : type{};
  }
  static constexpr bool deterministic = coder<T>::deterministic;
  static constexpr memory_form memory = form_of_parts<type>(weaker(memory_of<T>, memory_form::value));
  static std::string name() { return name_of_parts<T>("optional"); }
  static type_schema schema() { return schema_of_parts<T>("optional"); }
};

// The index of the alternative, then its value. Alternatives may be appended later.
template <codable... Alternatives>
struct coder<std::variant<Alternatives...>> {
  using type = std::variant<Alternatives...>;
  static void encode(writer& out, const type& value) {
    check(!value.valueless_by_exception(), "a variant that is encoded has a value");
    out.varint(value.index());
    std::visit([&out]<class T>(const T& alternative) { coder<T>::encode(out, alternative); }, value);
  }
  static type decode(reader& in) {
    const reader::nested level{in};
    const std::uint64_t index = in.varint();
    if (index >= sizeof...(Alternatives)) in.fail("a variant has an alternative that this program does not know");
    return decode_alternative(in, index, std::index_sequence_for<Alternatives...>{});
  }
  static constexpr bool deterministic = (coder<Alternatives>::deterministic && ...);
  static std::string name() { return name_of_parts<Alternatives...>("variant"); }
  static type_schema schema() {
    type_schema all = schema_of_parts<Alternatives...>("variant");
    all.is = type_schema::form::alternatives;
    return all;
  }

 private:
  template <std::size_t... Indices>
  static type decode_alternative(reader& in, std::uint64_t index, std::index_sequence<Indices...> /*all*/) {
    using decoder = type (*)(reader&);
    static constexpr decoder decoders[] = {
        [](reader& from) { return type{std::in_place_index<Indices>, coder<Alternatives>::decode(from)}; }...};
    return decoders[index](in);
  }
};

// T is coded as its memory, so that many lie behind each other as they do in an array.
template <class T>
inline constexpr bool coded_as_memory = fixed_number<T> && !std::is_same_v<T, bool>;

// As many values as the type says; an empty array is a zero byte.
template <codable T, std::size_t Size>
struct coder<std::array<T, Size>> {
  using type = std::array<T, Size>;
  static void encode(writer& out, const type& value) {
    if constexpr (Size == 0) out.varint(0);
    else if constexpr (coded_as_memory<T>) out.put(std::as_bytes(std::span{value}));
    else
      for (const T& each : value) coder<T>::encode(out, each);
  }
  static type decode(reader& in) {
    if constexpr (Size == 0) {
      if (in.varint() != 0) in.fail("an empty array is a zero byte");
      return {};
    } else if constexpr (coded_as_memory<T>) {
      type value;
      std::memcpy(value.data(), in.take(sizeof value).data(), sizeof value);
      return value;
    } else {
      return decode_each(in, std::make_index_sequence<Size>{});
    }
  }
  static constexpr bool deterministic = coder<T>::deterministic;
  static constexpr memory_form memory = form_of_parts<type>(memory_of<T>);
  static std::string name() { return "array<" + coder<T>::name() + "," + std::to_string(Size) + ">"; }
  static type_schema schema() { return schema_of_parts<T>("array" + std::to_string(Size)); }

 private:
  template <std::size_t... Indices>
  static type decode_each(reader& in, std::index_sequence<Indices...> /*all*/) {
    return type{{(static_cast<void>(Indices), coder<T>::decode(in))...}};
  }
};

// How the containers of a variable number of elements are coded: the count, then the elements in the container's order.
template <class Container, class Element>
struct sequence_coder {
  static void encode(writer& out, const Container& value) {
    out.varint(value.size());
    for (const auto& each : value) coder<Element>::encode(out, each);
  }
  static Container decode(reader& in) {
    const reader::nested level{in};
    const std::size_t count = in.count();
    Container value;
    // Elements may be larger than their bytes: what is reserved before they are seen stays in proportion to the bytes.
    if constexpr (requires { value.reserve(count); })
      value.reserve(std::min(count, in.remaining() / sizeof(Element) + 1));
    for (std::size_t i = 0; i < count; ++i) value.insert(value.end(), coder<Element>::decode(in));
    if (value.size() != count) in.fail("a set holds an element twice");
    return value;
  }
};

// How maps are coded: the count, then key and value of each entry in the map's order.
template <class Map>
struct map_coder {
  using key = typename Map::key_type;
  using mapped = typename Map::mapped_type;
  static void encode(writer& out, const Map& value) {
    out.varint(value.size());
    for (const auto& [each_key, each_value] : value) {
      coder<key>::encode(out, each_key);
      coder<mapped>::encode(out, each_value);
    }
  }
  static Map decode(reader& in) {
    const reader::nested level{in};
    const std::size_t count = in.count(2);
    Map value;
    for (std::size_t i = 0; i < count; ++i) {
      key each_key = coder<key>::decode(in);
      value.emplace_hint(value.end(), std::move(each_key), coder<mapped>::decode(in));
    }
    if (value.size() != count) in.fail("a map holds a key twice");
    return value;
  }
};

// A count and the elements; numbers as one block of memory.
template <codable T, class Allocator>
struct coder<std::vector<T, Allocator>> {
  using type = std::vector<T, Allocator>;
  static void encode(writer& out, const type& value) {
    if constexpr (coded_as_memory<T>) {
      out.varint(value.size());
      out.put(std::as_bytes(std::span{value}));
    } else {
      sequence_coder<type, T>::encode(out, value);
    }
  }
  static type decode(reader& in) {
    if constexpr (coded_as_memory<T>) {
      const std::size_t count = in.count(sizeof(T));
      const std::string_view raw = in.take(count * sizeof(T));
      type value(count);
      if (count > 0) std::memcpy(value.data(), raw.data(), raw.size());
      return value;
    } else {
      return sequence_coder<type, T>::decode(in);
    }
  }
  static constexpr bool deterministic = coder<T>::deterministic;
  static std::string name() { return name_of_parts<T>("vector"); }
  static type_schema schema() { return schema_of_parts<T>("vector"); }
};

template <codable T, class Allocator>
struct coder<std::deque<T, Allocator>> : sequence_coder<std::deque<T, Allocator>, T> {
  static constexpr bool deterministic = coder<T>::deterministic;
  static std::string name() { return name_of_parts<T>("deque"); }
  static type_schema schema() { return schema_of_parts<T>("deque"); }
};

template <codable T, class Allocator>
struct coder<std::list<T, Allocator>> : sequence_coder<std::list<T, Allocator>, T> {
  static constexpr bool deterministic = coder<T>::deterministic;
  static std::string name() { return name_of_parts<T>("list"); }
  static type_schema schema() { return schema_of_parts<T>("list"); }
};

template <codable T, class... Policies>
struct coder<std::set<T, Policies...>> : sequence_coder<std::set<T, Policies...>, T> {
  static constexpr bool deterministic = coder<T>::deterministic;
  static std::string name() { return name_of_parts<T>("set"); }
  static type_schema schema() { return schema_of_parts<T>("set"); }
};

template <codable T, class... Policies>
struct coder<std::multiset<T, Policies...>> : sequence_coder<std::multiset<T, Policies...>, T> {
  static constexpr bool deterministic = coder<T>::deterministic;
  static std::string name() { return name_of_parts<T>("multiset"); }
  static type_schema schema() { return schema_of_parts<T>("multiset"); }
};

template <codable Key, codable Value, class... Policies>
struct coder<std::map<Key, Value, Policies...>> : map_coder<std::map<Key, Value, Policies...>> {
  static constexpr bool deterministic = coder<Key>::deterministic && coder<Value>::deterministic;
  static std::string name() { return name_of_parts<Key, Value>("map"); }
  static type_schema schema() { return schema_of_parts<Key, Value>("map"); }
};

template <codable Key, codable Value, class... Policies>
struct coder<std::multimap<Key, Value, Policies...>> : map_coder<std::multimap<Key, Value, Policies...>> {
  static constexpr bool deterministic = coder<Key>::deterministic && coder<Value>::deterministic;
  static std::string name() { return name_of_parts<Key, Value>("multimap"); }
  static type_schema schema() { return schema_of_parts<Key, Value>("multimap"); }
};

// Unordered containers can be elements and state, never keys: their order differs between equal values.
template <codable T, class... Policies>
struct coder<std::unordered_set<T, Policies...>> : sequence_coder<std::unordered_set<T, Policies...>, T> {
  static constexpr bool deterministic = false;
  static std::string name() { return name_of_parts<T>("unordered_set"); }
  static type_schema schema() { return schema_of_parts<T>("unordered_set"); }
};

template <codable Key, codable Value, class... Policies>
struct coder<std::unordered_map<Key, Value, Policies...>> : map_coder<std::unordered_map<Key, Value, Policies...>> {
  static constexpr bool deterministic = false;
  static std::string name() { return name_of_parts<Key, Value>("unordered_map"); }
  static type_schema schema() { return schema_of_parts<Key, Value>("unordered_map"); }
};

}  // namespace millrace
