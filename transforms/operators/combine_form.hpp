#pragma once

#include <cstdint>
#include <string_view>

namespace millrace {

// Which path of a combine has written its state; it stands first. The general path goes on from both.
enum class combine_form : std::uint8_t { general = 1, flat_tables = 2 };

// The part of a combine's state_schema that says that its panes come with the bundles that bring elements.
inline constexpr std::string_view with_bundles = "early panes";

}  // namespace millrace
