#include "result_text.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <tuple>

namespace millrace::programs {

namespace {

std::string text_of_time(timestamp t) {
  if (t == timestamp::min()) return "min";
  if (t == timestamp::max()) return "max";
  if (t == timestamp::end_of_global_window()) return "end";
  return std::to_string(t.millis());
}

std::string text_of_window(const window& w) {
  if (w.is_global()) return "[global)";
  return "[" + text_of_time(w.start) + "," + text_of_time(w.end) + ")";
}

// The label and the first word after it.
std::string key_of(const std::string& line) {
  const std::size_t label = line.find(": ");
  return line.substr(0, line.find(' ', label == std::string::npos ? 0 : label + 2));
}

void with_windows(const outputs& shown, std::vector<std::string>& lines) {
  for (const auto& row : shown.rows())
    lines.push_back(row.value + (row.at.in.is_global() ? "" : " " + text_of_window(row.at.in)));
}

void with_stamps(const outputs& shown, std::vector<std::string>& lines) {
  for (const auto& row : shown.rows()) lines.push_back(row.value + " " + text_of_stamp(row.at));
}

void last_panes(const outputs& shown, std::vector<std::string>& lines) {
  std::map<std::pair<std::string, window>, recorded<std::string>> last;
  for (const auto& row : shown.rows()) {
    const auto [at, is_new] = last.try_emplace({key_of(row.value), row.at.in}, row);
    if (!is_new && at->second.at.pane.index < row.at.pane.index) at->second = row;
  }
  for (const auto& [key, row] : last)
    lines.push_back(row.value + (row.at.in.is_global() ? "" : " " + text_of_window(row.at.in)));
}

void summed_panes(const outputs& shown, std::vector<std::string>& lines) {
  std::map<std::pair<std::string, window>, std::int64_t> sums;
  for (const auto& row : shown.rows()) {
    const std::size_t cut = row.value.rfind(' ');
    sums[{row.value.substr(0, cut), row.at.in}] += std::stoll(row.value.substr(cut + 1));
  }
  for (const auto& [of, sum] : sums)
    lines.push_back(of.first + " " + std::to_string(sum)
                    + (of.second.is_global() ? "" : " " + text_of_window(of.second)));
}

void add_metrics(const metrics_by_step& metrics, std::vector<std::string>& lines) {
  for (const auto& [step, board] : metrics) {
    for (const auto& [cause, count] : board.dropped_elements())
      if (count > 0) lines.push_back("dropped " + step + " " + cause + " = " + std::to_string(count));
    for (const auto& [name, value] : board.counters())
      lines.push_back("counter " + step + " " + name + " = " + std::to_string(value));
    for (const auto& [name, d] : board.distributions())
      lines.push_back("distribution " + step + " " + name + " = " + std::to_string(d.count) + " values, sum "
                      + std::to_string(d.sum) + ", from " + std::to_string(d.least) + " to "
                      + std::to_string(d.greatest));
    for (const auto& [name, value] : board.gauges())
      lines.push_back("gauge " + step + " " + name + " = " + text_of(value));
  }
}

}  // namespace

std::string text_of_stamp(const stamp& at) {
  static constexpr const char* timings[] = {"EARLY", "ON_TIME", "LATE", "UNKNOWN"};
  return text_of_window(at.in) + " @" + text_of_time(at.time) + " " + timings[static_cast<std::size_t>(at.pane.timing)]
         + " " + std::to_string(at.pane.index) + "/" + std::to_string(at.pane.non_speculative_index)
         + (at.pane.is_first ? " F" : "") + (at.pane.is_last ? " L" : "");
}

std::vector<std::string> lines_of(const outputs& shown, reading as, const metrics_by_step& metrics) {
  std::vector<std::string> lines;
  switch (as) {
  case reading::rows:
    with_windows(shown, lines);
    break;
  case reading::stamped:
    with_stamps(shown, lines);
    break;
  case reading::last_pane:
    last_panes(shown, lines);
    break;
  case reading::summed_panes:
    summed_panes(shown, lines);
    break;
  }
  add_metrics(metrics, lines);
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> stamped_lines_of(const outputs& shown, const metrics_by_step& metrics) {
  return lines_of(shown, reading::stamped, metrics);
}

std::vector<std::string> expected_lines(const std::string& name) {
  const std::string path = MILLRACE_SOURCE_DIR "/tests/programs/expected/" + name + ".txt";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no expectation " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& found) {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::ranges::set_difference(expected, found, std::back_inserter(missing));
  std::ranges::set_difference(found, expected, std::back_inserter(unexpected));
  std::string text;
  for (const auto& line : missing) text += "  missing     " + line + "\n";
  for (const auto& line : unexpected) text += "  unexpected  " + line + "\n";
  return text;
}

}  // namespace millrace::programs
