#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/pane.hpp>
#include <millrace/transforms/element/time.hpp>

#include <cstdint>

namespace millrace {

// What decides the timing of a pane.
struct pane_facts {
  timestamp window_max;
  timestamp input_watermark;   // after the event that fires the pane
  timestamp output_watermark;  // before that event
  bool last = false;           // the trigger has finished, or the window expires
};

// Numbers the panes of one (key, window) and gives each its timing: early ones, at most one that is on time, then late
// ones. A pane that is not given out takes no number, so looking and recording are separate.
class pane_tracker {
 public:
  pane_tracker() = default;
  // Of a window that has given out so many panes.
  pane_tracker(std::uint32_t panes, std::uint32_t early) : panes_(panes), non_speculative_(panes - early) {}

  // What the next pane would be.
  [[nodiscard]] pane_info next(const pane_facts& facts) const;
  // That pane has been given out.
  void record(const pane_info& given);

  void encode(writer& out) const;
  static pane_tracker decode(reader& in);

  friend bool operator==(const pane_tracker&, const pane_tracker&) = default;

 private:
  std::uint32_t panes_ = 0;
  std::uint32_t non_speculative_ = 0;
};

}  // namespace millrace
