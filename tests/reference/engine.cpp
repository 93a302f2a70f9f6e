#include "engine.hpp"

#include "strategy.hpp"
#include "windows.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace reference {

namespace {

// All entries of a side input together make a view; without a side input there is none.
std::vector<step> view_steps(const program& in) {
  return in.side.empty() ? std::vector<step>{} : std::vector<step>{step{}};
}

void check_readers(const program& in, const window_function& side) {
  strategy here;
  for (const step& each : in.steps) {
    here = after_settings(here, each);
    if (reads_side_input(each.what.kind)) {
      if (in.side.empty()) throw refusal("a step reads a side input that is not there");
      if (here.windows.kind == window_kind::global && side.kind != window_kind::global)
        throw refusal("the main input is in the global window and the side input is not");
    }
    here = after_transform(here, each.what);
  }
}

void check_side_windows(const strategy& side) {
  if (side.windows.kind == window_kind::sessions) {
    throw refusal(
        "session windows cannot be those of a side input: none of them belongs to a window of the main input");
  }
}

std::vector<bundle> from_source(const std::vector<element>& elements) {
  bundle all;
  for (const element& one : elements) all.push_back({one.key, global_window, one.value, one.time, pane{}});
  return {all};
}

}  // namespace

engine::engine(const program& what)
    : main_(what.steps, {}, what), side_(what.side, {}, what),
      entries_(view_steps(what), side_.result_windowing(), what), view_(side_.result_windowing()) {
  check_readers(what, side_.result_windowing().windows);
  check_side_windows(side_.result_windowing());
}

report engine::apply(const event& what) {
  report seen;
  if (state_ == job_state::running) {
    const engine before = *this;
    try {
      for (const bundle& together : run(what)) {
        seen.outputs.insert(seen.outputs.end(), together.begin(), together.end());
      }
    } catch (const failure& error) {
      *this = before;
      state_ = job_state::failed;
      error_ = error.what();
    }
  }
  report after = look();
  after.outputs = std::move(seen.outputs);
  return after;
}

std::vector<bundle> engine::run(const event& what) {
  switch (what.kind) {
  case event_kind::elements:
    return move_main(from_source(what.elements), false);
  case event_kind::watermark:
    watermark_ = std::max(watermark_, what.time.value());
    return move_main({}, false);
  case event_kind::clock:
    clock_ = what.time.value();
    move_side({}, false);
    return move_main({}, false);
  case event_kind::side_elements:
    move_side(from_source(what.elements), false);
    return move_main({}, false);
  case event_kind::side_watermark:
    side_watermark_ = std::max(side_watermark_, what.time.value());
    move_side({}, false);
    return move_main({}, false);
  case event_kind::drain: {
    watermark_ = side_watermark_ = max_time;
    move_side({}, true);
    auto last = move_main({}, true);
    state_ = job_state::drained;
    return last;
  }
  case event_kind::cancel:
    state_ = job_state::cancelled;
    return {};
  case event_kind::checkpoint:
  case event_kind::crash:
    break;
  }
  throw std::logic_error("only a job can take a checkpoint or crash");
}

std::vector<bundle> engine::move_main(std::vector<bundle> bundles, bool draining) {
  return main_.run({std::move(bundles), watermark_, clock_, draining, &view_});
}

void engine::move_side(std::vector<bundle> bundles, bool draining) {
  auto results = side_.run({std::move(bundles), side_watermark_, clock_, draining, nullptr});
  for (bundle& together : results) {
    for (output& one : together) one.value = entry_of(std::exchange(one.key, "k"), one.value);
  }
  const auto panes = entries_.run({std::move(results), side_.held(), clock_, draining, nullptr});
  view_.take(panes, entries_.held());
}

report engine::look() const {
  report seen;
  seen.held = main_.held();
  seen.dropped = main_.dropped();
  for (const drops& one : side_.dropped()) seen.dropped.push_back(one);
  for (const drops& one : entries_.dropped()) seen.dropped.push_back(one);
  seen.state_left = main_.keeps_state() || side_.keeps_state() || entries_.keeps_state();
  seen.state = state_;
  seen.error = error_;
  return seen;
}

job::job(const program& what) : now_(what), saved_(now_) {}

report job::apply(const event& what) {
  if (what.kind == event_kind::crash) return recover(what);
  if (what.kind != event_kind::checkpoint) return apply_and_note(what);
  saved_ = now_;
  since_.clear();
  return now_.look();
}

report job::recover(const event& crash) {
  now_ = saved_;
  for (const past_event& past : since_) {
    if (now_.apply(past.what).outputs != past.outputs) throw std::logic_error("a replay must repeat what happened");
  }
  if (!crash.time) return now_.look();
  return apply_and_note({event_kind::clock, {}, crash.time});
}

report job::apply_and_note(const event& what) {
  report seen = now_.apply(what);
  since_.push_back({what, seen.outputs});
  return seen;
}

}  // namespace reference
