#pragma once

#include "program.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

// A bag as a value: {a,b}, its values sorted, so that equal bags are equal texts.
[[nodiscard]] std::string bag_of(std::vector<std::string> values);

// The values of a text {a,{b,c}}, or nothing if it is no bag.
[[nodiscard]] std::optional<std::vector<std::string>> values_of_bag(std::string_view text);

// The same value with every bag in it sorted.
[[nodiscard]] std::string sorted_bags(std::string_view value);

// A time: an integer, or min, max, gwmax.
[[nodiscard]] std::optional<instant> instant_of(std::string_view text);

// What a grouping makes of the values of a pane; nothing where it has no value for an empty one.
[[nodiscard]] std::optional<std::string> combined(transform_kind kind, const std::vector<std::string>& values);

}  // namespace reference
