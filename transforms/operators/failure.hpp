#pragma once

#include <millrace/transforms/coders/fields.hpp>
#include <millrace/transforms/coders/type_name.hpp>
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/element/stamp.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace millrace {

// A user function threw for an element until its attempts were used up. The message names the step, the element with
// its stamp, the cause and the attempts; the cause is nested where there was an exception object to keep.
class element_failure : public std::runtime_error {
 public:
  // What is known of the failed calls.
  struct account {
    std::string step;     // the transform's full path
    std::string element;  // as describe_element prints it; empty if no element was being processed
    std::string cause;    // the message of the last exception
    std::uint32_t attempts = 1;
  };

  explicit element_failure(account of);

  [[nodiscard]] const std::string& step() const { return of_.step; }
  [[nodiscard]] const std::string& element() const { return of_.element; }
  [[nodiscard]] const std::string& cause() const { return of_.cause; }
  [[nodiscard]] std::uint32_t attempts() const { return of_.attempts; }

 private:
  account of_;
};

// The most bytes of a text that an error message shows.
inline constexpr std::size_t described_bytes_max = 200;

// The text in quotes, cut to described_bytes_max, with control characters, quotes and backslashes escaped.
[[nodiscard]] std::string describe_text(std::string_view text);
[[nodiscard]] std::string describe_number(double value);

// The message of the exception that is being handled. Only inside a catch block. Passes on what no retry and no error
// output may swallow: broken invariants, and failures that a step further down has already described.
[[nodiscard]] std::string message_of_current_exception();

// An element as an error message shows it: text and numbers as they are, structs by their fields, ranges by their first
// elements, anything else by its type.
template <class T>
[[nodiscard]] std::string describe_element(const T& value);

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

// Joins parts with commas until the text is long enough for a message.
class description_list {
 public:
  explicit description_list(char open) : text_(1, open) {}
  // Adds a part; returns whether there is room for more.
  bool add(const std::string& part) {
    if (text_.size() > described_bytes_max) {
      if (!cut_) text_ += ", ...";
      cut_ = true;
      return false;
    }
    if (text_.size() > 1) text_ += ", ";
    text_ += part;
    return true;
  }
  [[nodiscard]] std::string close(char with) { return std::move(text_) + with; }

 private:
  std::string text_;
  bool cut_ = false;
};

template <class T>
std::string describe_struct(const T& value) {
  description_list fields('{');
  visit_fields(value, [&](const auto&... field) { (fields.add(describe_element(field)) && ...); });
  return fields.close('}');
}

template <class T>
std::string describe_range(const T& value) {
  description_list elements('[');
  for (const auto& e : value)
    if (!elements.add(describe_element(e))) break;
  return elements.close(']');
}

}  // namespace detail

template <class T>
std::string describe_element(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) return describe_text(value);
  else if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, char>) return describe_text({&value, 1});
  else if constexpr (std::is_floating_point_v<T>) return describe_number(static_cast<double>(value));
  else if constexpr (std::is_integral_v<T>) return std::to_string(value);
  else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_same_v<T, timestamp>) return std::to_string(value.millis());
  else if constexpr (is_kv<T>) return "(" + describe_element(value.key) + ", " + describe_element(value.value) + ")";
  else if constexpr (detail::is_optional<T>) return value ? describe_element(*value) : "none";
  else if constexpr (detail::is_variant<T>) return std::visit([](const auto& v) { return describe_element(v); }, value);
  else if constexpr (requires { value.begin() != value.end(); }) return detail::describe_range(value);
  else if constexpr (plain_aggregate<T>) return detail::describe_struct(value);
  else return "a " + type_name<T>();
}

// The same with the element's time and window.
[[nodiscard]] std::string describe_stamped(std::string element, timestamp time, const window_set& windows);

}  // namespace millrace
