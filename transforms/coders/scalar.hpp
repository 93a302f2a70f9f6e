#pragma once

#include <millrace/transforms/coders/codable.hpp>
#include <millrace/transforms/coders/type_name.hpp>
#include <millrace/transforms/coders/type_schema.hpp>
#include <millrace/transforms/element/pane.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace millrace {

// One byte, 0 or 1; anything else is refused.
template <>
struct coder<bool> {
  static void encode(writer& out, const bool& value) { out.fixed(static_cast<std::uint8_t>(value)); }
  static bool decode(reader& in) {
    const auto byte = in.fixed<std::uint8_t>();
    if (byte > 1) in.fail("a bool is neither 0 nor 1");
    return byte == 1;
  }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::value;
  static std::string name() { return "bool"; }
};

// Integers and characters: their little-endian bytes. The name tells the width, so that long and long long agree.
template <std::integral Integer>
  requires std::same_as<Integer, std::remove_cv_t<Integer>>
struct coder<Integer> {
  static void encode(writer& out, const Integer& value) { out.fixed(value); }
  static Integer decode(reader& in) { return in.fixed<Integer>(); }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::key;
  static std::string name() {
    const std::string bits = std::to_string(sizeof(Integer) * 8);
    if constexpr (std::same_as<Integer, char>) return "char";
    else if constexpr (std::same_as<Integer, wchar_t>) return "wchar" + bits;
    else if constexpr (std::same_as<Integer, char8_t> || std::same_as<Integer, char16_t>
                       || std::same_as<Integer, char32_t>)
      return "char" + bits;
    else return (std::unsigned_integral<Integer> ? "uint" : "int") + bits;
  }
};

// float and double: their IEEE bytes. Not for keys: 0.0 and -0.0 are equal, a NaN is not equal to itself.
template <class Number>
  requires std::same_as<Number, float> || std::same_as<Number, double>
struct coder<Number> {
  static void encode(writer& out, const Number& value) { out.fixed(value); }
  static Number decode(reader& in) { return in.fixed<Number>(); }
  static constexpr bool deterministic = false;
  static constexpr memory_form memory = memory_form::value;
  static std::string name() { return std::same_as<Number, float> ? "float" : "double"; }
};

// Enums: as their underlying integer. Values without an enumerator pass, since a later program may know them.
template <class Enum>
  requires std::is_enum_v<Enum> && std::same_as<Enum, std::remove_cv_t<Enum>>
struct coder<Enum> {
  using underlying = std::underlying_type_t<Enum>;
  static void encode(writer& out, const Enum& value) { coder<underlying>::encode(out, static_cast<underlying>(value)); }
  static Enum decode(reader& in) { return static_cast<Enum>(coder<underlying>::decode(in)); }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = coder<underlying>::memory;
  static std::string name() { return type_name<Enum>(); }
  static type_schema schema() { return enum_schema(name(), {.name = coder<underlying>::name()}); }
};

// std::chrono durations: their count.
template <class Rep, class Period>
  requires codable<Rep>
struct coder<std::chrono::duration<Rep, Period>> {
  using type = std::chrono::duration<Rep, Period>;
  static void encode(writer& out, const type& value) { coder<Rep>::encode(out, value.count()); }
  static type decode(reader& in) { return type{coder<Rep>::decode(in)}; }
  static constexpr bool deterministic = coder<Rep>::deterministic;
  static constexpr memory_form memory = form_of_parts<type>(memory_of<Rep>);
  static std::string name() {
    return "duration<" + coder<Rep>::name() + "," + std::to_string(Period::num) + "/" + std::to_string(Period::den)
           + ">";
  }
};

// Time points of the system clock: their duration since 1970. Other clocks mean nothing in another process.
template <class Duration>
  requires codable<Duration>
struct coder<std::chrono::time_point<std::chrono::system_clock, Duration>> {
  using type = std::chrono::time_point<std::chrono::system_clock, Duration>;
  static void encode(writer& out, const type& value) { coder<Duration>::encode(out, value.time_since_epoch()); }
  static type decode(reader& in) { return type{coder<Duration>::decode(in)}; }
  static constexpr bool deterministic = coder<Duration>::deterministic;
  static constexpr memory_form memory = form_of_parts<type>(memory_of<Duration>);
  static std::string name() { return "time_point<" + coder<Duration>::name() + ">"; }
};

// Model time: milliseconds in eight bytes; beyond the bounds of the model it is refused.
template <>
struct coder<timestamp> {
  static void encode(writer& out, const timestamp& value) { out.fixed(value.millis()); }
  static timestamp decode(reader& in) {
    const timestamp time{in.fixed<std::int64_t>()};
    if (time < timestamp::min() || time > timestamp::max()) in.fail("a timestamp is out of the bounds of model time");
    return time;
  }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::key;
  static std::string name() { return "timestamp"; }
};

// A window: its start, then its end, which is never before it.
template <>
struct coder<window> {
  static void encode(writer& out, const window& value) {
    coder<timestamp>::encode(out, value.start);
    coder<timestamp>::encode(out, value.end);
  }
  static window decode(reader& in) {
    const timestamp start = coder<timestamp>::decode(in);
    const timestamp end = coder<timestamp>::decode(in);
    if (end < start) in.fail("a window ends before it starts");
    return {start, end};
  }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::key;
  static std::string name() { return "window"; }
};

// A pane: one byte of timing, first and last, then the two indices as varints, the second one plus one.
template <>
struct coder<pane_info> {
  static void encode(writer& out, const pane_info& value) {
    const auto flags = static_cast<unsigned>(value.timing) | (value.is_first ? 4U : 0U) | (value.is_last ? 8U : 0U);
    out.fixed(static_cast<std::uint8_t>(flags));
    out.varint(value.index);
    out.varint(static_cast<std::uint64_t>(std::int64_t{value.non_speculative_index} + 1));
  }
  static pane_info decode(reader& in) {
    const unsigned flags = in.fixed<std::uint8_t>();
    const std::uint64_t index = in.varint();
    const std::uint64_t past_index = in.varint();
    if (flags > 15 || index > UINT32_MAX || past_index > std::uint64_t{INT32_MAX} + 1) in.fail("a pane is malformed");
    return {.index = static_cast<std::uint32_t>(index),
            .non_speculative_index = static_cast<std::int32_t>(static_cast<std::int64_t>(past_index) - 1),
            .timing = static_cast<pane_timing>(flags & 3),
            .is_first = (flags & 4) != 0,
            .is_last = (flags & 8) != 0};
  }
  static constexpr bool deterministic = true;
  static constexpr memory_form memory = memory_form::value;
  static std::string name() { return "pane_info"; }
};

}  // namespace millrace
