#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/time.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

// What is known of a step's state without reading it.
enum class step_state : std::uint8_t {
  none = 0,   // the operator had neither state nor a timer nor a hold
  kept = 1,   // it had some
  begins = 2  // nobody has written its state: it begins without
};

// What one shard of a stage writes into a checkpoint: its watermarks, the promises of its side inputs by edge, and for
// each of its transforms, in the order of the plan, metrics and state. Nothing here knows what is in these.
struct stage_snapshot {
  // One transform's. Views of the bytes that were read.
  struct step {
    std::string_view metrics;
    step_state is = step_state::none;
    std::string_view state;
  };

  timestamp input_watermark = timestamp::min();
  timestamp output_watermark = timestamp::min();
  std::map<std::uint32_t, timestamp> view_marks = {};
  std::vector<step> steps = {};

  // Throws decode_error unless the bytes are those of that many steps.
  [[nodiscard]] static stage_snapshot read(std::string_view bytes, std::size_t steps);
  void encode(writer& to) const;
};

// Writes what stands before the steps.
void encode_stage_clocks(writer& to, timestamp input_watermark, timestamp output_watermark,
                         const std::map<std::uint32_t, timestamp>& view_marks);

// Writes one step. The parts write themselves.
template <class Metrics, class State>
void encode_step(writer& to, Metrics&& metrics, step_state is, State&& state) {
  const std::size_t whole = to.open();
  const std::size_t counted = to.open();
  metrics(to);
  to.close(counted);
  to.fixed(static_cast<std::uint8_t>(is));
  state(to);
  to.close(whole);
}

}  // namespace millrace
