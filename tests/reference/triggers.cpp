#include "triggers.hpp"

#include "windows.hpp"

#include <algorithm>
#include <cstddef>

namespace reference {

namespace {

bool end_passed(const trigger_view& view) {
  return view.watermark > view.window_max;
}

instant next_multiple(instant from, instant period) {
  const instant rest = ((from % period) + period) % period;
  return rest == 0 ? from : from + period - rest;
}

instant target_of(const trigger& of, instant clock) {
  for (const clock_step& step : of.clock) clock = step.align ? next_multiple(clock, step.length) : clock + step.length;
  return clock;
}

// The index of the first part that is not finished, or the number of parts.
std::size_t current_part(const trigger_state& state) {
  std::size_t i = 0;
  while (i < state.parts.size() && state.parts[i].finished) ++i;
  return i;
}

bool any_finished(const std::vector<trigger_state>& states) {
  return std::any_of(states.begin(), states.end(), [](const trigger_state& one) { return one.finished; });
}

bool all_finished(const std::vector<trigger_state>& states) {
  return std::all_of(states.begin(), states.end(), [](const trigger_state& one) { return one.finished; });
}

// What was counted towards the pane that has come out is gone; what is finished stays so.
void forget_pane(trigger_state& state) {
  state.seen = 0;
  state.target.reset();
  for (trigger_state& part : state.parts) forget_pane(part);
}

// Each firing resets both parts. The one at the end of the window hands over to the late part.
void fire_early_late(const trigger& of, trigger_state& state, const trigger_view& view) {
  const bool early_is_over = state.parts[0].finished || end_passed(view);
  const bool has_late = of.parts.size() > 1;
  state.parts[0] = fresh_state(of.parts[0]);
  state.parts[0].finished = early_is_over;
  if (has_late && early_is_over) state.parts[1] = fresh_state(of.parts[1]);
  state.finished = early_is_over && !has_late;
}

void fire_first(const trigger& of, trigger_state& state, const trigger_view& view) {
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    if (is_ready(of.parts[i], state.parts[i], view)) {
      on_fire(of.parts[i], state.parts[i], view);
    } else {
      forget_pane(state.parts[i]);
    }
  }
  state.finished = true;
}

void fire_each(const trigger& of, trigger_state& state, const trigger_view& view) {
  const std::size_t now = current_part(state);
  on_fire(of.parts[now], state.parts[now], view);
  if (view.merging) forget_pane(state);
  state.finished = all_finished(state.parts);
}

void fire_until(const trigger& of, trigger_state& state, const trigger_view& view) {
  if (is_ready(of.parts[1], state.parts[1], view)) {
    on_fire(of.parts[1], state.parts[1], view);
    forget_pane(state.parts[0]);
  } else {
    on_fire(of.parts[0], state.parts[0], view);
  }
  state.finished = any_finished(state.parts);
}

// The state of part i in each of the given states.
std::vector<trigger_state> parts_at(const std::vector<trigger_state>& states, std::size_t i) {
  std::vector<trigger_state> found;
  for (const trigger_state& state : states) found.push_back(state.parts[i]);
  return found;
}

trigger_state merge_early_late(const trigger& of, const std::vector<trigger_state>& states, const trigger_view& view) {
  trigger_state merged = fresh_state(of);
  if (all_finished(parts_at(states, 0)) && end_passed(view)) {
    merged.parts[0].finished = true;
    if (of.parts.size() > 1) merged.parts[1] = merged_state(of.parts[1], parts_at(states, 1), view);
    merged.finished = of.parts.size() == 1;
  } else {
    merged.parts[0] = merged_state(of.parts[0], parts_at(states, 0), view);
    merged.parts[0].finished = false;
  }
  return merged;
}

trigger_state merge_each(const trigger& of, const std::vector<trigger_state>& states, const trigger_view& view) {
  trigger_state merged = fresh_state(of);
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    merged.parts[i] = merged_state(of.parts[i], parts_at(states, i), view);
    if (!merged.parts[i].finished) break;
  }
  merged.finished = all_finished(merged.parts);
  return merged;
}

trigger_state merge_leaf(const trigger& of, const std::vector<trigger_state>& states, const trigger_view& view) {
  trigger_state merged;
  if (of.kind == trigger_kind::at_watermark) merged.finished = all_finished(states) && end_passed(view);
  if (of.kind == trigger_kind::count) merged.finished = any_finished(states);
  for (const trigger_state& state : states) {
    merged.seen += state.seen;
    if (state.target && (!merged.target || *state.target < *merged.target)) merged.target = state.target;
  }
  if (merged.finished) forget_pane(merged);
  return merged;
}

}  // namespace

trigger_state fresh_state(const trigger& of) {
  trigger_state state;
  for (const trigger& part : of.parts) state.parts.push_back(fresh_state(part));
  return state;
}

void on_element(const trigger& of, trigger_state& state, const trigger_view& view) {
  if (of.kind == trigger_kind::count) ++state.seen;
  if (of.kind == trigger_kind::clock && !state.target) state.target = target_of(of, view.clock);
  if (of.kind == trigger_kind::synchronized_clock && !state.target) state.target = view.clock;
  const bool in_turn = of.kind == trigger_kind::each || of.kind == trigger_kind::early_late;
  const std::size_t now = current_part(state);
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    if (!in_turn || view.merging || i == now) on_element(of.parts[i], state.parts[i], view);
  }
}

bool is_ready(const trigger& of, const trigger_state& state, const trigger_view& view) {
  const auto part_ready = [&](std::size_t i) { return is_ready(of.parts[i], state.parts[i], view); };
  switch (of.kind) {
  case trigger_kind::never:
    return false;
  case trigger_kind::always:
    return true;
  case trigger_kind::by_default:
  case trigger_kind::at_watermark:
    return end_passed(view);
  case trigger_kind::count:
    return state.seen >= of.count;
  case trigger_kind::clock:
  case trigger_kind::synchronized_clock:
    return state.target && view.clock > *state.target;
  case trigger_kind::repeat:
    return part_ready(0);
  case trigger_kind::until:
    return part_ready(0) || part_ready(1);
  case trigger_kind::early_late:
    if (!state.parts[0].finished) return end_passed(view) || part_ready(0);
    return of.parts.size() > 1 && part_ready(1);
  case trigger_kind::each: {
    const std::size_t now = current_part(state);
    return now < of.parts.size() && part_ready(now);
  }
  case trigger_kind::first:
  case trigger_kind::all:
    break;
  }
  std::size_t ready = 0;
  for (std::size_t i = 0; i < of.parts.size(); ++i) ready += state.parts[i].finished || part_ready(i) ? 1U : 0U;
  return of.kind == trigger_kind::first ? ready > 0 : ready == of.parts.size();
}

void on_fire(const trigger& of, trigger_state& state, const trigger_view& view) {
  switch (of.kind) {
  case trigger_kind::by_default:
  case trigger_kind::never:
  case trigger_kind::always:
    return;
  case trigger_kind::at_watermark:
  case trigger_kind::count:
  case trigger_kind::clock:
  case trigger_kind::synchronized_clock:
    forget_pane(state);
    state.finished = true;
    return;
  case trigger_kind::repeat:
    on_fire(of.parts[0], state.parts[0], view);
    if (state.parts[0].finished) state = fresh_state(of);
    return;
  case trigger_kind::all:
    for (std::size_t i = 0; i < of.parts.size(); ++i) {
      if (!state.parts[i].finished) on_fire(of.parts[i], state.parts[i], view);
    }
    state.finished = true;
    return;
  case trigger_kind::early_late:
    return fire_early_late(of, state, view);
  case trigger_kind::first:
    return fire_first(of, state, view);
  case trigger_kind::each:
    return fire_each(of, state, view);
  case trigger_kind::until:
    return fire_until(of, state, view);
  }
}

trigger_state merged_state(const trigger& of, const std::vector<trigger_state>& states, const trigger_view& view) {
  if (states.empty()) return fresh_state(of);
  if (of.parts.empty()) return merge_leaf(of, states, view);
  if (of.kind == trigger_kind::early_late) return merge_early_late(of, states, view);
  if (of.kind == trigger_kind::each) return merge_each(of, states, view);
  trigger_state merged;
  for (std::size_t i = 0; i < of.parts.size(); ++i) {
    merged.parts.push_back(merged_state(of.parts[i], parts_at(states, i), view));
  }
  if (of.kind == trigger_kind::all) merged.finished = all_finished(merged.parts);
  if (of.kind == trigger_kind::first || of.kind == trigger_kind::until) merged.finished = any_finished(merged.parts);
  return merged;
}

}  // namespace reference
