#include "triggers.hpp"
#include "windows.hpp"

#include <algorithm>
#include <cstddef>

// What can be said of a trigger from outside: when it wants a look, what it becomes, whether it ends.
namespace reference {

namespace {

// The parts that a trigger listens to as it stands: of those that come in turn only the current one.
std::vector<std::size_t> live_parts(const trigger& of, const trigger_state& state) {
  std::vector<std::size_t> live;
  const bool in_turn = of.kind == trigger_kind::each || of.kind == trigger_kind::early_late;
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    if (state.parts[i].finished) continue;
    live.push_back(i);
    if (in_turn) break;
  }
  return live;
}

}  // namespace

bool waits_for_end(const trigger& of, const trigger_state& state) {
  if (state.finished) return false;
  if (of.kind == trigger_kind::by_default || of.kind == trigger_kind::at_watermark) return true;
  if (of.kind == trigger_kind::early_late && !state.parts[0].finished) return true;
  const std::vector<std::size_t> live = live_parts(of, state);
  return std::any_of(live.begin(), live.end(),
                     [&](std::size_t i) { return waits_for_end(of.parts[i], state.parts[i]); });
}

bool waited_for_clock(const trigger& of, const trigger_state& state, instant before, instant now) {
  if (state.finished) return false;
  if (state.target && before <= *state.target && *state.target < now) return true;
  const std::vector<std::size_t> live = live_parts(of, state);
  return std::any_of(live.begin(), live.end(),
                     [&](std::size_t i) { return waited_for_clock(of.parts[i], state.parts[i], before, now); });
}

trigger continuation_of(const trigger& of) {
  trigger next = of;
  for (trigger& part : next.parts) part = continuation_of(part);
  switch (of.kind) {
  case trigger_kind::count:
    next.count = 1;
    break;
  case trigger_kind::clock:
    next = {trigger_kind::synchronized_clock, 0, {}, {}};
    break;
  case trigger_kind::each:
    next.kind = trigger_kind::first;
    next = {trigger_kind::repeat, 0, {}, {next}};
    break;
  case trigger_kind::until:
    next = {trigger_kind::repeat, 0, {}, {next}};
    break;
  default:
    break;
  }
  return next;
}

bool may_finish(const trigger& of) {
  const auto part_may = [](const trigger& part) { return may_finish(part); };
  switch (of.kind) {
  case trigger_kind::by_default:
  case trigger_kind::always:
  case trigger_kind::repeat:
    return false;
  case trigger_kind::early_late:
    return of.parts.size() == 1;
  case trigger_kind::each:
    return std::all_of(of.parts.begin(), of.parts.end(), part_may);
  case trigger_kind::until:
    return std::any_of(of.parts.begin(), of.parts.end(), part_may);
  default:
    return true;
  }
}

instant surely_fired_at(const trigger& of, const window& in) {
  std::vector<instant> parts;
  for (const trigger& part : of.parts) parts.push_back(surely_fired_at(part, in));
  switch (of.kind) {
  case trigger_kind::by_default:
  case trigger_kind::at_watermark:
  case trigger_kind::early_late:
    return max_of(in);
  case trigger_kind::first:
  case trigger_kind::until:
    return *std::min_element(parts.begin(), parts.end());
  case trigger_kind::all:
    return *std::max_element(parts.begin(), parts.end());
  case trigger_kind::each:
  case trigger_kind::repeat:
    return parts.front();
  default:
    return max_time;
  }
}

}  // namespace reference
