#include <millrace/transforms/direct/direct_job.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/graph/validate.hpp>

namespace millrace {

std::uint64_t direct_result::dropped(const std::string& cause) const {
  std::uint64_t all = 0;
  for (const auto& [path, board] : metrics) all += board.dropped(cause);
  return all;
}

direct_result run_direct(const pipeline& p, const direct_options& options) {
  validate(p.description());
  direct_job job(p, options);
  try {
    job.start({});
    const std::size_t events = job.events();
    job.read_ready();
    for (std::size_t event = 0; event < events; ++event) {
      job.play(event);
      job.read_ready();
    }
    job.read_all();
    job.commit(1);
  } catch (...) {
    job.abort();
    throw;
  }
  job.tell_rest();
  direct_result result{.metrics = job.metrics(), .attempted = job.attempted(), .notices = job.notices().all()};
  job.teardown();
  return result;
}

}  // namespace millrace
