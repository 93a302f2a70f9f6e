#include <millrace/transforms/windows/duration_text.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace millrace {

namespace {

const char* text_of(panes keep) {
  return keep == panes::accumulating ? "accumulating" : "discarding";
}

const char* text_of(fires when) {
  return when == fires::always ? "always" : "if_non_empty";
}

const char* text_of(timestamp_combiner combiner) {
  switch (combiner) {
  case timestamp_combiner::end_of_window:
    return "end_of_window";
  case timestamp_combiner::earliest:
    return "earliest";
  case timestamp_combiner::latest:
    break;
  }
  return "latest";
}

bool may_give_several_panes(const windowing_strategy& s) {
  return s.fire.kind() != trigger_kind::by_default || (!s.into.global() && s.allowed_lateness.count() > 0);
}

}  // namespace

std::string windowing_strategy::describe() const {
  std::string text = into.describe() + (already_merged ? " already merged" : "") + ", " + fire.describe() + ", "
                     + text_of(keep) + ", allowed lateness " + duration_text(allowed_lateness) + ", timestamps "
                     + text_of(timestamps);
  return text + ", closing " + text_of(closing) + ", on time " + text_of(on_time);
}

std::string windowing_strategy::describe_kept() const {
  return into.describe() + (already_merged && into.merging() ? " already merged" : "") + ", " + text_of(keep)
         + ", timestamps " + text_of(timestamps);
}

windowing_strategy compose(const windowing_strategy& old, const windowing& options) {
  windowing_strategy composed = old;
  if (options.into) {
    composed.into = *options.into;
    composed.already_merged = false;
  }
  if (options.fire) composed.fire = *options.fire;
  if (options.keep) {
    composed.keep = *options.keep;
    composed.panes_written = true;
  }
  if (options.allowed_lateness) {
    const duration asked = *options.allowed_lateness;
    composed.allowed_lateness = asked < duration{0} ? asked : std::max(old.allowed_lateness, asked);
    composed.lateness_written = true;
  }
  if (options.timestamps) composed.timestamps = *options.timestamps;
  if (options.closing) composed.closing = *options.closing;
  if (options.on_time) composed.on_time = *options.on_time;
  return composed;
}

windowing_strategy after_grouping(const windowing_strategy& grouped) {
  windowing_strategy after = grouped;
  after.fire = grouped.fire.continuation();
  after.already_merged = grouped.already_merged || grouped.into.merging();
  return after;
}

windowing_strategy remerged(const windowing_strategy& merged) {
  windowing_strategy again = merged;
  again.already_merged = false;
  return again;
}

bool compatible(const windowing_strategy& a, const windowing_strategy& b) {
  return a.into.compatible(b.into) && a.fire == b.fire;
}

std::optional<std::string> window_refusal(const windowing_strategy& composed) {
  if (composed.allowed_lateness < duration{0})
    return "the allowed lateness of " + duration_text(composed.allowed_lateness)
           + " is negative; it is how long a window takes elements after its end, 0 if not at all";
  if (composed.fire.kind() != trigger_kind::by_default && !composed.into.global() && !composed.lateness_written)
    return "trigger " + composed.fire.describe() + " on " + composed.into.describe()
           + " windows needs an explicit allowed lateness; set .allowed_lateness, 0 if late elements are to be dropped";
  if (!composed.panes_written && may_give_several_panes(composed))
    return "windows that may give several panes (trigger " + composed.fire.describe() + ", allowed lateness "
           + duration_text(composed.allowed_lateness)
           + ") need an explicit accumulation mode; set .keep to panes::discarding or panes::accumulating";
  return std::nullopt;
}

std::optional<std::string> grouping_refusal(const windowing_strategy& strategy, grouping_input input) {
  if (!input.bounded && strategy.into.global() && strategy.fire.kind() == trigger_kind::by_default)
    return "an unbounded input in the global window with the default trigger would never give a result; window it, or "
           "set a trigger with window_into(..., {.fire = ...})";
  if (strategy.fire.unsafe(strategy.allowed_lateness) && !input.unsafe_triggers_allowed)
    return "trigger " + strategy.fire.describe() + " may finish while elements can still arrive, which would be "
           + "dropped; wrap it in repeatedly(...), give at_watermark() a .late(...) part or lateness 0, or call "
             "allow_unsafe_triggers() of the pipeline";
  return std::nullopt;
}

}  // namespace millrace
