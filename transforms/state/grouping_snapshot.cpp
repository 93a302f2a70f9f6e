// The part of grouping that writes its state down and restores it.
#include <millrace/transforms/coders/scalar.hpp>
#include <millrace/transforms/coders/text.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/grouping.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

namespace {

constexpr std::uint8_t fresh_flag = 1;
constexpr std::uint8_t closed_flag = 2;
constexpr std::uint8_t past_end_flag = 4;
constexpr std::uint8_t buffer_flag = 8;
constexpr std::uint8_t element_hold_flag = 16;
constexpr std::uint8_t expiry_hold_flag = 32;
constexpr std::uint8_t clock_timer_flag = 64;

std::uint8_t flag_if(bool set, std::uint8_t flag) {
  return set ? flag : std::uint8_t{0};
}

std::uint8_t flags_of(const group_window& w) {
  return static_cast<std::uint8_t>(
      flag_if(w.fresh, fresh_flag) | flag_if(w.closed, closed_flag) | flag_if(w.past_end, past_end_flag)
      | flag_if(w.has_buffer, buffer_flag) | flag_if(w.element_hold.has_value(), element_hold_flag)
      | flag_if(w.expiry_hold.has_value(), expiry_hold_flag) | flag_if(w.clock_timer.has_value(), clock_timer_flag));
}

}  // namespace

void grouping::encode(writer& out) const {
  coder<timestamp>::encode(out, clocks_.watermark);
  out.varint(dropped_.late);
  out.varint(dropped_.closed_window);
  coder<std::string>::encode(out, strategy_.fire.describe());
  out.varint(program_.words());
  out.varint(program_.slots());
  encode_keys(out, [](std::string_view) { return true; });
}

void grouping::decode(reader& in) {
  check(empty(), "a grouping is restored before it has state");
  clocks_.watermark = coder<timestamp>::decode(in);
  dropped_.late = in.varint();
  dropped_.closed_window = in.varint();
  trigger_shape triggers;
  triggers.same = coder<std::string>::decode(in) == strategy_.fire.describe();
  triggers.words = in.varint();
  triggers.slots = in.varint();
  decode_keys(in, triggers);
}

void grouping::encode_keys(writer& out, const key_filter& which) const {
  check(!in_bundle_, "a snapshot is taken between bundles");
  std::vector<const group_key*> chosen;
  for (const auto& [key, id] : ids_)
    if (which(key)) chosen.push_back(&keys_[id]);
  std::ranges::sort(chosen, {}, [](const group_key* k) { return std::string_view{k->key}; });
  out.varint(chosen.size());
  for (const group_key* key : chosen) {
    out.varint(key->key.size());
    out.put(std::string_view{key->key});
    out.varint(key->windows.size());
    for (const group_window& w : key->windows) encode_window(w, out);
  }
}

void grouping::decode_keys(reader& in) {
  decode_keys(in, {});
}

void grouping::decode_keys(reader& in, const trigger_shape& triggers) {
  check(!in_bundle_, "a snapshot is restored between bundles");
  for (std::size_t keys = in.count(2); keys > 0; --keys) decode_key(in, triggers);
}

void grouping::decode_key(reader& in, const trigger_shape& triggers) {
  const std::string_view key = in.take(in.count());
  if (ids_.contains(key)) in.fail("a key that is restored has state already");
  const key_id id = new_key(key);
  for (std::size_t windows = in.count(20); windows > 0; --windows) {
    group_window decoded = decode_window(in, triggers);
    if (keys_[id].find(decoded.in) != nullptr) in.fail("a key has the same window twice");
    group_window& at = restored(id, std::move(decoded));
    if (triggers.same) continue;
    if (at.closed) {
      at.trigger = trigger_state{program_};
      continue;
    }
    at.trigger.take_over(program_, at.fresh, at.past_end, facts_of(at));
    wait_for_clock(id, at);
  }
  if (keys_[id].windows.empty()) in.fail("a key without windows has no state");
}

// The hold of an expiry that has moved moves too.
group_window& grouping::restored(key_id id, group_window window) {
  group_window& at = keys_[id].insert(std::move(window));
  if (at.element_hold) holds_.add(*at.element_hold);
  if (at.expiry_hold) {
    at.expiry_hold.reset();
    set_expiry_hold(at);
  }
  wait_for_watermark(id, at);
  if (at.clock_timer) clock_timers_[*at.clock_timer].push_back({id, at.in});
  return at;
}

bool grouping::take_over(std::string_view key, const taken_window& from) {
  const key_id id = key_of(key);
  if (keys_[id].find(from.in) != nullptr) return false;
  group_window made = new_window(from.in);
  made.panes = from.panes;
  made.buffer = from.buffer;
  made.has_buffer = true;
  made.fresh = from.fresh;
  made.past_end = from.past_end;
  if (from.fresh && !from.past_end) made.element_hold = from.in.max_timestamp();
  group_window& at = restored(id, std::move(made));
  const bool may_come = from.fresh ? from.past_end : from.panes != pane_tracker{} && strategy_.closing == fires::always;
  if (may_come) set_expiry_hold(at);
  at.trigger.take_over(program_, at.fresh, at.past_end, facts_of(at));
  wait_for_clock(id, at);
  return true;
}

void grouping::encode_window(const group_window& at, writer& out) const {
  coder<window>::encode(out, at.in);
  out.fixed(flags_of(at));
  at.panes.encode(out);
  at.trigger.encode(out);
  for (const std::optional<timestamp>& time : {at.element_hold, at.expiry_hold, at.clock_timer})
    if (time) coder<timestamp>::encode(out, *time);
  if (at.has_buffer) buffers_.encode(at.buffer, out);
}

group_window grouping::decode_window(reader& in, const trigger_shape& triggers) {
  group_window at;
  at.in = coder<window>::decode(in);
  const auto flags = in.fixed<std::uint8_t>();
  if (flags > 127) in.fail("the flags of a window are malformed");
  const bool open = (flags & closed_flag) == 0;
  if (open != ((flags & buffer_flag) != 0)) in.fail("a window has a buffer if and only if it is open");
  at.fresh = (flags & fresh_flag) != 0;
  at.closed = !open;
  at.past_end = (flags & past_end_flag) != 0;
  at.panes = pane_tracker::decode(in);
  if (triggers.same) at.trigger = trigger_state::decode(program_, in);
  else trigger_state::skip(in, triggers.words, triggers.slots);
  if ((flags & element_hold_flag) != 0) at.element_hold = coder<timestamp>::decode(in);
  if ((flags & expiry_hold_flag) != 0) at.expiry_hold = coder<timestamp>::decode(in);
  if ((flags & clock_timer_flag) != 0) at.clock_timer = coder<timestamp>::decode(in);
  if (!triggers.same) at.clock_timer.reset();
  if (open) {
    at.buffer = buffers_.decode(in);
    at.has_buffer = true;
  }
  return at;
}

void grouping::erase_keys(const key_filter& which) {
  check(!in_bundle_, "keys are forgotten between bundles");
  std::vector<key_id> chosen;
  for (const auto& [key, id] : ids_)
    if (which(key)) chosen.push_back(id);
  std::ranges::sort(chosen);
  for (const key_id id : chosen) {
    for (group_window& w : keys_[id].windows)
      if (!w.closed) close(w);
    erase_key(id);
  }
  drop_stale_timers(clock_timers_, &grouping::clock_timer);
}

}  // namespace millrace
