#include <millrace/transforms/transcripts/setting_lines.hpp>
#include <millrace/transforms/transcripts/trigger_text.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace millrace::transcripts {

namespace {

using words = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

const std::string& word_at(const words& all, std::size_t i) {
  if (i >= all.size()) refuse("\"" + all.front() + "\" misses a word");
  return all[i];
}

void expect_count(const words& all, std::size_t count) {
  static_cast<void>(word_at(all, count - 1));
  if (all.size() > count) refuse("\"" + all[count] + "\" is one word too many");
}

// The duration behind a word, which may be left out.
std::optional<duration> take_named(words& all, std::string_view name) {
  const auto found = std::ranges::find(all, name);
  if (found == all.end()) return std::nullopt;
  if (std::next(found) == all.end()) refuse("\"" + std::string(name) + "\" misses its number");
  const duration d = duration_of(*std::next(found));
  all.erase(found, std::next(found, 2));
  return d;
}

window_fn window_fn_of(words all) {
  const std::string kind = word_at(all, 1);
  if (kind == "global") {
    expect_count(all, 2);
    return global_windows();
  }
  const duration size = duration_of(word_at(all, 2));
  const auto offset = take_named(all, "offset");
  const auto every = take_named(all, "every");
  expect_count(all, 3);
  if (kind == "sliding" && every) return sliding(size, *every, offset.value_or(duration{0}));
  if (every) refuse("only sliding windows come \"every\" so often");
  if (kind == "fixed") return fixed(size, offset.value_or(duration{0}));
  if (offset) refuse("only fixed and sliding windows have an offset");
  if (kind == "sliding") refuse("sliding windows miss \"every P\"");
  if (kind != "sessions") refuse("\"" + kind + "\" is no window function: write fixed, sliding, sessions or global");
  return sessions(size);
}

// The value that a word stands for.
template <class T, std::size_t N>
T choice(const words& all, const std::array<std::pair<std::string_view, T>, N>& among) {
  expect_count(all, 2);
  const auto found = std::ranges::find(among, all[1], &std::pair<std::string_view, T>::first);
  if (found != among.end()) return found->second;
  std::string known;
  for (const auto& [word, value] : among) known += (known.empty() ? "" : ", ") + std::string(word);
  refuse("\"" + all[1] + "\" is no " + all[0] + ": write one of " + known);
}

fires behaviour(const words& all) {
  return choice<fires, 2>(all, {{{"always", fires::always}, {"if_non_empty", fires::if_non_empty}}});
}

bool take_windowing(windowing& options, const words& all, const std::string& line) {
  const std::string& name = all[0];
  const bool unset = all.size() == 2 && all[1] == "unset";
  if (name == "windows") options.into = window_fn_of(all);
  else if (name == "trigger") options.fire = trigger_of(std::string_view(line).substr(name.size()));
  else if (name == "lateness" && unset) options.allowed_lateness = std::nullopt;
  else if (name == "lateness") options.allowed_lateness = (expect_count(all, 2), duration_of(all[1]));
  else if (name == "on_time") options.on_time = behaviour(all);
  else if (name == "closing") options.closing = behaviour(all);
  else if (name == "panes" && unset) options.keep = std::nullopt;
  else if (name == "panes")
    options.keep = choice<panes, 2>(all, {{{"accumulating", panes::accumulating}, {"discarding", panes::discarding}}});
  else if (name == "timestamps")
    options.timestamps = choice<timestamp_combiner, 3>(all, {{{"end_of_window", timestamp_combiner::end_of_window},
                                                              {"earliest", timestamp_combiner::earliest},
                                                              {"latest", timestamp_combiner::latest}}});
  else return false;
  return true;
}

case_transform transform_of(words all) {
  static constexpr std::array<std::string_view, 13> plain{"group",    "sum",       "count",   "max",           "mean",
                                                          "distinct", "reshuffle", "none",    "running_count", "timers",
                                                          "list",     "map",       "multimap"};
  case_transform made{.name = word_at(all, 1)};
  const auto end = [&](std::size_t count) { expect_count(all, count); };
  if (made.name == "bag") {
    made.after = take_named(all, "after");
    made.clock = take_named(all, "clock");
    made.expire = std::erase(all, "expire") > 0;
    end(2);
  } else if (made.name == "batches") {
    made.clock = take_named(all, "clock");
    made.count = count_from(word_at(all, 2));
    if (made.count == 0U) refuse("a batch has at least one element");
    end(3);
  } else if (made.name == "looping") {
    made.by = duration_of(word_at(all, 2));
    if (*made.by <= duration{0}) refuse("a looping timer moves forward");
    if (all.size() > 3) made.count = count_from(all[3]);
    end(std::max<std::size_t>(3, std::min<std::size_t>(all.size(), 4)));
  } else if (made.name == "dedup") {
    made.by = duration_of(word_at(all, 2));
    end(3);
  } else if (made.name == "singleton") {
    if (all.size() > 2) made.fallback = all[2];
    end(made.fallback ? 3 : 2);
  } else if (made.name == "sorted" || std::ranges::count(plain, made.name) > 0) {
    end(2);
  } else {
    refuse("\"" + made.name + "\" is no transform");
  }
  return made;
}

}  // namespace

bool case_transform::groups() const {
  static constexpr std::array<std::string_view, 6> all{"group", "sum", "count", "max", "mean", "distinct"};
  return std::ranges::count(all, name) > 0;
}

bool case_transform::reads_side() const {
  static constexpr std::array<std::string_view, 4> all{"singleton", "list", "map", "multimap"};
  return std::ranges::count(all, name) > 0;
}

std::string quoted_part(const std::string& line) {
  const std::size_t from = line.find('"');
  if (from == std::string::npos || line.size() < from + 2 || line.back() != '"')
    refuse("write the part of the message in quotes: refused \"part\"");
  return line.substr(from + 1, line.size() - from - 2);
}

std::vector<case_step> updated_steps(std::vector<case_step> steps, const std::vector<std::string>& settings) {
  static constexpr std::array<std::string_view, 5> whole_case{"refused", "unsafe", "bounded", "ordered", "wrong"};
  for (const std::string& setting : settings) {
    std::vector<std::string> words = words_of(setting);
    std::uint64_t step = 1;
    if (words.size() > 2 && words[0] == "step") {
      step = count_from(words[1]);
      words.erase(words.begin(), words.begin() + 2);
    }
    if (step < 1 || step > steps.size()) refuse("the case has no step " + std::to_string(step));
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    transcript_case one;
    one.steps = {steps[step - 1]};
    const bool taken = !words.empty() && std::ranges::count(whole_case, words[0]) == 0
                       && setting_lines().take(one, words, line) && one.steps.size() == 1 && one.side.empty();
    if (!taken) refuse("\"" + line + "\" is no setting of a step that an update may change");
    steps[step - 1] = one.steps.front();
  }
  return steps;
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

void setting_lines::note_once(const std::string& name) {
  if (!written_.insert(name).second) refuse("\"" + name + "\" is written twice");
}

void setting_lines::begin_step() {
  std::erase_if(written_, [](const std::string& of) { return !of.ends_with(" (case)"); });
}

bool setting_lines::take(transcript_case& to, const std::vector<std::string>& words, const std::string& line) {
  std::vector<case_step>& steps = to.side.empty() ? to.steps : to.side;
  case_step& step = steps.back();
  const std::string& name = words[0];
  if (take_windowing(step.options, words, line)) {
    step.sets_windowing = true;
    note_once(name);
  } else if (name == "transform") {
    step.transform = transform_of(words);
    note_once(name);
  } else if (name == "rekey" || name == "remerge") {
    expect_count(words, 1);
    (name == "rekey" ? step.rekey : step.remerge) = true;
    note_once(name);
  } else if (name == "then") {
    expect_count(words, 1);
    steps.emplace_back();
    begin_step();
  } else if (name == "side") {
    if (words.size() > 1) return false;  // an event of the side input
    note_once("side (case)");
    to.side = {first_step()};
    to.side.front().transform.name = "none";
    begin_step();
  } else if (name == "refused") {
    to.refused = quoted_part(line);
    note_once("refused (case)");
  } else if (name == "unsafe" || name == "bounded" || name == "ordered" || name == "wrong") {
    expect_count(words, 1);
    (name == "unsafe" ? to.unsafe : name == "bounded" ? to.bounded : name == "ordered" ? to.ordered : to.wrong) = true;
    note_once(name + " (case)");
  } else {
    return false;
  }
  return true;
}

}  // namespace millrace::transcripts
