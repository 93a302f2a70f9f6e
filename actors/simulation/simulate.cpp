#include <millrace/actors/simulation/simulate.hpp>
#include <millrace/actors/simulation/simulated_job.hpp>

#include <stdexcept>

namespace millrace {

simulation_result simulate(const pipeline& p, const simulation_options& options) {
  simulated_job job(p, options);
  if (options.job.stepped && !job.has_scripts())
    throw std::invalid_argument("only a job that reads test streams and nothing else can be stepped");
  if (job.has_scripts() && !options.kills.empty())
    throw std::invalid_argument("a simulation does not play the events of a test stream again after a kill; read "
                                "another source, or drive a simulation_session, whose crash() says which to repeat");
  if (job.has_scripts()) {
    job.settle();
    const std::size_t events = job.events();
    for (std::size_t event = 0; event < events; ++event) job.play(event);
    job.end_scripts();
  }
  while (!job.result()) {
    if (job.settle()) continue;
    if (!job.jump()) throw std::runtime_error("the simulated job is stuck: nobody has anything to do");
  }
  return {*job.result(), job.messages(), job.trace()};
}

}  // namespace millrace
