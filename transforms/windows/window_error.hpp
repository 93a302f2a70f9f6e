#pragma once

#include <stdexcept>

namespace millrace {

// A window function was asked for what it cannot give, such as the side window of a session, or gave what is no window
// of an element. The message says what to do.
class window_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace millrace
