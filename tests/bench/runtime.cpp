#include <millrace/actors/engine.hpp>
#include <millrace/tests/bench/runtime.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstddef>
#include <stdexcept>

namespace millrace::bench {

namespace {

// As millrace::run configures its own system.
struct system_config : caf::actor_system_config {
  system_config() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-throughput", std::size_t{50});
  }
};

}  // namespace

struct runtime::parts {
  system_config config;
  caf::actor_system system{config};
};

runtime::runtime() : parts_(std::make_unique<parts>()) {}
runtime::~runtime() = default;

void runtime::run(const pipeline& p, std::uint32_t shards) {
  job_options options;
  options.shards = shards;
  const job_report report = engine(parts_->system).launch(p, options).wait();
  if (!report.succeeded()) throw std::runtime_error("job \"" + report.job + "\" failed: " + report.error);
}

}  // namespace millrace::bench
