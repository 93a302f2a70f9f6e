#pragma once

#include <stdexcept>

namespace millrace {

// A text is not what it should be. The message says which part, what was found, and what was expected.
class parse_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace millrace
