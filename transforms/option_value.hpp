#pragma once

#include <millrace/transforms/element/time.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// A command line that cannot be obeyed. The message names the option, its value and what is expected.
class option_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What an option can be bound to: text, numbers, a flag, a duration.
template <class T>
concept option_variable = std::same_as<T, bool> || std::same_as<T, std::string> || std::same_as<T, double>
                          || std::same_as<T, duration> || (std::integral<T> && !std::same_as<T, char>);

// Reads the text of an option's value; throws std::invalid_argument saying what is expected.
[[nodiscard]] bool read_flag(std::string_view text);
[[nodiscard]] double read_number(std::string_view text);
[[nodiscard]] std::int64_t read_integer(std::string_view text, std::int64_t least, std::int64_t greatest);
[[nodiscard]] std::uint64_t read_natural(std::string_view text, std::uint64_t greatest);
// A number with a unit (ms, s, min, h or d); a bare number counts seconds.
[[nodiscard]] duration read_duration(std::string_view text);
// The position of `text` among `names`.
[[nodiscard]] std::size_t read_choice(std::string_view text, std::span<const std::string_view> names);

// A number as an option's help shows it.
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string default_text(duration value);

// How the value of one option is set and shown; it refers to a variable that outlives it.
struct option_binding {
  std::function<void(std::string_view)> set;
  std::function<std::string()> show;
  std::string value_name;  // "NUMBER"; empty for a flag, which needs no value

  template <option_variable T>
  static option_binding of(T& variable) {
    T* const to = &variable;
    if constexpr (std::same_as<T, bool>)
      return {[to](std::string_view t) { *to = read_flag(t); }, [to] { return std::string(*to ? "true" : "false"); },
              ""};
    else if constexpr (std::same_as<T, std::string>)
      return {[to](std::string_view t) { *to = t; }, [to] { return *to; }, "TEXT"};
    else if constexpr (std::same_as<T, double>)
      return {[to](std::string_view t) { *to = read_number(t); }, [to] { return number_text(*to); }, "NUMBER"};
    else if constexpr (std::same_as<T, duration>)
      return {[to](std::string_view t) { *to = read_duration(t); }, [to] { return default_text(*to); }, "DURATION"};
    else if constexpr (std::signed_integral<T>)
      return {[to](std::string_view t) {
                *to = static_cast<T>(read_integer(t, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
              },
              [to] { return std::to_string(*to); }, "NUMBER"};
    else
      return {[to](std::string_view t) { *to = static_cast<T>(read_natural(t, std::numeric_limits<T>::max())); },
              [to] { return std::to_string(*to); }, "NUMBER"};
  }
};

// One option: its name as help shows it, and what it sets.
struct option_entry {
  std::string name;
  std::string help;
  option_binding binding;
  std::vector<std::string> aliases = {};
};

// The one spelling under which option names are compared: snake_case, from camelCase or with dashes.
[[nodiscard]] std::string canonical_option(std::string_view name);

// The option that a misspelled name most likely means, or null if none is near.
[[nodiscard]] const option_entry* nearest_option(std::string_view name, std::span<const option_entry> entries);

}  // namespace millrace
