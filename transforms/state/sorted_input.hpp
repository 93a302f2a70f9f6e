#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/state/cell_timers.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace millrace {

// The elements of a stateful function that asks for them in the order of event time. Each key and window with elements
// waits, by one bundle_timer, until the watermark is above the time of the first plus the allowed lateness; then all
// come out before which none can come any more: those up to the watermark less the lateness, since elements of the very
// time may come behind each other. What waits holds the output watermark at its time. Owned by the function's operator.
template <class Value>
class sorted_input {
 public:
  struct element {
    Value value;
    pane_info pane;
  };
  using elements = std::multimap<timestamp, element>;

  // Timers that take_due() makes bear this cell.
  sorted_input(const windowing_strategy& strategy, const stage_clock& clock, std::uint32_t cell)
      : strategy_(strategy), clock_(clock), cell_(cell) {}

  // Whether an element comes too late to be put in order.
  [[nodiscard]] bool late(timestamp time, const window& in) const { return due(time, in) < clock_.input_watermark; }
  // Puts an element aside, behind those of its time.
  void add(const window& in, const std::string& key, timestamp time, element e) {
    elements& waiting = windows_[in][key];
    const bool first = waiting.empty() || time < waiting.begin()->first;
    if (first && !waiting.empty()) timers_.remove(time_domain::event, timer(in, key, waiting));
    bytes_ += bytes_of(e);
    waiting.emplace(time, std::move(e));
    if (first) wait(in, key, waiting);
  }

  // Appends a timer for each key and window with elements that are due, where `allowed(window)`.
  template <class Allowed>
  void take_due(bundle& to, Allowed&& allowed) {
    timers_.take_due(time_domain::event, clock_.input_watermark, to, allowed);
  }
  // The elements for whose sake a timer was made and those behind them that can come out too, in order; they are
  // forgotten here. None if the timer has been overtaken by an earlier element.
  [[nodiscard]] elements take(const bundle_timer& of) {
    elements taken;
    const auto in = windows_.find(of.in);
    if (in == windows_.end()) return taken;
    const auto at = in->second.find(of.key);
    if (at == in->second.end() || due(at->second.begin()->first, of.in) != of.fires
        || at->second.begin()->first != of.output)
      return taken;
    elements& waiting = at->second;
    timers_.remove(time_domain::event, timer(of.in, of.key, waiting));
    while (!waiting.empty() && in_order(waiting.begin()->first, of.in)) {
      bytes_ -= bytes_of(waiting.begin()->second);
      taken.insert(taken.end(), waiting.extract(waiting.begin()));
    }
    if (!waiting.empty()) {
      wait(of.in, of.key, waiting);
    } else {
      in->second.erase(at);
      if (in->second.empty()) windows_.erase(in);
    }
    return taken;
  }
  // A timer that was handed out in a bundle is not fired in that bundle.
  void hand_back(const bundle_timer& of) { timers_.hand_back(time_domain::event, {of.fires, of.key, of.in, of.cell}); }

  // Whether elements of a window wait.
  [[nodiscard]] bool has(const window& in) const { return windows_.contains(in); }
  // The end of the first window of which elements wait, or max().
  [[nodiscard]] timestamp least_end() const {
    timestamp least = timestamp::max();
    for (const auto& [in, keys] : windows_) least = std::min(least, in.max_timestamp());
    return least;
  }
  [[nodiscard]] timestamp hold() const { return timers_.hold(); }
  // About how many bytes of elements wait.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  void encode(writer& to) const {
    to.varint(windows_.size());
    for (const auto& [in, keys] : windows_) {
      coder<window>::encode(to, in);
      to.varint(keys.size());
      for (const auto& [key, waiting] : keys) {
        coder<std::string>::encode(to, key);
        to.varint(waiting.size());
        for (const auto& [time, e] : waiting) encode(to, time, e);
      }
    }
  }
  // Restores what encode wrote into an empty one.
  void decode(reader& from) {
    for (std::size_t windows = from.count(3); windows > 0; --windows) {
      const window in = coder<window>::decode(from);
      auto& keys = windows_[in];
      for (std::size_t n = from.count(2); n > 0; --n) decode_key(from, in, keys);
      if (keys.empty()) from.fail("a window without keys keeps no elements");
    }
  }

 private:
  using keys_map = std::map<std::string, elements>;

  // The last instant of the watermark at which an earlier element would still be taken.
  [[nodiscard]] timestamp due(timestamp time, const window& in) const {
    return std::min(time + strategy_.allowed_lateness, strategy_.expiry(in));
  }
  // Whether no element of an earlier time is taken any more.
  [[nodiscard]] bool in_order(timestamp time, const window& in) const {
    return time + strategy_.allowed_lateness <= clock_.input_watermark || late(time, in);
  }
  [[nodiscard]] timer_id timer(const window& in, const std::string& key, const elements& waiting) const {
    return {due(waiting.begin()->first, in), key, in, cell_};
  }
  void wait(const window& in, const std::string& key, const elements& waiting) {
    timers_.add(time_domain::event, timer(in, key, waiting), waiting.begin()->first);
  }

  std::size_t bytes_of(const element& e) {
    scratch_.clear();
    coder<Value>::encode(scratch_, e.value);
    return sizeof e + scratch_.bytes().size();
  }
  static void encode(writer& to, timestamp time, const element& e) {
    coder<timestamp>::encode(to, time);
    coder<Value>::encode(to, e.value);
    coder<pane_info>::encode(to, e.pane);
  }
  void decode_key(reader& from, const window& in, keys_map& to) {
    const std::string key = coder<std::string>::decode(from);
    elements& waiting = to[key];
    if (!waiting.empty()) from.fail("a key has elements of one window twice");
    for (std::size_t n = from.count(3); n > 0; --n) {
      const timestamp time = coder<timestamp>::decode(from);
      Value value = coder<Value>::decode(from);
      element e{std::move(value), coder<pane_info>::decode(from)};
      bytes_ += bytes_of(e);
      waiting.emplace(time, std::move(e));
    }
    if (waiting.empty()) from.fail("a key without elements keeps none");
    wait(in, key, waiting);
  }

  windowing_strategy strategy_;
  const stage_clock& clock_;
  std::uint32_t cell_;
  std::map<window, keys_map> windows_;
  std::size_t bytes_ = 0;
  writer scratch_;
  cell_timers timers_;  // one for each key and window, for its first element
};

}  // namespace millrace
