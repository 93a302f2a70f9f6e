#include <millrace/tests/properties/draw_case.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace millrace::properties {

namespace {

using reference::element;
using reference::event;
using reference::event_kind;
using reference::instant;
using reference::transform_kind;

// Draws what happens to a pipeline, one event after the other.
class event_drawing {
 public:
  event_drawing(draws& from, const reference::program& of)
      : from_(from), commands_(of.steps[0].what.kind == transform_kind::timers),
        repeated_(of.steps[0].what.kind == transform_kind::distinct), side_(!of.side.empty()),
        unique_(of.steps[0].what.kind == transform_kind::side_map && !of.side[0].rekey), keys_(from.number(1, 4)) {}

  std::vector<event> all() {
    if (from_.chance(60)) move_watermark();
    for (std::int64_t i = from_.number(8, 18); i > 0; --i) add();
    const std::int64_t end = from_.number(0, 99);
    if (end < 35) events_.push_back({event_kind::watermark, {}, reference::max_time});
    else if (end < 60 && !commands_) events_.push_back({event_kind::drain, {}, {}});
    else if (end < 63) events_.push_back({event_kind::cancel, {}, {}});
    if (side_ && end < 35) events_.push_back({event_kind::side_watermark, {}, reference::max_time});
    return std::move(events_);
  }

 private:
  void add() {
    if (side_ && from_.chance(45)) return from_.chance(60) ? add_side_elements() : move_side_watermark();
    const std::int64_t kind = from_.number(0, 99);
    if (kind < 52) return add_elements();
    if (kind < 74) return move_watermark();
    if (kind < 86) return move_clock();
    if (kind < 92) return add_checkpoint();
    if (kind < 98) return events_.push_back({event_kind::crash, {}, {}});
    // A crash after which the clock is ahead.
    add_checkpoint();
    events_.push_back({event_kind::crash, {}, clock_ += from_.number(0, 30)});
    add_checkpoint();
  }

  void add_checkpoint() { events_.push_back({event_kind::checkpoint, {}, {}}); }
  void move_watermark() {
    watermark_ += from_.chance(12) ? from_.number(20, 70) : from_.number(-2, 12);
    events_.push_back({event_kind::watermark, {}, watermark_});
  }
  void move_clock() {
    clock_ += from_.number(1, 15);
    events_.push_back({event_kind::clock, {}, clock_});
  }

  void add_elements() {
    event made;
    for (std::int64_t i = from_.chance(40) ? 1 : from_.number(1, 6); i > 0; --i) {
      element one;
      const std::int64_t key = from_.number(0, keys_ - 1);
      one.key = key == 0 ? "k" : "k" + std::to_string(key);
      if (from_.chance(5)) one.key = "rare" + std::to_string(next_value_);
      one.time = watermark_ + (from_.chance(30) ? from_.number(-30, 5) : from_.number(-4, 25));
      one.value = draw_value(one.time);
      made.elements.push_back(std::move(one));
    }
    events_.push_back(std::move(made));
  }

  void move_side_watermark() {
    side_watermark_ += from_.chance(12) ? from_.number(20, 70) : from_.number(-2, 12);
    events_.push_back({event_kind::side_watermark, {}, side_watermark_});
  }
  void add_side_elements() {
    event made{event_kind::side_elements, {}, {}};
    for (std::int64_t i = from_.number(1, 4); i > 0; --i) {
      element one;
      one.value = std::to_string(next_value_++);
      one.key = unique_ ? "s" + one.value : from_.one_of({"a", "b", "k"});
      one.time = side_watermark_ + (from_.chance(20) ? from_.number(-30, 5) : from_.number(-4, 25));
      made.elements.push_back(std::move(one));
    }
    events_.push_back(std::move(made));
  }

  std::string draw_value(instant time) {
    if (repeated_) return std::to_string(from_.number(1, 5));
    if (commands_ && from_.chance(80)) return draw_command(time, from_.number(0, 1));
    return std::to_string(from_.chance(10) ? -next_value_++ : next_value_++);
  }

  // Sets or clears a timer. No two of them are due at the same time.
  std::string draw_command(instant time, std::int64_t depth) {
    const std::string name = from_.one_of({"A", "B", "C"});
    if (from_.chance(10)) return "-" + name;
    const bool by_clock = from_.chance(35);
    const instant due = unused((by_clock ? clock_ : time) + from_.number(0, 15));
    std::string text = name + (by_clock ? "~" : "=") + std::to_string(due);
    const instant latest = by_clock ? time + 3 : due;
    if (from_.chance(15)) text += "/none";
    else if (from_.chance(25) && latest >= time) text += "/" + std::to_string(from_.number(time, latest));
    if (depth > 0 && from_.chance(35)) text += ">" + draw_command(by_clock ? latest : due, depth - 1);
    return text;
  }
  instant unused(instant due) {
    while (!used_.insert(due).second) ++due;
    return due;
  }

  draws& from_;
  bool commands_;
  bool repeated_;
  bool side_;
  bool unique_;  // a map's keys come once
  std::int64_t keys_;
  std::vector<event> events_;
  instant watermark_ = 0;
  instant side_watermark_ = 0;
  instant clock_ = 0;
  std::int64_t next_value_ = 1;
  std::set<instant> used_;
};

}  // namespace

std::vector<event> draw_events(draws& from, const reference::program& of) {
  return event_drawing(from, of).all();
}

random_case draw_case(std::uint64_t seed) {
  draws from(seed);
  random_case made{seed, draw_program(from), {}};
  made.events = draw_events(from, made.pipeline);
  // What a user's error leaves behind within its event is not decided: the job is looked at until then.
  const reference_run run = run_reference(made);
  for (std::size_t i = 0; i < run.reports.size(); ++i) {
    if (run.reports[i].state != reference::job_state::failed) continue;
    made.events.resize(i);
    while (!is_decided(made.events)) made.events.pop_back();
    break;
  }
  return made;
}

}  // namespace millrace::properties
