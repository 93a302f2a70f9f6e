#include "engine.hpp"
#include "transcript.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>

namespace reference {

namespace {

using lines = std::vector<std::string>;

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.find('.') == std::string::npos && b.find('.') == std::string::npos) return false;
  char* a_end = nullptr;
  char* b_end = nullptr;
  const double x = std::strtod(a.c_str(), &a_end);
  const double y = std::strtod(b.c_str(), &b_end);
  return *a_end == '\0' && *b_end == '\0' && std::abs(x - y) < 5e-7;
}

bool same_place(const pane& a, const pane& b) {
  return a.index == b.index && a.non_speculative_index == b.non_speculative_index && a.first == b.first
         && a.last == b.last;
}

bool matches(const expected_output& expected, const output& found) {
  return expected.key == found.key && expected.in == found.in && same_value(expected.value, found.value)
         && (!expected.time || *expected.time == found.time)
         && (!expected.timing || *expected.timing == found.which.timing)
         && (!expected.which || same_place(*expected.which, found.which));
}

// Pairs expected outputs with outputs. A line that says little may fit several outputs: a pair is given up for another
// where that makes more pairs.
class pairing {
 public:
  pairing(const std::vector<expected_output>& expected, const std::vector<output>& found)
      : expected_(expected), found_(found), taken_by_(found.size(), nobody) {}

  // Whether expected output i gets a partner, now or by moving others.
  bool place(std::size_t i) {
    std::vector<bool> visited(found_.size(), false);
    return place(i, visited);
  }

  [[nodiscard]] bool is_taken(std::size_t found) const { return taken_by_[found] != nobody; }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  bool place(std::size_t i, std::vector<bool>& visited) {
    for (std::size_t j = 0; j < found_.size(); ++j) {
      if (visited[j] || !matches(expected_[i], found_[j])) continue;
      visited[j] = true;
      if (taken_by_[j] != nobody && !place(taken_by_[j], visited)) continue;
      taken_by_[j] = i;
      return true;
    }
    return false;
  }

  const std::vector<expected_output>& expected_;
  const std::vector<output>& found_;
  std::vector<std::size_t> taken_by_;
};

std::string text_of_place(const pane& which) {
  return std::to_string(which.index) + "/" + std::to_string(which.non_speculative_index) + (which.first ? " F" : "")
         + (which.last ? " L" : "");
}

std::string text_of_expected(const expected_output& one) {
  std::string text = one.key + " " + text_of(one.in) + " " + one.value;
  if (one.time) text += " @" + std::to_string(*one.time);
  if (one.timing) text += " " + text_of(*one.timing);
  if (one.which) text += " " + text_of_place(*one.which);
  return text;
}

lines output_differences(const std::vector<expected_output>& expected, const std::vector<output>& found, bool ordered) {
  lines all;
  pairing pairs(expected, found);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!pairs.place(i)) all.push_back("missing: " + text_of_expected(expected[i]));
  }
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (!pairs.is_taken(j)) all.push_back("not written: " + text_of(found[j]));
  }
  if (!ordered || !all.empty()) return all;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!matches(expected[i], found[i])) all.push_back("in another place: " + text_of(found[i]));
  }
  return all;
}

void compare_number(lines& all, const std::string& what, const std::optional<std::int64_t>& expected,
                    std::int64_t found) {
  if (!expected || *expected == found) return;
  all.push_back(what + " " + std::to_string(found) + ", written: " + std::to_string(*expected));
}

lines event_differences(const expectations& expected, const report& found, bool ordered) {
  lines all = output_differences(expected.outputs, found.outputs, ordered);
  compare_number(all, "held", expected.held, found.held);
  compare_number(all, "dropped late", expected.late, found.dropped_in_all().late);
  compare_number(all, "dropped closed_window", expected.closed_window, found.dropped_in_all().closed_window);
  if (expected.no_state && found.state_left) all.emplace_back("state is left");
  if (expected.state && *expected.state != found.state) all.emplace_back("the job is in another state");
  const bool failed = found.state == job_state::failed;
  if (failed != expected.error) all.push_back(failed ? "failed: " + found.error : "it does not fail");
  return all;
}

bool contains_in_any_case(std::string text, std::string part) {
  for (std::string* each : {&text, &part}) {
    std::transform(each->begin(), each->end(), each->begin(), [](unsigned char c) { return std::tolower(c); });
  }
  return text.find(part) != std::string::npos;
}

lines play(const transcript_case& one) {
  job running(one.pipeline);
  if (one.refused) return {"it is not refused"};
  lines all;
  std::int64_t late = 0;
  std::int64_t closed_window = 0;
  drops last;
  for (const scripted_event& each : one.events) {
    const report found = running.apply(each.what);
    for (const std::string& line : event_differences(each.then, found, one.ordered)) {
      all.push_back(each.line + ": " + line);
    }
    late = each.then.late.value_or(late);
    closed_window = each.then.closed_window.value_or(closed_window);
    last = found.dropped_in_all();
  }
  compare_number(all, "at the end: dropped late", late, last.late);
  compare_number(all, "at the end: dropped closed_window", closed_window, last.closed_window);
  return all;
}

}  // namespace

std::string text_of(const window& in) {
  if (in == global_window) return "global";
  return "[" + std::to_string(in.start) + "," + std::to_string(in.end) + ")";
}

std::string text_of(pane_timing timing) {
  switch (timing) {
  case pane_timing::early:
    return "EARLY";
  case pane_timing::on_time:
    return "ON_TIME";
  case pane_timing::late:
    return "LATE";
  case pane_timing::unknown:
    break;
  }
  return "UNKNOWN";
}

std::string text_of(const output& one) {
  return one.key + " " + text_of(one.in) + " " + one.value + " @" + std::to_string(one.time) + " "
         + text_of(one.which.timing) + " " + text_of_place(one.which);
}

std::vector<std::string> differences(const transcript_case& one) {
  try {
    return play(one);
  } catch (const refusal& error) {
    if (!one.refused) return {std::string("refused: ") + error.what()};
    if (contains_in_any_case(error.what(), *one.refused)) return {};
    return {"the refusal does not say " + *one.refused + ": " + error.what()};
  }
}

}  // namespace reference
