#include <millrace/transforms/triggers/pane_tracker.hpp>

#include <cstdint>

namespace millrace {

pane_info pane_tracker::next(const pane_facts& facts) const {
  pane_info pane;
  if (facts.output_watermark > facts.window_max || non_speculative_ > 0) pane.timing = pane_timing::late;
  else pane.timing = facts.input_watermark <= facts.window_max ? pane_timing::early : pane_timing::on_time;
  pane.index = panes_;
  pane.non_speculative_index = pane.timing == pane_timing::early ? -1 : static_cast<std::int32_t>(non_speculative_);
  pane.is_first = panes_ == 0;
  pane.is_last = facts.last;
  return pane;
}

void pane_tracker::record(const pane_info& given) {
  ++panes_;
  if (given.timing != pane_timing::early) ++non_speculative_;
}

void pane_tracker::encode(writer& out) const {
  out.varint(panes_);
  out.varint(non_speculative_);
}

pane_tracker pane_tracker::decode(reader& in) {
  const std::uint64_t panes = in.varint();
  const std::uint64_t non_speculative = in.varint();
  if (panes > UINT32_MAX || non_speculative > panes) in.fail("the pane numbers of a window are malformed");
  pane_tracker tracker;
  tracker.panes_ = static_cast<std::uint32_t>(panes);
  tracker.non_speculative_ = static_cast<std::uint32_t>(non_speculative);
  return tracker;
}

}  // namespace millrace
