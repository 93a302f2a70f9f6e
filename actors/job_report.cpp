#include <millrace/actors/job_report.hpp>

namespace millrace {

std::string to_text(job_state state) {
  switch (state) {
  case job_state::running:
    return "RUNNING";
  case job_state::done:
    return "DONE";
  case job_state::drained:
    return "DRAINED";
  case job_state::updated:
    return "UPDATED";
  case job_state::cancelled:
    return "CANCELLED";
  case job_state::failed:
    return "FAILED";
  }
  return "UNKNOWN";
}

std::uint64_t job_report::dropped(const std::string& cause) const {
  std::uint64_t all = 0;
  for (const auto& [path, board] : metrics) all += board.dropped(cause);
  return all;
}

}  // namespace millrace
