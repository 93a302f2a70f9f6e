#include "grouping.hpp"

#include "values.hpp"
#include "windows.hpp"

#include <algorithm>
#include <utility>

namespace reference {

grouping::grouping(strategy windowing, transform what) : windowing_(std::move(windowing)), what_(std::move(what)) {}

std::vector<bundle> grouping::accept(const bundle& elements, const moment& now) {
  bundle keyed = elements;
  if (what_.kind == transform_kind::distinct) {
    for (output& one : keyed) one.key = one.value;
  }
  std::vector<bundle> out;
  for (const auto& [key, of_key] : by_key(keyed)) pass_on(out, accept_key(key, of_key, now));
  forget_empty_keys();
  return out;
}

// The windows of all the elements merge before the first of them is looked at.
bundle grouping::accept_key(const std::string& key, const bundle& elements, const moment& now) {
  key_windows& windows = keys_[key];
  place here{key, windows, seen_by(windows, now, now.watermark), {}};
  const bundle live = live_elements(elements, now);
  const std::map<window, window> merged_windows = merge(here, live);
  for (const output& element : live) take(here, element, merged_windows.at(element.in));
  std::set<window> touched;
  for (const output& element : live) touched.insert(merged_windows.at(element.in));
  for (const window& in : touched) fire_if_ready(here, in);
  return std::move(here.out);
}

// It is an element's own window that must be live, not the one it would merge into.
bundle grouping::live_elements(const bundle& elements, const moment& now) {
  bundle live;
  for (const output& element : elements) {
    if (expiry_of(element.in, windowing_.lateness) < now.watermark) {
      ++dropped_.late;
    } else {
      live.push_back(element);
    }
  }
  return live;
}

void grouping::take(place& here, const output& element, const window& in) {
  if (here.windows.closed.contains(in)) {
    ++dropped_.closed_window;
    return;
  }
  const bool known = here.windows.open.contains(in);
  open_window& state = here.windows.open[in];
  if (!known) state.progress = fresh_state(windowing_.firing_trigger);
  add(state, in, element, here.now);
}

// Merges the windows of the elements and the open ones. Returns what the former have become.
std::map<window, window> grouping::merge(place& here, const bundle& elements) const {
  std::map<window, window> become;
  for (const output& element : elements) become[element.in] = element.in;
  if (!windowing_.merges()) return become;
  std::set<window> all;
  for (const auto& [in, state] : here.windows.open) all.insert(in);
  for (const auto& [in, same] : become) all.insert(in);
  std::vector<window> wholes;
  for (const window& in : all) {
    if (!wholes.empty() && intersect(wholes.back(), in)) {
      wholes.back() = span(wholes.back(), in);
    } else {
      wholes.push_back(in);
    }
  }
  for (const window& whole : wholes) {
    bool joined = false;
    for (auto& [in, into] : become) {
      if (!intersect(in, whole)) continue;
      into = whole;
      joined = joined || in != whole;
    }
    merge_open(here, whole, joined);
  }
  return become;
}

// Makes the open windows that lie in a window one of them, unless that one is closed: what would come into it is
// dropped. If it is open and just takes other windows in, its trigger merges all the same.
void grouping::merge_open(place& here, const window& into, bool joined) const {
  if (here.windows.closed.contains(into)) return;
  std::map<window, open_window> parts;
  for (const auto& [in, state] : here.windows.open) {
    if (intersect(in, into)) parts.emplace(in, state);
  }
  if (parts.empty()) return;
  if (parts.size() == 1 && parts.begin()->first == into) {
    trigger_state& progress = here.windows.open[into].progress;
    if (joined) progress = merged_state(windowing_.firing_trigger, {progress}, view_of(into, here.now));
    return;
  }
  for (const auto& [in, state] : parts) here.windows.open.erase(in);
  here.windows.open[into] = merged(parts, into, here.now);
}

open_window grouping::merged(const std::map<window, open_window>& parts, const window& into, const moment& now) const {
  open_window whole;
  std::vector<trigger_state> progress;
  for (const auto& [in, part] : parts) {
    whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
    whole.fresh += part.fresh;
    progress.push_back(part.progress);
    if (in == into) whole.last_pane = part.last_pane;
    if (!part.element_hold) continue;
    const bool latest = windowing_.timestamps == timestamp_combiner::latest;
    const instant sofar = whole.element_hold.value_or(*part.element_hold);
    whole.element_hold = latest ? std::max(sofar, *part.element_hold) : std::min(sofar, *part.element_hold);
  }
  if (windowing_.timestamps == timestamp_combiner::end_of_window && whole.element_hold) {
    const bool late = max_of(into) < now.watermark || max_of(into) < now.output_watermark;
    whole.element_hold = late ? std::nullopt : std::optional(max_of(into));
  }
  whole.expiry_hold = hold_at_expiry(into, now);
  whole.progress = merged_state(windowing_.firing_trigger, progress, view_of(into, now));
  return whole;
}

void grouping::add(open_window& to, const window& in, const output& element, const moment& now) const {
  to.values.push_back(element.value);
  ++to.fresh;
  on_element(windowing_.firing_trigger, to.progress, view_of(in, now));
  const bool end = windowing_.timestamps == timestamp_combiner::end_of_window;
  const instant time = end ? max_of(in) : element.time;
  if (time < now.output_watermark || max_of(in) < now.watermark) {
    to.expiry_hold = hold_at_expiry(in, now);
    return;
  }
  const instant sofar = to.element_hold.value_or(time);
  const bool latest = windowing_.timestamps == timestamp_combiner::latest;
  to.element_hold = latest ? std::max(sofar, time) : std::min(sofar, time);
}

std::vector<bundle> grouping::advance_watermark(instant before, const moment& now) {
  std::vector<bundle> out;
  for (auto& [key, windows] : keys_) {
    place here{key, windows, seen_by(windows, now, before), {}};
    expire(here);
    std::set<window> ended;
    for (const auto& [in, state] : windows.open) {
      if (before <= max_of(in) && max_of(in) < now.watermark) ended.insert(in);
    }
    for (const window& in : ended) fire_if_ready(here, in);
    pass_on(out, std::move(here.out));
  }
  forget_empty_keys();
  return out;
}

std::vector<bundle> grouping::advance_clock(instant before, const moment& now) {
  std::vector<bundle> out;
  for (auto& [key, windows] : keys_) {
    place here{key, windows, seen_by(windows, now, now.watermark), {}};
    std::set<window> rung;
    for (const auto& [in, state] : windows.open) {
      if (waited_for_clock(windowing_.firing_trigger, state.progress, before, now.clock)) rung.insert(in);
    }
    for (const window& in : rung) fire_if_ready(here, in);
    pass_on(out, std::move(here.out));
  }
  forget_empty_keys();
  return out;
}

// The final panes of the windows that the watermark has passed with their lateness; then all of them is forgotten.
void grouping::expire(place& here) const {
  std::set<window> expired;
  for (const auto& [in, state] : here.windows.open) {
    if (expiry_of(in, windowing_.lateness) < here.now.watermark) expired.insert(in);
  }
  for (const window& in : expired) fire(here, in, true);
  std::erase_if(here.windows.closed,
                [&](const window& in) { return expiry_of(in, windowing_.lateness) < here.now.watermark; });
}

void grouping::fire_if_ready(place& here, const window& in) const {
  const auto found = here.windows.open.find(in);
  if (found == here.windows.open.end()) return;
  const trigger_view view = view_of(in, here.now);
  if (!is_ready(windowing_.firing_trigger, found->second.progress, view)) return;
  on_fire(windowing_.firing_trigger, found->second.progress, view);
  fire(here, in, false);
}

void grouping::fire(place& here, const window& in, bool expired) const {
  open_window& state = here.windows.open.at(in);
  const bool final = expired || state.progress.finished;
  pane which = next_pane(state.last_pane, in, here.now);
  which.last = final;
  if (must_emit(state, which, final)) {
    if (auto out = result(here, in, which)) here.out.push_back(*std::move(out));
    state.last_pane = which;
  }
  if (final) {
    here.windows.open.erase(in);
    if (!expired) here.windows.closed.insert(in);
    return;
  }
  state.fresh = 0;
  state.element_hold.reset();
  state.expiry_hold = windowing_.closing == firing::always ? hold_at_expiry(in, here.now) : std::nullopt;
  if (windowing_.panes == accumulation::discarding) state.values.clear();
}

bool grouping::must_emit(const open_window& of, const pane& which, bool final) const {
  if (of.fresh > 0) return true;
  if (which.timing == pane_timing::on_time && windowing_.on_time == firing::always) return true;
  return final && windowing_.closing == firing::always;
}

std::optional<output> grouping::result(const place& here, const window& in, const pane& which) const {
  const open_window& state = here.windows.open.at(in);
  const instant time = output_time(state, in);
  if (what_.kind == transform_kind::distinct) {
    if (!which.first) return std::nullopt;
    return output{"k", in, here.key, time, which};
  }
  const std::optional<std::string> value = combined(what_.kind, state.values);
  if (!value) return std::nullopt;
  return output{here.key, in, *value, time, which};
}

instant grouping::output_time(const open_window& of, const window& in) const {
  return std::min({of.element_hold.value_or(max_of(in)), of.expiry_hold.value_or(max_of(in)), max_of(in)});
}

std::optional<instant> grouping::hold_at_expiry(const window& in, const moment& now) const {
  const instant expiry = expiry_of(in, windowing_.lateness);
  if (expiry < now.watermark) return std::nullopt;
  return expiry;
}

trigger_view grouping::view_of(const window& in, const moment& now) const {
  return {max_of(in), now.watermark, now.clock, windowing_.merges()};
}

moment grouping::seen_by(const key_windows& windows, moment now, instant watermark_before) {
  now.output_watermark = std::min(watermark_before, hold_of(windows));
  return now;
}

instant grouping::hold_of(const key_windows& windows) {
  instant least = max_time;
  for (const auto& [in, state] : windows.open) {
    least = std::min({least, state.element_hold.value_or(max_time), state.expiry_hold.value_or(max_time)});
  }
  return least;
}

instant grouping::hold() const {
  instant least = max_time;
  for (const auto& [key, windows] : keys_) least = std::min(least, hold_of(windows));
  return least;
}

void grouping::forget_empty_keys() {
  std::erase_if(keys_, [](const auto& one) { return one.second.open.empty() && one.second.closed.empty(); });
}

pane next_pane(const std::optional<pane>& previous, const window& in, const moment& now) {
  pane next;
  next.first = !previous;
  next.last = false;
  next.index = previous ? previous->index + 1 : 0;
  next.non_speculative_index = previous ? previous->non_speculative_index + 1 : 0;
  const bool early_sofar = !previous || previous->timing == pane_timing::early;
  if (max_of(in) < now.output_watermark || !early_sofar) {
    next.timing = pane_timing::late;
  } else if (now.watermark <= max_of(in)) {
    next.timing = pane_timing::early;
    next.non_speculative_index = -1;
  } else {
    next.timing = pane_timing::on_time;
  }
  return next;
}

}  // namespace reference
