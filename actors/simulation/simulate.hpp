#pragma once

#include <millrace/actors/job_report.hpp>
#include <millrace/actors/options.hpp>
#include <millrace/transforms/pipeline.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace millrace {

// A shard that dies during a simulation, if the job has that stage and it runs by then.
struct shard_kill {
  std::uint64_t at_message = 0;  // just before this message of the run, counted from 0
  stage_id stage = 0;
  std::uint32_t shard = 0;
};

// How a simulation goes. Equal options and pipelines give equal runs.
struct simulation_options {
  std::uint64_t seed = 1;
  job_options job = {};  // its clock and threads are replaced by the simulation's
  std::vector<shard_kill> kills = {};
  std::vector<std::uint64_t> epochs = {};   // an epoch is asked for just before these messages of the run
  std::uint64_t messages_max = 50'000'000;  // a run that needs more has got stuck
};

// What a simulation gave.
struct simulation_result {
  job_report report;
  std::uint64_t messages = 0;
  std::uint64_t trace = 0;  // a hash of which actor ran when: equal for equal orders
};

// Runs a pipeline on the actor runtime, with all of its production code, on the calling thread: which actor takes its
// next message is drawn from the seed, time is virtual and jumps when nobody has anything to do, and shards die where
// it is said. Test streams are played event by event, each only when nothing is left to do. For tests of one's own
// pipelines: a failure is repeated by its seed. Throws what engine::launch throws, std::runtime_error for a run that
// gets stuck, and std::invalid_argument for a kill of a shard that its stage lacks, or of any in a pipeline with test
// streams, whose events it would not play again: a simulation_session does.
simulation_result simulate(const pipeline& p, const simulation_options& options = {});

// Whether a pipeline reads a test stream, which only a simulation (or the direct runner) can play.
[[nodiscard]] bool has_test_streams(const pipeline& p);

}  // namespace millrace
