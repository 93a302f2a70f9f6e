#include <millrace/tests/properties/draw_case.hpp>

#include <algorithm>
#include <utility>

namespace millrace::properties {

namespace {

using reference::program;
using reference::step;
using reference::transform;
using reference::transform_kind;
using reference::trigger;
using reference::trigger_kind;
using reference::window_function;
using reference::window_kind;

window_function draw_windows(draws& from, bool may_merge) {
  const std::int64_t kind = from.number(0, 99);
  if (kind < 10) return {};
  if (kind < 20 || (kind >= 65 && !may_merge)) return {window_kind::fixed, from.number(5, 60), 0, 0};
  const std::int64_t size = from.number(1, 20);
  if (kind < 45) return {window_kind::fixed, size, 0, from.number(0, size - 1)};
  const std::int64_t period = from.number(3, 12);
  if (kind < 65) return {window_kind::sliding, size, period, from.number(0, period - 1)};
  return {window_kind::sessions, from.number(2, 10), 0, 0};
}

trigger with_parts(trigger_kind kind, std::vector<trigger> parts) {
  return {kind, 0, {}, std::move(parts)};
}

trigger draw_clock(draws& from) {
  trigger made{trigger_kind::clock, 0, {{from.chance(30), from.number(1, 12)}}, {}};
  if (from.chance(20)) made.clock.push_back({from.chance(50), from.number(1, 12)});
  return made;
}

trigger draw_trigger(draws& from, int depth);

std::vector<trigger> draw_parts(draws& from, int depth, std::int64_t least) {
  std::vector<trigger> parts;
  for (std::int64_t i = from.number(least, least + 1); i > 0; --i) parts.push_back(draw_trigger(from, depth - 1));
  return parts;
}

trigger draw_trigger(draws& from, int depth) {
  switch (from.number(0, depth > 0 ? 12 : 6)) {
  case 0:
    return with_parts(trigger_kind::always, {});
  case 1:
    return with_parts(from.chance(20) ? trigger_kind::never : trigger_kind::at_watermark, {});
  case 2:
    return with_parts(trigger_kind::at_watermark, {});
  case 3:
    return draw_clock(from);
  case 4:
  case 5:
  case 6:
    return {trigger_kind::count, from.number(1, 4), {}, {}};
  case 7:
    return with_parts(trigger_kind::repeat, {draw_trigger(from, depth - 1)});
  case 8:
    return with_parts(trigger_kind::first, draw_parts(from, depth, 1));
  case 9:
    return with_parts(trigger_kind::all, draw_parts(from, depth, 1));
  case 10:
    return with_parts(trigger_kind::each, draw_parts(from, depth, 1));
  case 11:
    return with_parts(trigger_kind::until, {draw_trigger(from, depth - 1), draw_trigger(from, depth - 1)});
  default:
    return with_parts(trigger_kind::early_late, draw_parts(from, depth, 1));
  }
}

// A trigger as most pipelines have them: it never stops.
trigger draw_lasting_trigger(draws& from) {
  switch (from.number(0, 4)) {
  case 0:
    return with_parts(trigger_kind::by_default, {});
  case 1:
    return with_parts(trigger_kind::repeat, {draw_trigger(from, 2)});
  case 2:
    return with_parts(trigger_kind::early_late, {draw_trigger(from, 1), {trigger_kind::count, 1, {}, {}}});
  default:
    return with_parts(trigger_kind::early_late, {draw_trigger(from, 1), draw_trigger(from, 1)});
  }
}

// One that flat tables can fire.
trigger draw_plain_trigger(draws& from) {
  if (from.chance(35)) return with_parts(trigger_kind::by_default, {});
  const auto each_bundle = [&] {
    return from.chance(50) ? trigger{trigger_kind::count, 1, {}, {}} : with_parts(trigger_kind::always, {});
  };
  trigger early = from.chance(40)   ? draw_clock(from)
                  : from.chance(50) ? each_bundle()
                                    : with_parts(trigger_kind::never, {});
  return with_parts(trigger_kind::early_late, {std::move(early), each_bundle()});
}

// What becomes of a session that grows into one whose trigger has finished is not decided.
void let_sessions_last(draws& from, step& of) {
  if (of.windows && of.windows->kind == window_kind::sessions) of.firing_trigger = draw_lasting_trigger(from);
}

void draw_rest(draws& from, step& to) {
  to.lateness = from.chance(35) ? 0 : from.number(1, 25);
  to.panes = from.chance(50) ? reference::accumulation::discarding : reference::accumulation::accumulating;
  to.on_time = from.chance(60) ? reference::firing::always : reference::firing::if_non_empty;
  to.closing = from.chance(40) ? reference::firing::always : reference::firing::if_non_empty;
  if (from.chance(4)) to.lateness.reset();
  if (from.chance(4)) to.panes.reset();
}

transform draw_stateful(draws& from) {
  transform made;
  made.kind = from.one_of({transform_kind::running_count, transform_kind::bag, transform_kind::bag,
                           transform_kind::timers, transform_kind::timers, transform_kind::looping,
                           transform_kind::batches, transform_kind::dedup, transform_kind::sorted});
  if (made.kind == transform_kind::bag) {
    if (from.chance(60)) made.after = from.number(0, 15);
    if (from.chance(50)) made.clock = from.number(1, 15);
    made.expire = from.chance(50);
  } else if (made.kind == transform_kind::batches) {
    made.limit = from.number(1, 4);
    if (from.chance(50)) made.clock = from.number(1, 15);
  } else if (made.kind == transform_kind::looping) {
    made.length = from.number(1, 9);
    made.limit = from.number(1, 5);
  } else if (made.kind == transform_kind::dedup) {
    made.length = from.number(1, 12);
  }
  return made;
}

// Sums need numbers.
transform_kind draw_grouping(draws& from, bool numbers) {
  using enum transform_kind;
  return numbers ? from.one_of({group, group, sum, sum, max, count, mean, distinct})
                 : from.one_of({group, group, count, distinct});
}

bool groups(const step& of) {
  using enum transform_kind;
  const transform_kind kind = of.what.kind;
  return kind == group || kind == sum || kind == count || kind == max || kind == mean || kind == distinct;
}

bool reads_side(const step& of) {
  using enum transform_kind;
  const transform_kind kind = of.what.kind;
  return kind == side_singleton || kind == side_iterable || kind == side_map || kind == side_multimap;
}

bool gives_numbers(const step& of) {
  using enum transform_kind;
  const transform_kind kind = of.what.kind;
  return kind == sum || kind == count || kind == max || kind == distinct || kind == running_count || kind == looping
         || kind == dedup || kind == sorted || kind == none || kind == reshuffle;
}

step draw_first(draws& from) {
  step made;
  const std::int64_t kind = from.number(0, 99);
  if (kind < 22) {
    made.what = draw_stateful(from);
    made.windows = draw_windows(from, from.chance(3));
    // The order of a bundle's elements in one window is decided only where they have the same windows.
    if (made.windows->kind == window_kind::sliding) made.windows->kind = window_kind::fixed;
    made.windows->offset = 0;
    made.firing_trigger = with_parts(trigger_kind::always, {});
    draw_rest(from, made);
    return made;
  }
  made.rekey = from.chance(8);
  made.windows = draw_windows(from, kind >= 50);
  draw_rest(from, made);
  if (kind < 50) {
    using enum transform_kind;
    made.what.kind = from.one_of({sum, max, count, mean});
    made.firing_trigger = draw_plain_trigger(from);
    return made;
  }
  made.what.kind = draw_grouping(from, true);
  made.firing_trigger = from.chance(20) ? draw_lasting_trigger(from) : draw_trigger(from, 2);
  let_sessions_last(from, made);
  made.timestamps = static_cast<reference::timestamp_combiner>(from.number(0, 2));
  return made;
}

bool has_clock(const trigger& of) {
  return of.kind == trigger_kind::clock || std::ranges::any_of(of.parts, has_clock);
}

bool has_clock(const step& of) {
  return of.what.clock || of.what.kind == transform_kind::dedup || of.what.kind == transform_kind::timers
         || (of.firing_trigger && has_clock(*of.firing_trigger));
}

// Whether the model says what two steps make of an event. It does not say which step sees the clock first, nor which
// windows there are at the end of the global one, where its results are.
bool is_decided(const step& first, const step& next) {
  const bool both_see_clock = has_clock(first) && (has_clock(next) || !next.firing_trigger);
  const bool after_global = next.windows && first.windows->kind == window_kind::global;
  return !both_see_clock && !after_global;
}

// Panes of several keys come to a step one after the other, and so do elements that have waited for a side input in
// several windows. A step that takes them under one key must not show it: it fires once for all of them.
void forget_keys(step& before, step& after) {
  before.lateness = 0;
  after.lateness.reset();
  after.firing_trigger = with_parts(trigger_kind::by_default, {});
}

step draw_next(draws& from, step& before) {
  step made;
  const bool unkeyed = before.what.kind == transform_kind::distinct;
  if (groups(before) && !unkeyed && from.chance(25)) {
    made.what = draw_stateful(from);
    if (made.what.kind != transform_kind::timers && made.what.kind != transform_kind::sorted) return made;
  }
  if (from.chance(10) || before.what.kind == transform_kind::mean) {
    made.what.kind = from.one_of({transform_kind::none, transform_kind::reshuffle});
    return made;
  }
  made.what = {};
  made.what.kind = draw_grouping(from, gives_numbers(before));
  if (from.chance(50)) made.windows = draw_windows(from, true);
  if (from.chance(30)) made.firing_trigger = draw_lasting_trigger(from);
  let_sessions_last(from, made);
  if (from.chance(30)) made.lateness = from.number(0, 20);
  if (from.chance(30)) made.panes = reference::accumulation::accumulating;
  if (from.chance(20)) made.timestamps = static_cast<reference::timestamp_combiner>(from.number(0, 2));
  if (from.chance(20)) made.closing = reference::firing::always;
  made.remerge = from.chance(10);
  made.rekey = groups(before) && from.chance(15);
  if (made.rekey || unkeyed || made.what.kind == transform_kind::distinct || reads_side(before))
    forget_keys(before, made);
  return made;
}

// A step that reads a side input.
step draw_reader(draws& from) {
  using enum transform_kind;
  step made;
  made.windows = draw_windows(from, from.chance(30));
  draw_rest(from, made);
  made.what.kind = from.one_of({side_singleton, side_iterable, side_iterable, side_map, side_multimap});
  if (made.what.kind == side_singleton && from.chance(80)) made.what.fallback = "0";
  return made;
}

// What a step reads: elements, or one number of them all that fires once, so that the order in which panes of several
// keys or moments come to the view does not show. No window of it belongs to the global window of the main input but
// its own global one.
step draw_side(draws& from, const step& reader) {
  using enum transform_kind;
  step made;
  made.windows = draw_windows(from, false);
  if (reader.windows->kind == window_kind::global) made.windows = window_function{};
  made.firing_trigger = from.chance(30) ? draw_plain_trigger(from) : draw_lasting_trigger(from);
  draw_rest(from, made);
  made.timestamps = static_cast<reference::timestamp_combiner>(from.number(0, 2));
  made.what.kind = none;
  if (reader.what.kind == side_singleton || from.chance(30)) {
    made.rekey = true;
    made.what.kind = from.one_of({sum, max, count});
    made.firing_trigger = with_parts(trigger_kind::by_default, {});
    made.lateness = 0;
    if (reader.what.kind == side_singleton && from.chance(90)) made.panes = reference::accumulation::discarding;
  }
  return made;
}

}  // namespace

program draw_program(draws& from) {
  program made;
  made.unsafe_triggers = from.chance(95);
  made.bounded = from.chance(15);
  if (from.chance(15)) {
    made.steps.push_back(draw_reader(from));
    made.side.push_back(draw_side(from, made.steps.front()));
  } else {
    made.steps.push_back(draw_first(from));
  }
  if (!from.chance(60)) return made;
  step next = draw_next(from, made.steps.back());
  const bool side_sees_clock = !made.side.empty() && has_clock(made.side.front());
  if (is_decided(made.steps.back(), next) && !(side_sees_clock && has_clock(next)))
    made.steps.push_back(std::move(next));
  return made;
}

}  // namespace millrace::properties
