#pragma once

#include "grouping.hpp"
#include "operators.hpp"
#include "side.hpp"
#include "stateful.hpp"
#include "strategy.hpp"

#include <variant>
#include <vector>

namespace reference {

// What happens at the source of a chain, in one event.
struct source_move {
  std::vector<bundle> bundles;
  instant watermark = min_time;
  instant clock = 0;
  bool draining = false;
  const side_view* view = nullptr;
};

// Steps one behind the other. Each step deals with all that an event brings it, first elements, then the clock, then
// the watermark, before the next step does; its output watermark moves when it is done.
class chain {
 public:
  // The steps over elements that are windowed as `input`. Throws refusal where one of them may not stand there.
  chain(const std::vector<step>& steps, const strategy& input, const program& in);

  // Returns what comes out of the last step.
  std::vector<bundle> run(const source_move& move);

  // How the results are windowed.
  [[nodiscard]] const strategy& result_windowing() const { return result_windowing_; }

  [[nodiscard]] instant held() const;
  [[nodiscard]] bool keeps_state() const;
  [[nodiscard]] std::vector<drops> dropped() const;

 private:
  struct pass_through {};

  struct stage {
    step settings;
    strategy windowing;
    std::variant<pass_through, grouping, stateful, side_reader> what;
    instant input_watermark = min_time;
    instant output_watermark = min_time;
  };

  static bundle windowed(const stage& here, const bundle& elements);
  std::vector<bundle> step_on(stage& here, const std::vector<bundle>& inputs, instant watermark,
                              const source_move& move) const;

  std::vector<stage> stages_;
  strategy result_windowing_;
  instant clock_ = 0;
  instant source_watermark_ = min_time;
};

}  // namespace reference
