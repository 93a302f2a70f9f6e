#include "words.hpp"

#include <map>
#include <string>

namespace reference {

namespace {

instant time_of(const std::string& text) {
  const auto value = instant_of(text);
  if (!value) throw bad_transcript("not a time: " + text);
  return *value;
}

// [key:]value@time
element parse_element(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) throw bad_transcript("an element needs @time: " + text);
  element parsed;
  parsed.time = time_of(text.substr(at + 1));
  parsed.value = text.substr(0, at);
  if (const std::size_t colon = parsed.value.find(':'); colon != std::string::npos) {
    parsed.key = parsed.value.substr(0, colon);
    parsed.value.erase(0, colon + 1);
  }
  return parsed;
}

bool is_window(const std::string& word) {
  return word == "global" || (!word.empty() && word.front() == '[');
}

window parse_window(const std::string& text) {
  if (text == "global") return global_window;
  const std::size_t comma = text.find(',');
  if (!is_window(text) || text.back() != ')' || comma == std::string::npos)
    throw bad_transcript("not a window: " + text);
  return {time_of(text.substr(1, comma - 1)), time_of(text.substr(comma + 1, text.size() - comma - 2))};
}

pane_timing parse_timing(const std::string& word) {
  if (word == "EARLY") return pane_timing::early;
  if (word == "ON_TIME") return pane_timing::on_time;
  if (word == "LATE") return pane_timing::late;
  throw bad_transcript("not a timing: " + word);
}

pane parse_pane(word_reader& words) {
  const std::string numbers = words.next();
  const std::size_t slash = numbers.find('/');
  if (slash == std::string::npos) throw bad_transcript("not the indices of a pane: " + numbers);
  pane which;
  which.index = time_of(numbers.substr(0, slash));
  which.non_speculative_index = time_of(numbers.substr(slash + 1));
  which.first = words.take("F");
  which.last = words.take("L");
  return which;
}

expected_output parse_output(word_reader& words) {
  expected_output parsed;
  if (!is_window(words.peek())) parsed.key = words.next();
  parsed.in = parse_window(words.next());
  parsed.value = sorted_bags(words.next());
  if (words.at_end()) return parsed;
  const std::string time = words.next();
  if (time.front() != '@') throw bad_transcript("not a timestamp: " + time);
  parsed.time = time_of(time.substr(1));
  if (words.at_end()) return parsed;
  parsed.timing = parse_timing(words.next());
  if (words.at_end()) return parsed;
  parsed.which = parse_pane(words);
  return parsed;
}

void parse_dropped(expectations& into, word_reader& words) {
  const std::string cause = words.next();
  if (cause != "late" && cause != "closed_window") throw bad_transcript("not a cause of drops: " + cause);
  (cause == "late" ? into.late : into.closed_window) = words.next_instant();
}

const std::map<std::string, event_kind>& event_words() {
  static const std::map<std::string, event_kind> kinds{
      {"E", event_kind::elements},
      {"B", event_kind::elements},
      {"WM", event_kind::watermark},
      {"PT", event_kind::clock},
      {"drain", event_kind::drain},
      {"cancel", event_kind::cancel},
      {"checkpoint", event_kind::checkpoint},
      {"crash", event_kind::crash},
  };
  return kinds;
}

}  // namespace

bool is_event(const std::string& line) {
  word_reader words(line);
  if (words.take("side")) return !words.at_end();
  return event_words().contains(words.peek());
}

event parse_event(const std::string& line) {
  word_reader words(line);
  const bool side = words.take("side");
  const std::string word = words.next();
  const auto kind = event_words().find(word);
  if (kind == event_words().end()) throw bad_transcript("not an event: " + line);
  event parsed{kind->second, {}, {}};
  if (side && parsed.kind != event_kind::elements && parsed.kind != event_kind::watermark)
    throw bad_transcript("not an event of a side input: " + line);
  if (parsed.kind == event_kind::elements) {
    do parsed.elements.push_back(parse_element(words.next()));
    while (word == "B" && !words.at_end());
  } else if (parsed.kind == event_kind::watermark || parsed.kind == event_kind::clock) {
    parsed.time = words.next_instant();
  } else if (parsed.kind == event_kind::crash && words.take("clock")) {
    parsed.time = words.next_instant();
  }
  words.expect_end();
  if (side) parsed.kind = parsed.kind == event_kind::elements ? event_kind::side_elements : event_kind::side_watermark;
  return parsed;
}

void parse_expectation(expectations& into, const std::string& line) {
  word_reader words(line);
  if (words.take("held")) {
    into.held = words.next_instant();
  } else if (words.take("dropped")) {
    parse_dropped(into, words);
  } else if (words.take("state")) {
    const std::string state = words.next();
    if (state != "DRAINED" && state != "CANCELLED") throw bad_transcript("not a state of a job: " + state);
    into.state = state == "DRAINED" ? job_state::drained : job_state::cancelled;
  } else if (words.take("no_state")) {
    into.no_state = true;
  } else if (words.take("error")) {
    into.error = true;
  } else {
    into.outputs.push_back(parse_output(words));
  }
  words.expect_end();
}

}  // namespace reference
