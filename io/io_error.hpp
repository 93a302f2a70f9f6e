#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace millrace {

// Something outside the process refused: a file, a folder, a disk, a database, or bytes that are not what they should
// be. The message always names the path and the reason, so that it can be shown to a user as it is.
class io_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The error "cannot <what>: <reason>" of a failed system call, for example what = "open /tmp/x" and code = errno.
[[nodiscard]] io_error system_failure(std::string_view what, int code);

}  // namespace millrace
