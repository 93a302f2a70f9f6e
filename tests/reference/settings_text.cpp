#include "words.hpp"

#include <map>
#include <string>

namespace reference {

namespace {

window_function parse_windows(word_reader& words) {
  const std::string kind = words.next();
  window_function by;
  if (kind == "global") return by;
  by.size = words.next_instant();
  if (kind == "sessions") {
    by.kind = window_kind::sessions;
    return by;
  }
  if (kind == "sliding") {
    by.kind = window_kind::sliding;
    if (!words.take("every")) throw bad_transcript("sliding windows need `every P`");
    by.period = words.next_instant();
  } else if (kind == "fixed") {
    by.kind = window_kind::fixed;
  } else {
    throw bad_transcript("not a window function: " + kind);
  }
  if (words.take("offset")) by.offset = words.next_instant();
  return by;
}

void parse_options(transform& what, word_reader& words) {
  while (!words.at_end()) {
    if (words.take("after")) {
      what.after = words.next_instant();
    } else if (words.take("clock")) {
      what.clock = words.next_instant();
    } else if (words.take("expire")) {
      what.expire = true;
    } else {
      throw bad_transcript("not an option of this transform: " + words.peek());
    }
  }
}

transform parse_transform(word_reader& words) {
  static const std::map<std::string, transform_kind> kinds{
      {"none", transform_kind::none},
      {"reshuffle", transform_kind::reshuffle},
      {"group", transform_kind::group},
      {"sum", transform_kind::sum},
      {"count", transform_kind::count},
      {"max", transform_kind::max},
      {"mean", transform_kind::mean},
      {"distinct", transform_kind::distinct},
      {"bag", transform_kind::bag},
      {"running_count", transform_kind::running_count},
      {"timers", transform_kind::timers},
      {"looping", transform_kind::looping},
      {"batches", transform_kind::batches},
      {"dedup", transform_kind::dedup},
      {"sorted", transform_kind::sorted},
      {"singleton", transform_kind::side_singleton},
      {"map", transform_kind::side_map},
      {"list", transform_kind::side_iterable},
      {"multimap", transform_kind::side_multimap},
  };
  const std::string word = words.next();
  const auto kind = kinds.find(word);
  if (kind == kinds.end()) throw bad_transcript("not a transform: " + word);
  transform what;
  what.kind = kind->second;
  if (what.kind == transform_kind::looping || what.kind == transform_kind::dedup) what.length = words.next_instant();
  if (what.kind == transform_kind::side_singleton && !words.at_end()) what.fallback = words.next();
  if (what.kind == transform_kind::batches) what.limit = words.next_instant();
  if (what.kind == transform_kind::looping && !words.at_end()) what.limit = words.next_instant();
  if (what.kind == transform_kind::bag || what.kind == transform_kind::batches) parse_options(what, words);
  return what;
}

firing parse_firing(word_reader& words) {
  const std::string word = words.next();
  if (word == "always") return firing::always;
  if (word == "if_non_empty") return firing::if_non_empty;
  throw bad_transcript("neither always nor if_non_empty: " + word);
}

std::optional<accumulation> parse_panes(word_reader& words) {
  const std::string word = words.next();
  if (word == "accumulating") return accumulation::accumulating;
  if (word == "discarding") return accumulation::discarding;
  if (word == "unset") return std::nullopt;
  throw bad_transcript("not an accumulation mode: " + word);
}

timestamp_combiner parse_timestamps(word_reader& words) {
  const std::string word = words.next();
  if (word == "end_of_window") return timestamp_combiner::end_of_window;
  if (word == "earliest") return timestamp_combiner::earliest;
  if (word == "latest") return timestamp_combiner::latest;
  throw bad_transcript("not a timestamp combiner: " + word);
}

std::optional<instant> parse_lateness(word_reader& words) {
  if (words.take("unset")) return std::nullopt;
  return words.next_instant();
}

// A setting of the whole case. Returns whether it is one.
bool parse_case_setting(transcript_case& into, const std::string& word) {
  if (word == "unsafe") {
    into.pipeline.unsafe_triggers = true;
  } else if (word == "bounded") {
    into.pipeline.bounded = true;
  } else if (word == "ordered") {
    into.ordered = true;
  } else if (word == "wrong") {
    into.wrong = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

void parse_setting(transcript_case& into, step& of, const std::string& line) {
  word_reader words(line);
  const std::string word = words.next();
  if (parse_case_setting(into, word)) {
    // Nothing more to read.
  } else if (word == "windows") {
    of.windows = parse_windows(words);
  } else if (word == "trigger") {
    of.firing_trigger = parse_trigger(words.remaining());
  } else if (word == "lateness") {
    of.lateness = parse_lateness(words);
  } else if (word == "panes") {
    of.panes = parse_panes(words);
  } else if (word == "timestamps") {
    of.timestamps = parse_timestamps(words);
  } else if (word == "on_time") {
    of.on_time = parse_firing(words);
  } else if (word == "closing") {
    of.closing = parse_firing(words);
  } else if (word == "transform") {
    of.what = parse_transform(words);
  } else if (word == "rekey") {
    of.rekey = true;
  } else if (word == "remerge") {
    of.remerge = true;
  } else {
    throw bad_transcript("not a setting and not an event: " + line);
  }
  words.expect_end();
}

}  // namespace reference
