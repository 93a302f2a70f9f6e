#include "engine.hpp"
#include "transcript.hpp"

#include <string>

namespace reference {

namespace {

std::string text_of_parts(const trigger& of) {
  std::string text = "(";
  for (std::size_t i = 0; i < of.parts.size(); ++i) text += (i > 0 ? ", " : "") + text_of(of.parts[i]);
  return text + ")";
}

std::string text_of_clock(const trigger& of) {
  std::string text;
  for (const clock_step& one : of.clock) {
    text += (text.empty() ? "" : " ") + std::string(one.align ? "align " : "delay ") + std::to_string(one.length);
  }
  return text;
}

std::string text_of_early_late(const trigger& of) {
  const std::string early = "early(" + text_of(of.parts[0]) + ")";
  return of.parts.size() == 1 ? early : early + " late(" + text_of(of.parts[1]) + ")";
}

std::string text_of(const window_function& by) {
  const std::string size = std::to_string(by.size);
  const std::string offset = by.offset == 0 ? "" : " offset " + std::to_string(by.offset);
  switch (by.kind) {
  case window_kind::global:
    break;
  case window_kind::fixed:
    return "fixed " + size + offset;
  case window_kind::sliding:
    return "sliding " + size + " every " + std::to_string(by.period) + offset;
  case window_kind::sessions:
    return "sessions " + size;
  }
  return "global";
}

std::string word_of(transform_kind kind) {
  switch (kind) {
  case transform_kind::none:
    return "none";
  case transform_kind::reshuffle:
    return "reshuffle";
  case transform_kind::group:
    return "group";
  case transform_kind::sum:
    return "sum";
  case transform_kind::count:
    return "count";
  case transform_kind::max:
    return "max";
  case transform_kind::mean:
    return "mean";
  case transform_kind::distinct:
    return "distinct";
  case transform_kind::running_count:
    return "running_count";
  case transform_kind::bag:
    return "bag";
  case transform_kind::timers:
    return "timers";
  case transform_kind::looping:
    return "looping";
  case transform_kind::batches:
    return "batches";
  case transform_kind::dedup:
    return "dedup";
  case transform_kind::sorted:
    return "sorted";
  case transform_kind::side_singleton:
    return "singleton";
  case transform_kind::side_iterable:
    return "list";
  case transform_kind::side_map:
    return "map";
  case transform_kind::side_multimap:
    break;
  }
  return "multimap";
}

std::string text_of(const transform& what) {
  std::string text = word_of(what.kind);
  if (what.length > 0) text += " " + std::to_string(what.length);
  if (what.limit > 0) text += " " + std::to_string(what.limit);
  if (what.fallback) text += " " + *what.fallback;
  if (what.after) text += " after " + std::to_string(*what.after);
  if (what.clock) text += " clock " + std::to_string(*what.clock);
  return text + (what.expire ? " expire" : "");
}

std::string text_of(firing when) {
  return when == firing::always ? "always" : "if_non_empty";
}

std::string text_of(timestamp_combiner by) {
  switch (by) {
  case timestamp_combiner::end_of_window:
    break;
  case timestamp_combiner::earliest:
    return "earliest";
  case timestamp_combiner::latest:
    return "latest";
  }
  return "end_of_window";
}

std::string text_of(accumulation panes) {
  return panes == accumulation::accumulating ? "accumulating" : "discarding";
}

std::string lines_of(const step& of, bool first) {
  std::string text = "transform " + text_of(of.what) + "\n";
  if (of.rekey) text += "rekey\n";
  if (of.remerge) text += "remerge\n";
  if (of.windows) text += "windows " + text_of(*of.windows) + "\n";
  if (of.firing_trigger) text += "trigger " + text_of(*of.firing_trigger) + "\n";
  if (of.lateness) text += "lateness " + std::to_string(*of.lateness) + "\n";
  if (of.panes) text += "panes " + text_of(*of.panes) + "\n";
  if (of.timestamps) text += "timestamps " + text_of(*of.timestamps) + "\n";
  if (of.on_time) text += "on_time " + text_of(*of.on_time) + "\n";
  if (of.closing) text += "closing " + text_of(*of.closing) + "\n";
  if (first && !of.lateness) text += "lateness unset\n";
  if (first && !of.panes) text += "panes unset\n";
  return text;
}

std::string line_of(const event& what) {
  const std::string time = what.time ? std::to_string(*what.time) : "";
  std::string text = "B";
  switch (what.kind) {
  case event_kind::elements:
    break;
  case event_kind::side_elements:
    text = "side B";
    break;
  case event_kind::watermark:
    return "WM " + time;
  case event_kind::side_watermark:
    return "side WM " + time;
  case event_kind::clock:
    return "PT " + time;
  case event_kind::checkpoint:
    return "checkpoint";
  case event_kind::crash:
    return what.time ? "crash clock " + time : "crash";
  case event_kind::drain:
    return "drain";
  case event_kind::cancel:
    return "cancel";
  }
  for (const element& one : what.elements) {
    text += " " + (one.key == "k" ? "" : one.key + ":") + one.value + "@" + std::to_string(one.time);
  }
  return text;
}

std::string lines_of(const report& seen, const drops& before) {
  std::string text;
  for (const output& one : seen.outputs) {
    text += "  " + (one.key == "k" ? "" : one.key + " ") + text_of(one.in) + " " + one.value + " @"
            + std::to_string(one.time);
    if (one.which.timing != pane_timing::unknown) {
      text += " " + text_of(one.which.timing) + " " + std::to_string(one.which.index) + "/"
              + std::to_string(one.which.non_speculative_index) + (one.which.first ? " F" : "")
              + (one.which.last ? " L" : "");
    }
    text += "\n";
  }
  const drops now = seen.dropped_in_all();
  if (now.late != before.late) text += "  dropped late " + std::to_string(now.late) + "\n";
  if (now.closed_window != before.closed_window) {
    text += "  dropped closed_window " + std::to_string(now.closed_window) + "\n";
  }
  if (seen.state == job_state::drained) text += "  state DRAINED\n";
  if (seen.state == job_state::cancelled) text += "  state CANCELLED\n";
  if (seen.state == job_state::failed) text += "  error\n";
  return text;
}

}  // namespace

std::string text_of(const trigger& of) {
  switch (of.kind) {
  case trigger_kind::by_default:
    return "default";
  case trigger_kind::never:
    return "never";
  case trigger_kind::always:
    return "always";
  case trigger_kind::at_watermark:
    return "at_watermark";
  case trigger_kind::early_late:
    return text_of_early_late(of);
  case trigger_kind::count:
    return "count " + std::to_string(of.count);
  case trigger_kind::clock:
    return text_of_clock(of);
  case trigger_kind::synchronized_clock:
    return "synchronized";
  case trigger_kind::repeat:
    return "repeat" + text_of_parts(of);
  case trigger_kind::first:
    return "first" + text_of_parts(of);
  case trigger_kind::all:
    return "all" + text_of_parts(of);
  case trigger_kind::each:
    return "each" + text_of_parts(of);
  case trigger_kind::until:
    break;
  }
  return "(" + text_of(of.parts[0]) + ") until (" + text_of(of.parts[1]) + ")";
}

std::string written_pipeline(const std::string& title, const program& pipeline) {
  std::string text = "== " + title + "\n";
  if (pipeline.bounded) text += "bounded\n";
  if (pipeline.unsafe_triggers) text += "unsafe\n";
  for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
    text += (i > 0 ? "then\n" : "") + lines_of(pipeline.steps[i], i == 0);
  }
  for (std::size_t i = 0; i < pipeline.side.size(); ++i) {
    text += (i > 0 ? "then\n" : "side\n") + lines_of(pipeline.side[i], i == 0);
  }
  return text;
}

std::string written_case(const std::string& title, const program& pipeline, const std::vector<event>& events) {
  std::string text = written_pipeline(title, pipeline);
  job running(pipeline);
  drops before;
  for (const event& what : events) {
    const report seen = running.apply(what);
    text += line_of(what) + "\n" + lines_of(seen, before);
    // Right after a restart the job stands where its checkpoint was taken, and not yet where it was.
    if (what.kind != event_kind::crash) text += "  held " + std::to_string(seen.held) + "\n";
    before = seen.dropped_in_all();
  }
  return text;
}

}  // namespace reference
