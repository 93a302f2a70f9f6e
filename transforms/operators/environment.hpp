#pragma once

#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace millrace {

struct side_input_budget;

// The clocks of a running stage, owned by the stage instance and read by its operators: the merged input watermark, the
// output watermark and processing time. Nothing below reads any other clock.
struct stage_clock {
  timestamp input_watermark = timestamp::min();
  timestamp output_watermark = timestamp::min();  // behind every hold: what the stage has last promised
  timestamp now;
  bool draining = false;  // the sources were told to stop; the watermark will be at max() because of that
};

// What an operator is told when it is made for one shard of one stage. References outlive the operator.
struct operator_environment {
  std::string step;  // the transform's full path
  std::uint32_t shard = 0;
  std::uint32_t shards = 1;
  const stage_clock& clock;
  metric_board& metrics;
  std::uint32_t attempts_max = 4;             // calls of a user function for one element before it counts as failed
  std::uint32_t batch_rows_max = UINT32_MAX;  // an upper bound on batches and bundles, for tests
  bool fast_path = true;                      // whether a combine may use flat tables where its windowing allows
  std::string job = {};                       // the job's name, as sinks use it in temporary names
  bool durable_epochs = false;                // whether epochs become durable as the job runs, and it rewinds to them
  side_input_budget* side_inputs = nullptr;   // what the shard may hold for side inputs; null: no limit
  const std::function<timestamp()>* time = nullptr;  // processing time within a call; null: clock.now is enough
  std::string temp_folder = {};  // where sinks write what is not complete; empty: beside their targets
};

}  // namespace millrace
