#include <millrace/transforms/graph/validate.hpp>
#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/play_case.hpp>
#include <millrace/transforms/transcripts/setting_lines.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace millrace::transcripts {

namespace {

using event_kind = case_event::kind;
using line_kind = expected_line::kind;

std::vector<case_output> outputs_of(std::vector<recorded<case_row>> rows) {
  std::vector<case_output> outputs;
  for (auto& r : rows) outputs.push_back({std::move(r.value.key), std::move(r.value.value), r.at});
  return outputs;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Plays the events of a case on one session and notes what is not as written.
class player {
 public:
  // The programs that a job has run, which it may look at as long as it lives: the first one at first.
  using programs = std::vector<std::unique_ptr<case_pipeline>>;

  player(const transcript_case& of, programs& ran, job_session& job)
      : of_(of), steps_(of.steps), ran_(ran), job_(job), came_(of.events.size()) {}

  std::vector<std::string> play() {
    for (std::size_t i = 0; i < of_.events.size(); ++i) {
      replayed_ = false;
      play(i);
    }
    compare_end();
    return std::move(differences_);
  }

 private:
  // The event's own line comes before the first difference at it.
  void note(const std::string& what) {
    if (!std::exchange(headed_, true)) differences_.push_back(where_);
    differences_.push_back("  " + what);
  }
  void at(const std::string& where) {
    where_ = where;
    headed_ = false;
  }

  void play(std::size_t i) {
    const case_event& event = of_.events[i];
    if (job_.state() != session_state::running && event.is != event_kind::update) return compare(i);
    if (event.is == event_kind::checkpoint) {
      job_.checkpoint();
      replay_from_ = i + 1;
    } else if (event.is == event_kind::crash) {
      return crash(i);
    } else if (event.is == event_kind::update) {
      update(event);
      replay_from_ = i + 1;
    }
    apply(i);
  }

  // What came since the checkpoint is gone: it must come again, event by event.
  void crash(std::size_t i) {
    for (std::size_t again = replay_from_; again < i; ++again) came_[again].clear();
    job_.crash(of_.events[i].at);
    compare(i);
    replayed_ = true;
    for (std::size_t again = replay_from_; again < i; ++again)
      if (of_.events[again].is != event_kind::crash) apply(again);
  }

  // The job takes a checkpoint, also if it goes on as it was.
  void update(const case_event& event) {
    refused_.clear();
    transcript_case changed = of_;
    changed.steps = updated_steps(steps_, event.settings);
    try {
      auto next = std::make_unique<case_pipeline>(changed);
      job_.update(next->description(), {});
      steps_ = std::move(changed.steps);
      ran_.push_back(std::move(next));
    } catch (const pipeline_error& e) {
      refused_ = e.what();
    } catch (const update_refused& e) {
      refused_ = e.what();
    }
  }

  void apply(std::size_t i) {
    const case_event& event = of_.events[i];
    if (const auto scripted = ran_.back()->scripted(i)) job_.play(*scripted);
    else if (event.is == event_kind::clock) job_.advance_clock(*event.at);
    else if (event.is == event_kind::drain) job_.drain();
    else if (event.is == event_kind::cancel) job_.cancel();
    compare(i);
  }

  void compare(std::size_t i) {
    const case_event& event = of_.events[i];
    at("line " + std::to_string(event.line) + ", " + event.text + (replayed_ ? " (played again after the crash)" : ""));
    std::vector<case_output> outputs;
    for (const auto& ran : ran_)
      for (case_output& o : outputs_of(ran->take())) outputs.push_back(std::move(o));
    came_[i] = outputs;
    const bool fails = std::ranges::count(event.expected, line_kind::error, &expected_line::is) > 0;
    // What a bundle that fails the job had given out before is never committed, and depends on who runs it: only what
    // is written must have come.
    if (fails && job_.state() == session_state::failed)
      std::erase_if(outputs, [&](const case_output& o) {
        return std::ranges::none_of(event.expected, [&](const expected_line& line) {
          return line.is == line_kind::output && agrees(o, line.output);
        });
      });
    compare_outputs(event, std::move(outputs));
    compare_refusal(event);
    for (const expected_line& line : event.expected) compare_rest(line);
    if (job_.state() == session_state::failed && !fails && !std::exchange(failed_, true))
      note("the job failed: " + job_.error());
  }

  void compare_refusal(const case_event& event) {
    if (event.is != event_kind::update) return;
    const auto expected = std::ranges::find(event.expected, line_kind::refused, &expected_line::is);
    const bool must = expected != event.expected.end();
    if (must && refused_.empty()) note("the update was accepted, but must be refused with \"" + expected->name + "\"");
    else if (!refused_.empty() && (!must || refused_.find(expected->name) == std::string::npos))
      note("the update was refused: " + refused_);
  }
  void compare_outputs(const case_event& event, std::vector<case_output> outputs) {
    std::vector<const expected_line*> expected;
    for (const expected_line& line : event.expected)
      if (line.is == line_kind::output) expected.push_back(&line);
    if (of_.ordered && !in_order(expected, outputs)) return note_order(expected, outputs);
    // Those that say most choose first, then in the order of the file.
    std::ranges::sort(expected, {}, [](const expected_line* line) {
      const expected_output& said = line->output;
      return std::pair{-((said.numbered ? 4 : 0) + (said.timing ? 2 : 0) + (said.at ? 1 : 0)), line->line};
    });
    std::vector<std::string> missing;
    for (const expected_line* line : expected) {
      const auto found = std::ranges::find_if(outputs, [&](const auto& o) { return agrees(o, line->output); });
      if (found != outputs.end()) outputs.erase(found);
      else note("missing: " + line->text + " (line " + std::to_string(line->line) + ")");
    }
    for (const case_output& output : outputs) note("unexpected: " + text_of(output));
  }

  static bool in_order(const std::vector<const expected_line*>& expected, const std::vector<case_output>& outputs) {
    return std::ranges::equal(outputs, expected,
                              [](const auto& output, const auto* line) { return agrees(output, line->output); });
  }
  void note_order(const std::vector<const expected_line*>& expected, const std::vector<case_output>& outputs) {
    for (const expected_line* line : expected) note("in this order: " + line->text);
    for (const case_output& output : outputs) note("came: " + text_of(output));
    if (outputs.empty()) note("came: nothing");
  }

  void compare_rest(const expected_line& line) {
    const std::string here = " (line " + std::to_string(line.line) + ")";
    if (line.is == line_kind::held) {
      const timestamp held = job_.output_watermark(case_pipeline::last);
      if (held != line.held) note("held " + time_text(held) + ", not " + time_text(line.held) + here);
    } else if (line.is == line_kind::dropped) {
      dropped_[line.name] = line.count;
      compare_drops(line.name, line.count, here);
    } else if (line.is == line_kind::state) {
      if (to_text(job_.state()) != line.name) note("state " + to_text(job_.state()) + ", not " + line.name + here);
    } else if (line.is == line_kind::no_state) {
      if (job_.has_state()) note("there is state" + here);
    } else if (line.is == line_kind::error) {
      if (job_.state() != session_state::failed) note("the job goes on, but must fail" + here);
    }
  }
  void compare_drops(const std::string& cause, std::uint64_t expected, const std::string& here) {
    const std::uint64_t dropped = job_.dropped(cause);
    if (dropped == expected) return;
    note("dropped " + cause + " " + std::to_string(dropped) + ", not " + std::to_string(expected) + here);
  }

  // Drops, and what a sink that commits has been given: everything once, whatever crashed.
  void compare_end() {
    if (job_.state() == session_state::failed) return;
    at("at the end");
    for (const char* cause : {"late", "closed_window"}) compare_drops(cause, dropped_[cause], "");
    if (job_.state() == session_state::cancelled) return;
    if (job_.state() == session_state::running) job_.checkpoint();
    std::vector<std::string> committed;
    for (const case_output& o : outputs_of(ran_.back()->committed())) committed.push_back(text_of(o));
    std::vector<std::string> came;
    for (const auto& event : came_)
      for (const case_output& o : event) came.push_back(text_of(o));
    compare_committed(std::move(came), std::move(committed));
  }
  void compare_committed(std::vector<std::string> came, std::vector<std::string> committed) {
    std::ranges::sort(came);
    std::ranges::sort(committed);
    std::vector<std::string> only;
    std::ranges::set_difference(came, committed, std::back_inserter(only));
    for (const std::string& text : only) note("came, but was not committed: " + text);
    only.clear();
    std::ranges::set_difference(committed, came, std::back_inserter(only));
    for (const std::string& text : only) note("committed twice, or never seen: " + text);
  }

  const transcript_case& of_;
  std::vector<case_step> steps_;  // of the program that runs
  programs& ran_;
  std::string refused_;  // what the last update was refused with
  job_session& job_;
  std::vector<std::vector<case_output>> came_;  // at each event, when it was played last
  std::size_t replay_from_ = 0;
  bool replayed_ = false;
  bool failed_ = false;
  std::map<std::string, std::uint64_t> dropped_;  // as last written
  std::string where_;
  bool headed_ = false;
  std::vector<std::string> differences_;
};

// What is wrong with a refusal, or with there being none.
std::vector<std::string> refusal_difference(const transcript_case& of, const std::optional<std::string>& message) {
  if (!of.refused && message) return {"building it was refused: " + *message};
  if (of.refused && !message) return {"building it must be refused with \"" + *of.refused + "\", but is not"};
  if (of.refused && lower(*message).find(lower(*of.refused)) == std::string::npos)
    return {"building it must be refused with \"" + *of.refused + "\", not with: " + *message};
  return {};
}

}  // namespace

case_result play_case(const transcript_case& of, const session_maker& make) {
  case_result result;
  std::optional<std::string> refused;
  player::programs ran;
  try {
    ran.push_back(std::make_unique<case_pipeline>(of));
    validate(ran.front()->description().description());
    result.paths = ran.front()->paths();
  } catch (const pipeline_error& e) {
    refused = e.what();
  }
  result.differences = refusal_difference(of, refused);
  if (refused || !result.differences.empty()) return result;
  if (of.refused) return result;
  const std::unique_ptr<job_session> job = make(ran.front()->description());
  result.differences = player{of, ran, *job}.play();
  return result;
}

}  // namespace millrace::transcripts
