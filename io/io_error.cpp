#include <millrace/io/io_error.hpp>

#include <system_error>

namespace millrace {

io_error system_failure(std::string_view what, int code) {
  return io_error("cannot " + std::string(what) + ": " + std::generic_category().message(code));
}

}  // namespace millrace
