#pragma once

#include <cstdint>
#include <string>

namespace millrace {

// An element whose step threw for it until its attempts were used up: what a step's error output is made of. It keeps
// the stamp of the element.
template <class T>
struct failed {
  T element;
  std::string step;     // the transform's full path
  std::string message;  // of the last exception
  std::uint32_t attempts = 0;

  friend bool operator==(const failed&, const failed&) = default;
};

// Asks a step for an error output: `auto [good, errors] = lines | map("parse", parse, with_errors)`. Elements for which
// the function throws go there as `failed<T>` instead of failing the job.
struct error_output {};
inline constexpr error_output with_errors{};

}  // namespace millrace
