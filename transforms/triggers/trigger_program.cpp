#include <millrace/transforms/triggers/trigger_program.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace {

namespace {

bool has_slot(trigger_kind kind) {
  return kind == trigger_kind::after_count || kind == trigger_kind::after_delay
         || kind == trigger_kind::after_synchronized_time;
}

}  // namespace

trigger_program::trigger_program(const trigger& root, bool merging) : merging_(merging) {
  lay_out(root);
}

void trigger_program::lay_out(const trigger& t) {
  const std::size_t self = nodes_.size();
  nodes_.push_back({.kind = t.kind(), .count = t.count(), .steps = {t.steps().begin(), t.steps().end()}});
  if (has_slot(t.kind())) nodes_[self].slot = slots_++;
  for (const trigger& part : t.parts()) lay_out(part);
  nodes_[self].end = static_cast<std::uint32_t>(nodes_.size());
}

timestamp delayed_until(timestamp from, const std::vector<clock_step>& steps) {
  timestamp target = from;
  for (const clock_step& s : steps) {
    if (s.what == clock_step::kind::plus) target = target + s.amount;
    else if (const auto past = detail::floor_mod(target.millis() - s.offset.count(), s.amount.count()); past != 0)
      target = target + (s.amount - duration{past});
  }
  return target;
}

}  // namespace millrace
