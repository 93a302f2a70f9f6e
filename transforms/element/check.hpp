#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace millrace {

// A rule of the runtime itself was broken. It fails the job without a retry, since trying again cannot help.
class broken_invariant : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws broken_invariant with the place of the call unless `holds`. `what` says what must hold, as a sentence part.
inline void check(bool holds, const char* what, std::source_location where = std::source_location::current()) {
  if (holds) [[likely]]
    return;
  throw broken_invariant(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": must hold: " + what);
}

}  // namespace millrace
