#include <millrace/transforms/transcripts/event_lines.hpp>
#include <millrace/transforms/transcripts/setting_lines.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace millrace::transcripts {

namespace {

using words = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

void expect_count(const words& all, std::size_t least, std::size_t most) {
  if (all.size() < least) refuse("\"" + all.front() + "\" misses a word");
  if (all.size() > most) refuse("\"" + all[most] + "\" is one word too many");
}

// [key:]value@time
case_element element_of(std::string_view word) {
  const std::size_t at = word.rfind('@');
  if (at == std::string_view::npos) refuse("\"" + std::string(word) + "\" is no element: write [key:]value@time");
  const std::string_view before = word.substr(0, at);
  const std::size_t colon = before.find(':');
  const bool keyed = colon != std::string_view::npos;
  case_element made{.key = std::string(keyed ? before.substr(0, colon) : "k"),
                    .value = std::string(keyed ? before.substr(colon + 1) : before),
                    .at = time_of(word.substr(at + 1))};
  if (made.key.empty() || made.value.empty()) refuse("\"" + std::string(word) + "\" has an empty key or value");
  if (made.key.find_first_of("@{}") != std::string::npos || made.value.find_first_of(":@{}") != std::string::npos)
    refuse("\"" + std::string(word) + "\": a key has none of :@{} in it, nor has a value");
  return made;
}

pane_timing timing_of(const std::string& word) {
  if (word == "EARLY") return pane_timing::early;
  if (word == "ON_TIME") return pane_timing::on_time;
  if (word == "LATE") return pane_timing::late;
  refuse("\"" + word + "\" is no timing: write EARLY, ON_TIME or LATE");
}

// [key] window value [@time [timing [i/n [F] [L]]]]
expected_output output_of(words all) {
  const bool keyless = all[0].front() == '[' || all[0] == "global";
  expected_output made{.key = keyless ? "k" : all[0]};
  if (!keyless) all.erase(all.begin());
  if (all.size() < 2) refuse("an output has a window and a value: [key] [start,end) value");
  made.in = window_of(all[0]);
  made.value = all[1];
  if (all.size() > 2) {
    if (all[2].front() != '@') refuse("\"" + all[2] + "\" is no time of an output: write @time");
    made.at = time_of(std::string_view(all[2]).substr(1));
  }
  if (all.size() > 3) made.timing = timing_of(all[3]);
  if (all.size() < 5) return made;
  const std::size_t slash = all[4].find('/');
  if (slash == std::string::npos) refuse("\"" + all[4] + "\" is no pane: write index/non_speculative_index");
  made.numbered = true;
  made.index = number_of(std::string_view(all[4]).substr(0, slash));
  made.non_speculative_index = number_of(std::string_view(all[4]).substr(slash + 1));
  std::size_t next = 5;
  if (next < all.size() && all[next] == "F") made.is_first = (++next, true);
  if (next < all.size() && all[next] == "L") made.is_last = (++next, true);
  if (next < all.size()) refuse("\"" + all[next] + "\" is no flag of a pane: write F, then L");
  return made;
}

// The settings of an update: "A | B".
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('|', from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  if (parts.size() == 1 && words_of(parts.front()).empty()) parts.clear();  // the same program again
  return parts;
}

}  // namespace

case_event event_of(const words& all, const std::string& line, std::uint32_t number) {
  using kind = case_event::kind;
  if (all[0] == "side") {
    if (all.size() < 2 || (all[1] != "E" && all[1] != "B" && all[1] != "WM"))
      refuse("an event of the side input is one of: side E, side B, side WM");
    case_event made = event_of({all.begin() + 1, all.end()}, line, number);
    made.side = true;
    return made;
  }
  case_event made{.line = number, .text = line};
  const std::string& word = all[0];
  if (word == "E" || word == "B") {
    expect_count(all, 2, word == "E" ? 2 : all.size());
    for (std::size_t i = 1; i < all.size(); ++i) made.elements.push_back(element_of(all[i]));
    return made;
  }
  if (word == "WM" || word == "PT") {
    expect_count(all, 2, 2);
    made.is = word == "WM" ? kind::watermark : kind::clock;
    made.at = time_of(all[1]);
  } else if (word == "crash") {
    expect_count(all, 1, 3);
    made.is = kind::crash;
    if (all.size() > 1) {
      if (all.size() < 3 || all[1] != "clock") refuse("a crash may be given a clock: crash clock TIME");
      made.at = time_of(all[2]);
    }
  } else if (word == "update") {
    made.is = kind::update;
    made.settings = parts_of(line.substr(word.size()));
  } else if (word == "checkpoint" || word == "drain" || word == "cancel") {
    expect_count(all, 1, 1);
    made.is = word == "checkpoint" ? kind::checkpoint : word == "drain" ? kind::drain : kind::cancel;
  } else {
    refuse("\"" + word + "\" is no setting and no event");
  }
  return made;
}

expected_line expected_line_of(const std::string& line, std::uint32_t number) {
  using kind = expected_line::kind;
  const words all = words_of(line);
  expected_line made{.line = number, .text = line.substr(line.find_first_not_of(' '))};
  const std::string& word = all[0];
  if (word == "held") {
    expect_count(all, 2, 2);
    made.is = kind::held;
    made.held = time_of(all[1]);
  } else if (word == "dropped") {
    expect_count(all, 3, 3);
    if (all[1] != "late" && all[1] != "closed_window") refuse("\"" + all[1] + "\" is no cause of drops");
    made.is = kind::dropped;
    made.name = all[1];
    made.count = count_from(all[2]);
  } else if (word == "state") {
    expect_count(all, 2, 2);
    if (all[1] != "DRAINED" && all[1] != "CANCELLED")
      refuse("\"" + all[1] + "\" is no state: write DRAINED or CANCELLED");
    made.is = kind::state;
    made.name = all[1];
  } else if (word == "refused") {
    made.is = kind::refused;
    made.name = quoted_part(line);
  } else if (word == "no_state" || word == "error") {
    expect_count(all, 1, 1);
    made.is = word == "error" ? kind::error : kind::no_state;
  } else {
    made.output = output_of(all);
  }
  return made;
}

}  // namespace millrace::transcripts
