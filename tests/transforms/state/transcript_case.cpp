#include "transcript_case.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace millrace::transcripts {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Reads the form of triggers, left to right.
class trigger_reader {
 public:
  explicit trigger_reader(std::string_view text) {
    std::string spaced;
    for (const char c : text) {
      if (c == '(' || c == ')' || c == ',') spaced += std::string(" ") + c + " ";
      else spaced += c;
    }
    words_ = words_of(spaced);
  }

  trigger whole() {
    trigger t = limited();
    if (at_ != words_.size()) throw std::runtime_error("words after a trigger: " + words_[at_]);
    return t;
  }

 private:
  [[nodiscard]] bool next_is(std::string_view word) const { return at_ < words_.size() && words_[at_] == word; }
  std::string take() {
    if (at_ == words_.size()) throw std::runtime_error("a trigger ends too early");
    return words_[at_++];
  }
  void expect(std::string_view word) {
    if (take() != word) throw std::runtime_error("a trigger misses " + std::string(word));
  }
  bool skip(std::string_view word) {
    if (!next_is(word)) return false;
    ++at_;
    return true;
  }

  trigger limited() {
    trigger t = simple();
    while (skip("until")) t = t.until(simple());
    return t;
  }
  std::vector<trigger> parts() {
    expect("(");
    std::vector<trigger> all{limited()};
    while (skip(",")) all.push_back(limited());
    expect(")");
    return all;
  }
  trigger delays() {
    after_delay delay;
    while (next_is("delay") || next_is("align")) {
      const bool plus = take() == "delay";
      const duration amount{std::stoll(take())};
      delay = plus ? delay.plus(amount) : delay.align(amount);
    }
    return delay;
  }
  trigger simple() {
    if (next_is("delay") || next_is("align")) return delays();
    const std::string word = take();
    if (word == "(") {
      trigger t = limited();
      expect(")");
      return t;
    }
    if (word == "default") return default_trigger();
    if (word == "never") return never();
    if (word == "always") return always();
    if (word == "at_watermark") return at_watermark();
    if (word == "count") return after_count(std::stoull(take()));
    if (word == "repeat") return repeatedly(parts().front());
    if (word == "first") return first_of(parts());
    if (word == "all") return all_of(parts());
    if (word == "each") return in_order(parts());
    at_watermark around;
    if (word == "early") around = around.early(parts().front());
    else if (word == "late") return around.late(parts().front());
    else throw std::runtime_error("no trigger: " + word);
    if (skip("late")) around = around.late(parts().front());
    return around;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

duration duration_of(const std::string& word) {
  return duration{std::stoll(word)};
}

window_fn window_fn_of(const std::vector<std::string>& words) {
  const auto value_after = [&](std::string_view name) {
    const auto found = std::ranges::find(words, name);
    return found == words.end() ? duration{0} : duration_of(*std::next(found));
  };
  if (words[1] == "global") return global_windows();
  if (words[1] == "fixed") return fixed(duration_of(words[2]), value_after("offset"));
  if (words[1] == "sessions") return sessions(duration_of(words[2]));
  if (words[1] == "sliding") return sliding(duration_of(words[2]), value_after("every"), value_after("offset"));
  throw std::runtime_error("no window function: " + words[1]);
}

// Takes a setting of the step; false if the words are none.
bool take_windowing(windowing& options, const std::vector<std::string>& words, const std::string& rest) {
  const std::string& name = words[0];
  const auto unset = [&] { return words[1] == "unset"; };
  const auto behaviour = [&] { return words[1] == "always" ? fires::always : fires::if_non_empty; };
  if (name == "windows") options.into = window_fn_of(words);
  else if (name == "trigger") options.fire = trigger_reader{rest}.whole();
  else if (name == "lateness") options.allowed_lateness = unset() ? std::nullopt : std::optional{duration_of(words[1])};
  else if (name == "on_time") options.on_time = behaviour();
  else if (name == "closing") options.closing = behaviour();
  else if (name == "panes" && unset()) options.keep = std::nullopt;
  else if (name == "panes") options.keep = words[1] == "accumulating" ? panes::accumulating : panes::discarding;
  else if (name == "timestamps")
    options.timestamps = words[1] == "earliest" ? timestamp_combiner::earliest
                         : words[1] == "latest" ? timestamp_combiner::latest
                                                : timestamp_combiner::end_of_window;
  else return false;
  return true;
}

case_step first_step() {
  case_step step;
  step.options = {.into = global_windows(),
                  .fire = default_trigger(),
                  .keep = panes::discarding,
                  .allowed_lateness = duration{0},
                  .timestamps = timestamp_combiner::end_of_window,
                  .closing = fires::if_non_empty,
                  .on_time = fires::always};
  step.sets_windowing = true;
  return step;
}

bool take_setting(transcript_case& to, const std::vector<std::string>& words, const std::string& line) {
  case_step& step = to.steps.back();
  const std::string& name = words[0];
  const std::size_t second = line.find(' ');
  if (take_windowing(step.options, words, second == std::string::npos ? "" : line.substr(second))) {
    step.sets_windowing = true;
  } else if (name == "transform") {
    step.transform = words[1];
    step.transform_words = {words.begin() + 1, words.end()};
  } else if (name == "rekey") {
    step.rekey = true;
  } else if (name == "remerge") {
    step.remerge = true;
  } else if (name == "then") {
    to.steps.emplace_back();
  } else if (name == "refused") {
    to.refused = line.substr(line.find('"') + 1);
    to.refused.pop_back();
  } else if (name == "unsafe" || name == "bounded" || name == "ordered" || name == "wrong") {
    (name == "unsafe" ? to.unsafe : name == "bounded" ? to.bounded : name == "ordered" ? to.ordered : to.wrong) = true;
  } else {
    return false;
  }
  return true;
}

case_event event_of(const std::vector<std::string>& words) {
  static const std::vector<std::string> known{"E", "B", "WM", "PT", "checkpoint", "crash", "drain", "cancel"};
  if (std::ranges::find(known, words[0]) == known.end()) throw std::runtime_error("no event: " + words[0]);
  case_event event{.word = words[0], .words = {words.begin() + 1, words.end()}};
  if (event.word != "E" && event.word != "B") return event;
  for (const std::string& word : event.words) {
    const std::size_t at = word.rfind('@');
    const std::size_t colon = word.find(':');
    const bool keyed = colon != std::string::npos;
    event.elements.push_back({.key = keyed ? word.substr(0, colon) : "k",
                              .value = word.substr(keyed ? colon + 1 : 0, at - (keyed ? colon + 1 : 0)),
                              .at = time_of(word.substr(at + 1))});
  }
  return event;
}

void take_line(std::vector<transcript_case>& cases, const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words[0] == "==") {
    cases.push_back({.name = words[1], .steps = {first_step()}});
    return;
  }
  transcript_case& last = cases.back();
  if (line[0] == ' ') {
    if (last.events.empty()) throw std::runtime_error("an expectation without an event");
    last.events.back().expected.push_back(words);
  } else if (!take_setting(last, words, line)) {
    last.events.push_back(event_of(words));
  }
}

}  // namespace

timestamp time_of(std::string_view word) {
  if (word == "min") return timestamp::min();
  if (word == "max") return timestamp::max();
  if (word == "gwmax") return timestamp::end_of_global_window();
  return timestamp{std::stoll(std::string(word))};
}

std::vector<transcript_case> read_transcripts(const std::filesystem::path& file) {
  std::ifstream in{file};
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<transcript_case> cases;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '#' && (i == 0 || line[i - 1] == ' ')) line.resize(i);
    }
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (line.empty()) continue;
    try {
      take_line(cases, line);
    } catch (const std::exception& e) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + e.what());
    }
  }
  return cases;
}

}  // namespace millrace::transcripts
