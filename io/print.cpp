#include <millrace/io/io_error.hpp>
#include <millrace/io/print.hpp>

#include <cerrno>

namespace millrace {

void line_printer::flush() {
  if (waiting_.empty()) return;
  const bool whole = std::fwrite(waiting_.data(), 1, waiting_.size(), to_) == waiting_.size();
  if (!whole || std::fflush(to_) != 0)
    throw system_failure("print " + std::to_string(waiting_.size()) + " bytes", errno);
  waiting_.clear();
}

}  // namespace millrace
