#include "stateful.hpp"

#include "windows.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace reference {

namespace {

constexpr int rounds_max = 1'000'000;

}  // namespace

stateful::stateful(const strategy& windowing, const transform& what) : lateness_(windowing.lateness), program_(what) {}

std::vector<bundle> stateful::accept(const bundle& elements, const moment& now) {
  std::vector<bundle> out;
  for (const auto& [key, of_key] : by_key(elements)) {
    bundle here;
    for (const output& element : of_key) take(element, now, here);
    run_due(key, now, here);
    tidy(key, now);
    pass_on(out, std::move(here));
  }
  return out;
}

void stateful::take(const output& element, const moment& now, bundle& out) {
  const bool expired = expiry(element.in) < now.watermark;
  if (expired || (program_.wants_time_order() && element.time + lateness_ < now.watermark)) {
    ++dropped_.late;
    return;
  }
  cell& state = cells_[element.key][element.in];
  if (program_.wants_time_order()) {
    const auto later = std::find_if(state.elements.begin(), state.elements.end(),
                                    [&](const output& one) { return one.time > element.time; });
    state.elements.insert(later, element);
    return;
  }
  call here{element.key, element.in, now, expiry(element.in), element.time, state, out};
  program_.on_element(here, element);
}

std::vector<bundle> stateful::advance(const moment& now) {
  std::vector<std::string> keys;
  for (const auto& [key, windows] : cells_) keys.push_back(key);
  std::vector<bundle> out;
  for (const std::string& key : keys) {
    bundle here;
    run_due(key, now, here);
    tidy(key, now);
    pass_on(out, std::move(here));
  }
  return out;
}

// Each callback may set or clear timers, so that what is due is found anew after each.
void stateful::run_due(const std::string& key, const moment& now, bundle& out) {
  windows_of_key& windows = cells_[key];
  int rounds = 0;
  while (const std::optional<due> next = next_due(windows, now)) {
    if (++rounds > rounds_max) throw std::logic_error("the timers of a key set each other without end");
    call here{key, next->in, now, expiry(next->in), next->at, windows.at(next->in), out};
    run(*next, here, windows);
  }
}

std::optional<stateful::due> stateful::next_due(const windows_of_key& windows, const moment& now) const {
  std::vector<due> all;
  for (const auto& [in, state] : windows) collect_due(all, in, state, now);
  if (all.empty()) return std::nullopt;
  return *std::min_element(all.begin(), all.end(), [](const due& a, const due& b) {
    const bool a_clock = a.kind == due_kind::clock_timer;
    const bool b_clock = b.kind == due_kind::clock_timer;
    return std::tie(a_clock, a.at, a.kind, a.in, a.name) < std::tie(b_clock, b.at, b.kind, b.in, b.name);
  });
}

void stateful::collect_due(std::vector<due>& all, const window& in, const cell& state, const moment& now) const {
  for (const auto& [name, one] : state.event_timers) {
    if (one.at < now.watermark) all.push_back({due_kind::event_timer, one.at, in, name});
  }
  for (const auto& [name, one] : state.clock_timers) {
    const bool live = now.watermark <= expiry(in);
    if (live && one.at < now.clock) all.push_back({due_kind::clock_timer, one.at, in, name});
  }
  if (program_.wants_time_order()) {
    for (const output& one : state.elements) {
      if (std::min(one.time + lateness_, expiry(in)) < now.watermark)
        all.push_back({due_kind::flush, one.time, in, {}});
    }
  }
  if (expiry(in) + 1 < now.watermark) all.push_back({due_kind::expiration, expiry(in) + 1, in, {}});
}

void stateful::run(const due& what, call& here, windows_of_key& windows) const {
  if (what.kind == due_kind::flush) return flush(here);
  if (what.kind == due_kind::expiration) {
    here.time = max_of(what.in);
    program_.on_expiration(here);
    windows.erase(what.in);
    return;
  }
  auto& timers = what.kind == due_kind::event_timer ? here.state.event_timers : here.state.clock_timers;
  const timer fired = timers.at(what.name);
  timers.erase(what.name);
  if (here.now.draining && here.now.watermark == max_time) {
    here.drained = what.name;
    here.last = fired.of_drain;
  }
  here.time = fired.output.value_or(fired.at);
  program_.on_timer(here, what.name, fired);
}

// Passes on the elements before which no other can come any more, all of them at the end of their window's state; they
// wait in the order of time.
void stateful::flush(call& here) const {
  std::vector<output>& waiting = here.state.elements;
  const auto later = std::find_if(waiting.begin(), waiting.end(), [&](const output& one) {
    return std::min(one.time + lateness_, here.expiry) > here.now.watermark;
  });
  here.out.insert(here.out.end(), waiting.begin(), later);
  waiting.erase(waiting.begin(), later);
}

// Drops the clock timers of expired windows, and what is empty.
void stateful::tidy(const std::string& key, const moment& now) {
  windows_of_key& windows = cells_[key];
  for (auto& [in, state] : windows) {
    if (expiry(in) < now.watermark) state.clock_timers.clear();
  }
  if (!program_.has_expiration()) std::erase_if(windows, [](const auto& one) { return one.second.is_empty(); });
  if (windows.empty()) cells_.erase(key);
}

instant stateful::hold() const {
  instant least = max_time;
  for (const auto& [key, windows] : cells_) {
    for (const auto& [in, state] : windows) least = std::min(least, hold_of(in, state));
  }
  return least;
}

instant stateful::hold_of(const window& in, const cell& state) const {
  instant least = program_.has_expiration() ? max_of(in) : max_time;
  least = std::min(least, state.batch_hold.value_or(max_time));
  for (const auto& [name, one] : state.event_timers) least = std::min(least, one.output.value_or(max_time));
  for (const auto& [name, one] : state.clock_timers) least = std::min(least, one.output.value_or(max_time));
  if (program_.wants_time_order()) {
    for (const output& one : state.elements) least = std::min(least, one.time);
  }
  return least;
}

instant stateful::expiry(const window& in) const {
  return expiry_of(in, lateness_);
}

}  // namespace reference
