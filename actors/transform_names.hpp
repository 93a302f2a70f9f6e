#pragma once

#include <millrace/transforms/update/name_mapping.hpp>

#include <string_view>

namespace millrace {

// The mapping that a JSON object of strings is, such as {"count": "total", "old/steps": ""}; an empty text maps
// nothing. Throws std::invalid_argument that says what is expected.
[[nodiscard]] name_mapping transform_names_from(std::string_view json);

}  // namespace millrace
