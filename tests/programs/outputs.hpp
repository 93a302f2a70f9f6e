#pragma once

#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/errors.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::programs {

// A value as expectations write it: "key value", "[first second]", numbers as SQL prints them.
template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) return std::string(std::string_view(value));
  else if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.3f", static_cast<double>(value)))};
  } else if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
  else if constexpr (is_kv<T>) return text_of(value.key) + " " + text_of(value.value);
  else if constexpr (requires {
                       value.message;
                       value.attempts;
                       value.element;
                     })
    return text_of(value.element) + " | " + value.step + " | " + value.message + " | " + std::to_string(value.attempts);
  else if constexpr (requires { value.has_value(); }) return value ? text_of(*value) : "none";
  else if constexpr (requires { value.begin() != value.end(); }) {
    std::string text = "[";
    for (const auto& v : value) text += (text.size() > 1 ? " " : "") + text_of(v);
    return text + "]";
  } else
    return std::apply(
        [](const auto&... parts) {
          std::string text;
          ((text += (text.empty() ? "" : " ") + text_of(parts)), ...);
          return text;
        },
        value);
}

// What a program shows: collections turned into text, each under a label of its own. The harness owns it and reads the
// rows when a run has ended.
class outputs {
 public:
  // Shows a collection; each line begins with the label, which steps are named after.
  template <class T>
  void show(std::string label, const pcollection<T>& of) {
    of | map("text of " + label, [label](const T& value) { return label + ": " + text_of(value); })
        | collect("rows of " + label, shown_[label]);
  }

  // Every row of every collection.
  [[nodiscard]] std::vector<recorded<std::string>> rows() const {
    std::vector<recorded<std::string>> all;
    for (const auto& [label, of] : shown_)
      for (auto& row : of.rows()) all.push_back(std::move(row));
    return all;
  }

 private:
  std::map<std::string, recording<std::string>> shown_;
};

// Sorts the values of a group, which come in any order: `groups | map("sort", sorted{})`.
struct sorted {
  template <class Key, class Value>
  kv<Key, std::vector<Value>> operator()(const kv<Key, std::vector<Value>>& group) const {
    auto copy = group;
    std::ranges::sort(copy.value);
    return copy;
  }
};

}  // namespace millrace::programs
