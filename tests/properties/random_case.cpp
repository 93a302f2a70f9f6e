#include <millrace/tests/properties/random_case.hpp>
#include <millrace/tests/reference/engine.hpp>
#include <millrace/tests/reference/transcript.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace millrace::properties {

namespace {

using reference::event;
using reference::event_kind;

bool is_checkpoint(const std::vector<event>& events, std::size_t i) {
  return i < events.size() && events[i].kind == event_kind::checkpoint;
}

// The case with an update to the same program wherever it takes a checkpoint.
std::string updating(std::string text) {
  static constexpr std::string_view checkpoint = "\ncheckpoint\n";
  for (std::size_t at = text.find(checkpoint); at != std::string::npos; at = text.find(checkpoint, at + 1))
    text.replace(at, checkpoint.size(), "\nupdate\n");
  return text;
}

}  // namespace

bool has_updates(const random_case& of) {
  return of.seed % 3 == 0
         && std::ranges::any_of(of.events, [](const event& e) { return e.kind == event_kind::checkpoint; });
}

reference_run run_reference(const random_case& of) {
  reference_run run;
  try {
    reference::job job(of.pipeline);
    for (const event& each : of.events) run.reports.push_back(job.apply(each));
  } catch (const reference::refusal& error) {
    run.refused = error.what();
  }
  return run;
}

std::string transcript_of(const random_case& of) {
  const std::string title = std::to_string(of.seed) + " drawn at random";
  try {
    const std::string text = reference::written_case(title, of.pipeline, of.events);
    return has_updates(of) ? updating(text) : text;
  } catch (const reference::refusal&) {
    return reference::written_pipeline(title, of.pipeline) + "refused \"\"\n";
  }
}

bool keeps_state(const reference::step& of) {
  using enum reference::transform_kind;
  switch (of.what.kind) {
  case running_count:
  case bag:
  case timers:
  case looping:
  case batches:
  case dedup:
  case sorted:
    return true;
  default:
    return false;
  }
}

bool is_decided(const std::vector<event>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const event& each = events[i];
    const bool ends = each.kind == event_kind::drain || each.kind == event_kind::cancel;
    if (ends && i + 1 < events.size()) return false;
    const bool moves_clock = each.kind == event_kind::crash && each.time;
    if (moves_clock && (i == 0 || !is_checkpoint(events, i - 1) || !is_checkpoint(events, i + 1))) return false;
  }
  return true;
}

}  // namespace millrace::properties
