#include "strategy.hpp"

#include "triggers.hpp"

#include <algorithm>

namespace reference {

namespace {

bool sets_windowing(const step& of) {
  return of.windows || of.firing_trigger || of.lateness || of.panes || of.timestamps || of.on_time || of.closing;
}

void check_windows(const window_function& by) {
  if (by.kind == window_kind::global) return;
  const bool sliding = by.kind == window_kind::sliding;
  const instant step = sliding ? by.period : by.size;
  if (by.size <= 0 || step <= 0) throw refusal("the size and the period of windows must be more than 0");
  if (by.offset < 0 || by.offset >= step) throw refusal("the offset of windows must be less than their size or period");
}

void check_window_into(const strategy& here) {
  check_windows(here.windows);
  const bool custom_trigger = here.firing_trigger.kind != trigger_kind::by_default;
  const bool global = here.windows.kind == window_kind::global;
  if (custom_trigger && !global && !here.lateness_given) {
    throw refusal("a trigger other than the default one needs an allowed lateness");
  }
  if ((custom_trigger || (!global && here.lateness > 0)) && !here.panes_given) {
    throw refusal("where a window can have several panes, the accumulation mode must be given");
  }
}

// A trigger that may finish loses what comes later, unless nothing can come then.
bool is_safe(const strategy& here) {
  const trigger& t = here.firing_trigger;
  if (!may_finish(t) || t.kind == trigger_kind::never) return true;
  const bool at_end = t.kind == trigger_kind::at_watermark || t.kind == trigger_kind::early_late;
  return at_end && here.lateness == 0;
}

void check_grouping(const strategy& input, const program& in) {
  const bool by_default = input.firing_trigger.kind == trigger_kind::by_default;
  if (!in.bounded && by_default && input.windows.kind == window_kind::global) {
    throw refusal(
        "grouping an unbounded input in the global window with the default trigger would never give a result");
  }
  if (!in.unsafe_triggers && !is_safe(input)) {
    throw refusal("the trigger may finish before the window expires: elements after that would be lost");
  }
}

bool keeps_state(transform_kind kind) {
  switch (kind) {
  case transform_kind::running_count:
  case transform_kind::bag:
  case transform_kind::timers:
  case transform_kind::looping:
  case transform_kind::batches:
  case transform_kind::dedup:
  case transform_kind::sorted:
    return true;
  default:
    return false;
  }
}

}  // namespace

strategy after_settings(strategy input, const step& of) {
  if (of.remerge) input.already_merged = false;
  if (!sets_windowing(of)) return input;
  if (of.windows) {
    input.windows = *of.windows;
    input.already_merged = false;
  }
  if (of.firing_trigger) input.firing_trigger = *of.firing_trigger;
  if (of.lateness) {
    if (*of.lateness < 0) throw refusal("a negative allowed lateness");
    input.lateness = std::max(input.lateness, *of.lateness);
    input.lateness_given = true;
  }
  if (of.panes) {
    input.panes = *of.panes;
    input.panes_given = true;
  }
  if (of.timestamps) input.timestamps = *of.timestamps;
  if (of.on_time) input.on_time = *of.on_time;
  if (of.closing) input.closing = *of.closing;
  check_window_into(input);
  return input;
}

strategy after_transform(strategy input, const transform& what) {
  if (!is_grouping(what.kind)) return input;
  input.firing_trigger = continuation_of(input.firing_trigger);
  if (input.windows.kind == window_kind::sessions) input.already_merged = true;
  return input;
}

bool is_grouping(transform_kind kind) {
  switch (kind) {
  case transform_kind::group:
  case transform_kind::sum:
  case transform_kind::count:
  case transform_kind::max:
  case transform_kind::mean:
  case transform_kind::distinct:
    return true;
  default:
    return false;
  }
}

bool reads_side_input(transform_kind kind) {
  switch (kind) {
  case transform_kind::side_singleton:
  case transform_kind::side_iterable:
  case transform_kind::side_map:
  case transform_kind::side_multimap:
    return true;
  default:
    return false;
  }
}

void check_transform(const strategy& input, const transform& what, const program& in) {
  if (is_grouping(what.kind)) check_grouping(input, in);
  if (what.kind == transform_kind::distinct && input.merges()
      && (input.firing_trigger.kind != trigger_kind::by_default || input.lateness > 0)) {
    throw refusal("distinct over session windows needs the default trigger and no allowed lateness");
  }
  if (keeps_state(what.kind) && input.merges()) {
    throw refusal("state over session windows: they may still merge, group them first");
  }
}

}  // namespace reference
