#pragma once

#include <millrace/tests/properties/random_case.hpp>

#include <functional>

namespace millrace::properties {

// Leaves events, elements, steps and settings out of a case as long as it still fails.
[[nodiscard]] random_case shrunk(random_case of, const std::function<bool(const random_case&)>& fails);

}  // namespace millrace::properties
