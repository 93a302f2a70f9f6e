#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/grouping.hpp>
#include <millrace/transforms/windows/merging.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

grouping::grouping(windowing_strategy strategy, group_buffers& buffers, grouping_clocks start)
    : strategy_(std::move(strategy)), buffers_(buffers), clocks_(start), program_(strategy_.fire, strategy_.merges()),
      merges_(strategy_.merges()) {}

grouping::~grouping() = default;

timestamp grouping::output_watermark() const {
  return std::min(clocks_.watermark, holds_.least());
}

grouping::key_id grouping::key_of(std::string_view key) {
  const auto found = ids_.find(key);
  return found != ids_.end() ? found->second : new_key(key);
}

grouping::key_id grouping::new_key(std::string_view key) {
  key_id id = 0;
  if (free_.empty()) {
    id = static_cast<key_id>(keys_.size());
    keys_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  keys_[id].key = std::string(key);
  ids_.emplace(keys_[id].key, id);
  return id;
}

void grouping::erase_key(key_id id) {
  ids_.erase(keys_[id].key);
  keys_[id] = group_key{};
  free_.push_back(id);
}

void grouping::erase_if_idle(key_id id) {
  if (keys_[id].windows.empty() && keys_[id].pending.empty()) erase_key(id);
}

void grouping::touch(key_id id, timestamp watermark_before) {
  group_key& key = keys_[id];
  if (key.event == event_) return;
  key.event = event_;
  key.output_watermark = std::min(watermark_before, key.hold());
  touched_.push_back(id);
}

void grouping::begin_bundle() {
  check(!in_bundle_, "a bundle is opened after the one before it was closed");
  in_bundle_ = true;
  ++event_;
  touched_.clear();
}

void grouping::add(std::string_view key, const window_set& windows, timestamp at, std::uint32_t row) {
  check(in_bundle_, "an element comes inside a bundle");
  for (const window& in : windows) {
    if (strategy_.expiry(in) < clocks_.watermark) {
      ++dropped_.late;
      last_late_ = in;
      continue;
    }
    const key_id id = key_of(key);
    touch(id, clocks_.watermark);
    const pending_element element{in, at, row};
    if (merges_) keys_[id].pending.push_back(element);
    else add_to(id, in, element);
  }
}

void grouping::end_bundle() {
  check(in_bundle_, "a bundle is closed after it was opened");
  in_bundle_ = false;
  for (const key_id id : touched_) {
    if (merges_) add_pending(id);
    look_at_touched(id);
    erase_if_idle(id);
  }
  touched_.clear();
  drop_stale_timers(clock_timers_, &grouping::clock_timer);
}

group_window grouping::new_window(const window& in) const {
  group_window made;
  made.in = in;
  made.trigger = trigger_state{program_};
  made.past_end = clocks_.watermark > in.max_timestamp();
  return made;
}

group_window& grouping::window_of(key_id id, const window& in) {
  if (group_window* found = keys_[id].find(in)) return *found;
  group_window& made = keys_[id].insert(new_window(in));
  wait_for_watermark(id, made);
  return made;
}

void grouping::add_to(key_id id, const window& in, const pending_element& e) {
  group_window& to = window_of(id, in);
  if (to.closed) {
    ++dropped_.closed_window;
    last_closed_ = in;
    return;
  }
  if (!to.has_buffer) {
    to.buffer = buffers_.create();
    to.has_buffer = true;
  }
  to.fresh = true;
  to.touched = true;
  hold_element(keys_[id], to, e.at);
  buffers_.add(to.buffer, e.row);
  to.trigger.on_element(program_, facts_of(to));
}

void grouping::add_pending(key_id id) {
  group_key& key = keys_[id];
  const std::vector<pending_element> pending = std::exchange(key.pending, {});
  std::vector<window> all;
  for (const pending_element& e : pending) all.push_back(e.in);
  for (const group_window& w : key.windows)
    if (!w.closed) all.push_back(w.in);
  const window_merging merges(strategy_.into, all);
  std::set<window> joined;  // what elements' own windows have become part of
  for (const pending_element& e : pending)
    if (const window& result = merges.target(e.in); result != e.in) joined.insert(result);
  for (const window& result : merges.results()) merge(id, result, merges, joined.contains(result));
  for (const pending_element& e : pending) add_to(id, merges.target(e.in), e);
}

// Where the result is a window whose trigger has finished, what merges into it is dropped, and the windows that are
// alive stay as they are. One that elements' own windows have `joined` without making it grow keeps all but the state
// of its trigger, which merges as ever.
void grouping::merge(key_id id, const window& result, const window_merging& merges, bool joined) {
  group_key& key = keys_[id];
  const auto takes_part = [&](const group_window& w) { return !w.closed && merges.target(w.in) == result; };
  const auto parts = std::ranges::count_if(key.windows, takes_part);
  group_window* same = key.find(result);
  if (parts == 0 || (same && same->closed)) return;
  if (same && parts == 1) {
    if (!joined) return;
    const trigger_state before = same->trigger;
    const std::array states{&before};
    same->trigger.on_merge(program_, states, &before, facts_of(*same));
    return wait_for_clock(id, *same);
  }

  std::vector<group_window> merging;
  for (group_window& w : key.windows)
    if (takes_part(w)) merging.push_back(std::move(w));
  std::erase_if(key.windows, takes_part);
  group_window& merged = key.insert(merged_window(result, merging));
  wait_for_watermark(id, merged);
  wait_for_clock(id, merged);
}

group_window grouping::merged_window(const window& result, std::vector<group_window>& merging) {
  group_window merged = new_window(result);
  std::vector<const trigger_state*> states;
  const trigger_state* survivor = nullptr;
  for (group_window& from : merging) {
    states.push_back(&from.trigger);
    merged.fresh = merged.fresh || from.fresh;
    merged.touched = merged.touched || from.touched;
    if (from.in == result) {
      survivor = &from.trigger;
      merged.panes = from.panes;
    }
    if (from.has_buffer && merged.has_buffer) {
      buffers_.merge(merged.buffer, from.buffer);
      buffers_.release(from.buffer);
    } else if (from.has_buffer) {
      merged.buffer = from.buffer;
      merged.has_buffer = true;
    }
  }
  merged.trigger.on_merge(program_, states, survivor, facts_of(merged));
  merge_holds(merged, merging);
  return merged;
}

void grouping::merge_holds(group_window& merged, std::vector<group_window>& merging) {
  std::optional<timestamp> hold;
  for (group_window& from : merging) {
    if (from.element_hold && hold)
      hold = strategy_.timestamps == timestamp_combiner::earliest ? std::min(*hold, *from.element_hold)
                                                                  : std::max(*hold, *from.element_hold);
    else if (from.element_hold) hold = from.element_hold;
    clear_holds(from);
  }
  const timestamp end = merged.in.max_timestamp();
  if (strategy_.timestamps == timestamp_combiner::end_of_window)
    hold = clocks_.watermark <= end ? std::optional{end} : std::nullopt;
  if (hold) set_element_hold(merged, *hold);
  set_expiry_hold(merged);
}

}  // namespace millrace
