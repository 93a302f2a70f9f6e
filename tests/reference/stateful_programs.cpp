#include "stateful.hpp"
#include "values.hpp"
#include "windows.hpp"

#include <algorithm>
#include <utility>

namespace reference {

namespace {

const pane no_firing{};

void emit(call& here, std::string value, instant time) {
  here.out.push_back({here.key, here.in, std::move(value), time, no_firing});
}

std::string bag_in(const cell& state) {
  std::vector<std::string> values;
  for (const output& one : state.elements) values.push_back(one.value);
  return bag_of(std::move(values));
}

void emit_bag(call& here, instant time) {
  emit(here, bag_in(here.state), time);
  here.state.elements.clear();
}

void emit_batch(call& here) {
  if (here.state.elements.empty()) return;
  instant least = max_time;
  for (const output& one : here.state.elements) least = std::min(least, one.time);
  emit_bag(here, least);
  here.state.batch_hold.reset();
  here.state.clock_timers.clear();
}

}  // namespace

void stateful_program::on_element(call& here, const output& element) const {
  switch (what_.kind) {
  case transform_kind::running_count:
    here.out.push_back(element);
    here.out.back().value = std::to_string(++here.state.count);
    return;
  case transform_kind::bag:
    return collect(here, element);
  case transform_kind::batches:
    return add_to_batch(here, element);
  case transform_kind::looping:
    return start_loop(here);
  case transform_kind::timers:
    if (!obey_command(here, element.value)) here.out.push_back(element);
    return;
  case transform_kind::dedup:
    if (std::exchange(here.state.seen, true)) return;
    here.out.push_back(element);
    here.state.clock_timers["forget"] = {here.now.clock + what_.length, std::nullopt, {}};
    return;
  default:
    throw std::logic_error("not a stateful program");
  }
}

void stateful_program::on_timer(call& here, const std::string& name, const timer& fired) const {
  switch (what_.kind) {
  case transform_kind::bag:
    return emit_bag(here, *fired.output);
  case transform_kind::batches:
    return emit_batch(here);
  case transform_kind::looping:
    return go_round(here, fired);
  case transform_kind::dedup:
    here.state.seen = false;
    return;
  case transform_kind::timers:
    if (fired.output) emit(here, name, *fired.output);
    if (!fired.command.empty() && !obey_command(here, fired.command)) emit(here, fired.command, here.time);
    return;
  default:
    throw std::logic_error("a program without timers");
  }
}

void stateful_program::on_expiration(call& here) const {
  if (what_.kind == transform_kind::batches) emit_batch(here);
  if (what_.kind == transform_kind::bag && what_.expire && !here.state.elements.empty()) emit_bag(here, here.time);
}

bool stateful_program::has_expiration() const {
  return what_.kind == transform_kind::batches || (what_.kind == transform_kind::bag && what_.expire);
}

void stateful_program::collect(call& here, const output& element) const {
  const bool first = here.state.elements.empty();
  here.state.elements.push_back(element);
  if (!first) return;
  if (what_.after) {
    const instant at = std::min(element.time + *what_.after, here.expiry);
    set_event_timer(here, "after", {at, at, {}});
  }
  if (what_.clock) here.state.clock_timers["clock"] = {here.now.clock + *what_.clock, element.time, {}};
}

void stateful_program::add_to_batch(call& here, const output& element) const {
  if (here.state.elements.empty()) {
    here.state.batch_hold = element.time;
    if (what_.clock) here.state.clock_timers["clock"] = {here.now.clock + *what_.clock, std::nullopt, {}};
  }
  here.state.elements.push_back(element);
  if (static_cast<std::int64_t>(here.state.elements.size()) >= what_.limit) emit_batch(here);
}

void stateful_program::start_loop(call& here) const {
  if (std::exchange(here.state.seen, true)) return;
  const instant at = here.time + what_.length;
  if (at <= here.expiry) set_event_timer(here, "loop", {at, at, {}});
}

void stateful_program::go_round(call& here, const timer& fired) const {
  ++here.state.count;
  emit(here, std::to_string(here.state.count), fired.at);
  const instant next = fired.at + what_.length;
  const bool done = what_.limit > 0 && here.state.count >= what_.limit;
  if (!done && next <= here.expiry) set_event_timer(here, "loop", {next, next, {}});
}

namespace {

// The parts of a command NAME=AT/OUTPUT>COMMAND or NAME~AT/OUTPUT>COMMAND.
struct timer_command {
  std::string name;
  bool by_clock = false;
  instant at = 0;
  bool no_output = false;
  std::optional<instant> output;
  std::string command;
};

std::optional<timer_command> parse_command(const std::string& text) {
  const std::size_t sign = text.find_first_of("=~");
  if (sign == std::string::npos || sign == 0) return std::nullopt;
  timer_command parsed;
  parsed.name = text.substr(0, sign);
  parsed.by_clock = text[sign] == '~';
  std::string rest = text.substr(sign + 1);
  if (const std::size_t then = rest.find('>'); then != std::string::npos) {
    parsed.command = rest.substr(then + 1);
    const bool clears = parsed.command.size() > 1 && parsed.command.front() == '-';
    if (!clears && !parse_command(parsed.command)) return std::nullopt;
    rest.erase(then);
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string::npos) {
    const std::string output = rest.substr(slash + 1);
    parsed.no_output = output == "none";
    parsed.output = instant_of(output);
    if (!parsed.no_output && !parsed.output) return std::nullopt;
    rest.erase(slash);
  }
  const std::optional<instant> at = instant_of(rest);
  if (!at) return std::nullopt;
  parsed.at = *at;
  return parsed;
}

void check_timer(const call& here, const timer_command& what) {
  if (!what.by_clock && what.at > here.expiry) throw failure("timer " + what.name + " is set beyond window expiry");
  if (!what.output) return;
  if (*what.output < here.time) throw failure("timer " + what.name + " has an output timestamp before its setter's");
  const instant latest = what.by_clock ? here.expiry : std::min(what.at, here.expiry);
  if (*what.output > latest)
    throw failure("timer " + what.name + " has an output timestamp after its firing or expiry");
}

}  // namespace

bool obey_command(call& here, const std::string& value) {
  const bool names_one = value.size() > 1 && (value[1] < '0' || value[1] > '9');
  if (names_one && value.front() == '-') {
    here.state.event_timers.erase(value.substr(1));
    here.state.clock_timers.erase(value.substr(1));
    return true;
  }
  const std::optional<timer_command> what = parse_command(value);
  if (!what) return false;
  check_timer(here, *what);
  std::optional<instant> output = what->output ? *what->output : what->by_clock ? here.time : what->at;
  if (what->no_output) output.reset();
  if (what->by_clock) {
    here.state.clock_timers[what->name] = {what->at, output, what->command};
  } else {
    set_event_timer(here, what->name, {what->at, output, what->command});
  }
  return true;
}

void set_event_timer(call& here, const std::string& name, timer what) {
  if (here.last || here.drained == name) return;
  what.of_drain = here.drained.has_value();
  here.state.event_timers[name] = std::move(what);
}

}  // namespace reference
