// The part of grouping that gives panes out: looks, firings, expiry, holds and timers.
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/grouping.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace millrace {

trigger_facts grouping::facts_of(const group_window& at) const {
  return {.watermark = clocks_.watermark, .clock = clocks_.clock, .window_max = at.in.max_timestamp()};
}

void grouping::advance(timestamp watermark) {
  check(!in_bundle_, "the watermark moves between bundles");
  if (watermark < clocks_.watermark) return;
  const timestamp before = clocks_.watermark;
  clocks_.watermark = watermark;
  ++event_;
  touched_.clear();
  for (const due_window& due : take_due(event_timers_, watermark, &grouping::event_timer)) {
    touch(due.key, before);
    group_window& at = *keys_[due.key].find(due.in);
    if (watermark > strategy_.expiry(due.in)) {
      expire(due.key, at);
      continue;
    }
    at.past_end = true;
    wait_for_watermark(due.key, at);
    look(due.key, at);
  }
  for (const key_id id : touched_) erase_if_idle(id);
  touched_.clear();
  drop_stale_timers(clock_timers_, &grouping::clock_timer);
}

void grouping::advance_clock(timestamp now) {
  check(!in_bundle_, "the clock moves between bundles");
  if (now < clocks_.clock) return;
  clocks_.clock = now;
  ++event_;
  touched_.clear();
  for (const due_window& due : take_due(clock_timers_, now, &grouping::clock_timer)) {
    touch(due.key, clocks_.watermark);
    group_window& at = *keys_[due.key].find(due.in);
    at.clock_timer.reset();
    look(due.key, at);
  }
  touched_.clear();
  drop_stale_timers(clock_timers_, &grouping::clock_timer);
}

timestamp grouping::next_clock_timer() const {
  return clock_timers_.empty() ? timestamp::max() : clock_timers_.begin()->first;
}

void grouping::look_at_touched(key_id id) {
  for (group_window& at : keys_[id].windows) {
    if (!at.touched) continue;
    at.touched = false;
    look(id, at);
  }
}

void grouping::look(key_id id, group_window& at) {
  if (at.closed) return;
  if (at.trigger.ready(program_, facts_of(at))) fire(keys_[id], at);
  if (!at.closed) wait_for_clock(id, at);
}

void grouping::fire(const group_key& key, group_window& at) {
  at.trigger.on_fire(program_, facts_of(at));
  const bool last = at.trigger.finished();
  give_pane(key, at, last);
  if (last) close(at);
  else if (strategy_.keep == panes::discarding) buffers_.clear(at.buffer);
}

void grouping::give_pane(const group_key& key, group_window& at, bool last) {
  const timestamp end = at.in.max_timestamp();
  const timestamp held = std::min({at.element_hold.value_or(end), at.expiry_hold.value_or(end), end});
  clear_holds(at);
  if (!last && strategy_.closing == fires::always) set_expiry_hold(at);

  const pane_info pane = at.panes.next({.window_max = end,
                                        .input_watermark = clocks_.watermark,
                                        .output_watermark = key.output_watermark,
                                        .last = last});
  const bool empty = !at.fresh;
  at.fresh = false;
  const bool wanted = !empty || (pane.timing == pane_timing::on_time && strategy_.on_time == fires::always)
                      || (last && strategy_.closing == fires::always);
  if (!wanted) return;
  at.panes.record(pane);
  buffers_.emit({.key = key.key, .buffer = at.buffer, .at = {.time = held, .in = at.in, .pane = pane}, .empty = empty});
}

void grouping::close(group_window& at) {
  buffers_.release(at.buffer);
  at.has_buffer = false;
  clear_holds(at);
  at.clock_timer.reset();
  at.closed = true;
}

void grouping::expire(key_id id, group_window& at) {
  group_key& key = keys_[id];
  if (!at.closed) {
    give_pane(key, at, true);
    close(at);
  }
  key.windows.erase(key.windows.begin() + (&at - key.windows.data()));
}

std::vector<grouping::due_window> grouping::take_due(timer_buckets& from, timestamp now, timer_of waits_for) {
  std::vector<due_window> due;
  for (auto bucket = from.begin(); bucket != from.end() && bucket->first < now; bucket = from.erase(bucket)) {
    for (const timer_entry& entry : bucket->second) {
      const group_window* at = keys_[entry.key].find(entry.in);
      if (at != nullptr && (this->*waits_for)(*at) == bucket->first)
        due.push_back({bucket->first, entry.key, entry.in});
    }
  }
  const auto order = [this](const due_window& d) { return std::tuple{d.at, std::string_view{keys_[d.key].key}, d.in}; };
  std::ranges::sort(due, {}, order);
  const auto same = std::ranges::unique(due, {}, order);
  due.erase(same.begin(), same.end());
  return due;
}

void grouping::drop_stale_timers(timer_buckets& from, timer_of waits_for) {
  while (!from.empty()) {
    auto& [time, entries] = *from.begin();
    const auto stale = [&, at_time = time](const timer_entry& entry) {
      const group_window* at = keys_[entry.key].find(entry.in);
      return at == nullptr || (this->*waits_for)(*at) != at_time;
    };
    while (!entries.empty() && stale(entries.back())) entries.pop_back();
    if (!entries.empty()) return;
    from.erase(from.begin());
  }
}

std::optional<timestamp> grouping::event_timer(const group_window& at) const {
  return at.past_end ? strategy_.expiry(at.in) : at.in.max_timestamp();
}

void grouping::wait_for_watermark(key_id id, const group_window& at) {
  event_timers_[*event_timer(at)].push_back({id, at.in});
}

void grouping::wait_for_clock(key_id id, group_window& at) {
  const std::optional<timestamp> next = at.trigger.next_clock(program_, facts_of(at));
  if (next == at.clock_timer) return;
  at.clock_timer = next;
  if (next) clock_timers_[*next].push_back({id, at.in});
}

void grouping::hold_element(const group_key& key, group_window& at, timestamp t) {
  const timestamp end = at.in.max_timestamp();
  const timestamp shifted = strategy_.timestamps == timestamp_combiner::end_of_window ? end : t;
  if (shifted < key.output_watermark || end < clocks_.watermark) return set_expiry_hold(at);
  if (!at.element_hold) return set_element_hold(at, shifted);
  if (strategy_.timestamps == timestamp_combiner::earliest) set_element_hold(at, std::min(*at.element_hold, shifted));
  else set_element_hold(at, std::max(*at.element_hold, shifted));
}

void grouping::set_element_hold(group_window& at, timestamp t) {
  if (at.element_hold == t) return;
  if (at.element_hold) holds_.remove(*at.element_hold);
  at.element_hold = t;
  holds_.add(t);
}

void grouping::set_expiry_hold(group_window& at) {
  const timestamp t = std::min(strategy_.expiry(at.in), timestamp::max() - duration{1});
  if (at.expiry_hold || t < clocks_.watermark) return;
  at.expiry_hold = t;
  holds_.add(t);
}

void grouping::clear_holds(group_window& at) {
  if (at.element_hold) holds_.remove(*at.element_hold);
  if (at.expiry_hold) holds_.remove(*at.expiry_hold);
  at.element_hold.reset();
  at.expiry_hold.reset();
}

}  // namespace millrace
