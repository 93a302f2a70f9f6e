#include "words.hpp"

#include <set>
#include <string>

namespace reference {

namespace {

// In the first step every setting that is not written is given its default; `unset` takes it away again.
step first_step() {
  step first;
  first.windows = window_function{};
  first.firing_trigger = trigger{};
  first.lateness = 0;
  first.panes = accumulation::discarding;
  first.timestamps = timestamp_combiner::end_of_window;
  first.on_time = firing::always;
  first.closing = firing::if_non_empty;
  return first;
}

std::string without_comment(const std::string& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ')) return line.substr(0, i);
  }
  return line;
}

std::string quoted(const std::string& line) {
  const std::size_t open = line.find('"');
  const std::size_t close = line.rfind('"');
  if (open == close) throw bad_transcript("a text in quotes is missing: " + line);
  return line.substr(open + 1, close - open - 1);
}

// Takes the lines of a file one after the other.
class case_reader {
 public:
  void take(const std::string& line) {
    if (word_reader(line).at_end()) return;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (line.starts_with("==")) return begin_case(line.substr(2));
    if (cases_.empty()) throw bad_transcript("a case begins with ==");
    transcript_case& now = cases_.back();
    if (indented) {
      if (now.events.empty()) throw bad_transcript("an expectation without an event");
      return parse_expectation(now.events.back().then, line);
    }
    if (is_event(line)) {
      if (now.refused) throw bad_transcript("no event follows `refused`");
      now.events.push_back({line, parse_event(line), {}});
      return;
    }
    if (!now.events.empty()) throw bad_transcript("not an event: " + line);
    take_setting(now, line);
  }

  std::vector<transcript_case> done() { return std::move(cases_); }

 private:
  void begin_case(const std::string& title) {
    word_reader words(title);
    transcript_case fresh;
    fresh.number = words.next();
    fresh.title = words.remaining();
    fresh.pipeline.steps.push_back(first_step());
    if (!numbers_.insert(fresh.number).second) throw bad_transcript("the number is taken: " + fresh.number);
    cases_.push_back(std::move(fresh));
  }

  static void take_setting(transcript_case& now, const std::string& line) {
    word_reader words(line);
    std::vector<step>& steps = now.pipeline.side.empty() ? now.pipeline.steps : now.pipeline.side;
    if (words.take("then")) {
      words.expect_end();
      steps.emplace_back();
    } else if (words.take("side")) {
      words.expect_end();
      if (!now.pipeline.side.empty()) throw bad_transcript("a case has one side input");
      now.pipeline.side.push_back(first_step());
      now.pipeline.side.back().what.kind = transform_kind::none;
    } else if (words.peek() == "refused") {
      now.refused = quoted(line);
    } else {
      parse_setting(now, steps.back(), line);
    }
  }

  std::vector<transcript_case> cases_;
  std::set<std::string> numbers_;
};

}  // namespace

std::vector<transcript_case> parse_transcript(std::string_view text) {
  case_reader reader;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    try {
      reader.take(without_comment(line));
    } catch (const bad_transcript& error) {
      throw bad_transcript("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return reader.done();
}

}  // namespace reference
