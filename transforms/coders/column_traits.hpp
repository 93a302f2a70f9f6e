#pragma once

#include <millrace/transforms/coders/coder.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace millrace {

// How a column keeps its values: `fixed` as their memory, `text` as their characters, `encoded` as the coder's bytes.
enum class column_kind : std::uint8_t { fixed, text, encoded };

// The memory of T carries its value inside one process: scalars, floating point included, and trivially copyable
// aggregates of them.
template <class T>
concept fixed_width = codable<T> && std::is_trivially_copyable_v<T> && memory_of<T> != memory_form::none;

// The most bytes that a key keeps as memory; a larger one is encoded.
inline constexpr std::size_t fixed_key_bytes_max = 16;

// The memory of T is its key: integers, enums, times, windows, and aggregates of them without padding.
template <class T>
concept fixed_width_key = fixed_width<T> && deterministic_key<T> && memory_of<T> == memory_form::key
                          && std::has_unique_object_representations_v<T> && sizeof(T) <= fixed_key_bytes_max;

// Copies the memory of a value out of bytes, which need no alignment.
template <fixed_width T>
T load_fixed(const char* from) {
  std::array<std::byte, sizeof(T)> memory;
  std::memcpy(memory.data(), from, sizeof(T));
  return std::bit_cast<T>(memory);
}

// How a column of T keeps its values. `bytes` gives what is stored, valid while `value` and `scratch` are unchanged;
// `load` makes a value of it again. Bytes of a fixed column are believed if their size is right: they must come from
// a column of the same program.
template <codable T>
struct column_traits {
  static constexpr column_kind kind = fixed_width<T>                 ? column_kind::fixed
                                      : std::same_as<T, std::string> ? column_kind::text
                                                                     : column_kind::encoded;
  // Bytes of each value in a fixed column, otherwise 0: they differ.
  static constexpr std::size_t width = kind == column_kind::fixed ? sizeof(T) : 0;
  // What a reader of the column gets.
  using view = std::conditional_t<kind == column_kind::fixed, const T&,
                                  std::conditional_t<kind == column_kind::text, std::string_view, T>>;

  static std::string_view bytes(const T& value, writer& scratch) {
    if constexpr (kind == column_kind::fixed) {
      return {reinterpret_cast<const char*>(std::addressof(value)), sizeof(T)};
    } else if constexpr (kind == column_kind::text) {
      return value;
    } else {
      scratch.clear();
      coder<T>::encode(scratch, value);
      return scratch.bytes();
    }
  }

  static T load(std::string_view stored) {
    if constexpr (kind == column_kind::fixed) {
      if (stored.size() != sizeof(T)) reader{stored}.fail("a value of fixed width has another size");
      return load_fixed<T>(stored.data());
    } else if constexpr (kind == column_kind::text) {
      return T{stored};
    } else {
      return decode_whole<T>(stored);
    }
  }
};

// How the key T is kept, which may differ from how a column of it is: a fixed key is one whose memory is canonical.
template <deterministic_key T>
inline constexpr column_kind key_kind = fixed_width_key<T>             ? column_kind::fixed
                                        : std::same_as<T, std::string> ? column_kind::text
                                                                       : column_kind::encoded;

// The canonical bytes of a key: equal keys have equal bytes in every process, different ones different bytes. They are
// the memory of a fixed_width_key, the characters of a string, the coder's bytes of anything else. Valid while `key`
// and `scratch` are unchanged.
template <deterministic_key T>
std::string_view key_bytes(const T& key, writer& scratch) {
  if constexpr (key_kind<T> == column_kind::fixed) {
    return {reinterpret_cast<const char*>(std::addressof(key)), sizeof(T)};
  } else if constexpr (key_kind<T> == column_kind::text) {
    return key;
  } else {
    scratch.clear();
    coder<T>::encode(scratch, key);
    return scratch.bytes();
  }
}

// The key whose canonical bytes these are; throws decode_error for any other bytes.
template <deterministic_key T>
T decode_key(std::string_view bytes) {
  if constexpr (key_kind<T> == column_kind::fixed) {
    if (bytes.size() != sizeof(T)) reader{bytes}.fail("a key of fixed width has another size");
    return load_fixed<T>(bytes.data());
  } else if constexpr (key_kind<T> == column_kind::text) {
    return T{bytes};
  } else {
    return decode_whole<T>(bytes);
  }
}

}  // namespace millrace
