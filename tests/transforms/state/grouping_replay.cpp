#include "grouping_replay.hpp"

#include "collected_panes.hpp"
#include "pane_lines.hpp"

#include <millrace/transforms/state/grouping.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string_view>

namespace millrace::transcripts {

namespace {

bool is_grouping(const case_step& step) {
  return step.transform.groups();
}

bool passes_on(const case_step& step) {
  return step.transform.name == "none" || step.transform.name == "reshuffle";
}

// Where a chain stands: what a checkpoint writes.
struct chain_state {
  std::vector<std::string> engines = {};
  std::vector<timestamp> watermarks = {};
  timestamp clock{0};
};

// The steps of a case, each with its grouping.
class chain {
 public:
  explicit chain(const std::vector<case_step>& steps) {
    windowing_strategy now;
    for (const case_step& from : steps) {
      if (from.remerge) now = remerged(now);
      if (from.sets_windowing) now = compose(now, from.options);
      steps_.push_back({.from = from, .strategy = now});
      if (is_grouping(from)) now = after_grouping(now);
    }
    restore({});
  }

  void send(const std::vector<case_element>& elements) {
    std::vector<flowing_element> bundle;
    for (const case_element& e : elements)
      bundle.push_back({.key = e.key, .value = e.value, .at = e.at, .windows = window::global(), .pane = {}});
    send(0, std::move(bundle));
  }
  void advance(timestamp watermark) { advance(0, watermark); }
  void advance_clock(timestamp now) {
    clock_ = std::max(clock_, now);
    for (std::size_t i = steps_.size(); i-- > 0;) {
      if (steps_[i].engine) steps_[i].engine->advance_clock(clock_);
      pass_on(i);
    }
  }

  // What has come out of the last step since the last call.
  std::vector<flowing_element> take() { return std::exchange(outputs_, {}); }
  [[nodiscard]] timestamp output_watermark() const { return steps_.back().output_watermark(); }
  [[nodiscard]] dropped_elements dropped() const {
    dropped_elements sum;
    for (const running_step& s : steps_) {
      if (!s.engine) continue;
      sum.late += s.engine->dropped().late;
      sum.closed_window += s.engine->dropped().closed_window;
    }
    return sum;
  }
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(steps_, [](const running_step& s) {
      return !s.engine || (s.engine->empty() && s.engine->output_hold() == timestamp::max() && s.buffers->alive() == 0);
    });
  }

  [[nodiscard]] chain_state save() const {
    chain_state state{.clock = clock_};
    for (const running_step& s : steps_) {
      writer out;
      if (s.engine) s.engine->encode(out);
      state.engines.emplace_back(out.bytes());
      state.watermarks.push_back(s.watermark);
    }
    return state;
  }
  // Goes back to a state, or to the start if it has no engines; `clock` is what the clock reads then.
  void restore(const chain_state& state, std::optional<timestamp> clock = std::nullopt) {
    clock_ = clock.value_or(state.clock);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      running_step& s = steps_[i];
      s.watermark = state.watermarks.empty() ? timestamp::min() : state.watermarks[i];
      if (!is_grouping(s.from)) continue;
      s.engine.reset();
      s.buffers = std::make_unique<collected_panes>();
      s.engine = std::make_unique<grouping>(s.strategy, *s.buffers,
                                            grouping_clocks{.watermark = timestamp::min(), .clock = clock_});
      if (state.engines.empty()) continue;
      reader in{std::string_view{state.engines[i]}};
      s.engine->decode(in);
      in.expect_end();
    }
    for (std::size_t i = steps_.size(); i-- > 0;) advance(i, steps_[i].watermark);
    advance_clock(clock_);
  }

 private:
  struct running_step {
    case_step from;
    windowing_strategy strategy;
    std::unique_ptr<collected_panes> buffers = nullptr;
    std::unique_ptr<grouping> engine = nullptr;
    timestamp watermark = timestamp::min();

    [[nodiscard]] timestamp output_watermark() const { return engine ? engine->output_watermark() : watermark; }
  };

  void send(std::size_t i, std::vector<flowing_element> bundle) {
    if (i == steps_.size()) {
      outputs_.insert(outputs_.end(), bundle.begin(), bundle.end());
      return;
    }
    running_step& s = steps_[i];
    std::vector<std::string> rows;
    for (flowing_element& e : bundle) {
      if (s.from.rekey) e.key = "k";
      if (s.from.transform.name == "distinct") e.key = e.value;
      if (s.from.options.into) e.windows = s.from.options.into->assign(e.at);
      rows.push_back(e.value);
    }
    if (!s.engine) return send(i + 1, std::move(bundle));
    s.buffers->set_rows(std::move(rows));
    s.engine->begin_bundle();
    for (std::uint32_t row = 0; const flowing_element& e : bundle) s.engine->add(e.key, e.windows, e.at, row++);
    s.engine->end_bundle();
    s.buffers->set_rows({});
    pass_on(i);
  }

  void advance(std::size_t i, timestamp watermark) {
    if (i == steps_.size()) return;
    running_step& s = steps_[i];
    s.watermark = std::max(s.watermark, watermark);
    if (s.engine) s.engine->advance(watermark);
    pass_on(i);
  }

  // The panes of each key, as one bundle, then the watermark that let them out.
  void pass_on(std::size_t i) {
    running_step& s = steps_[i];
    std::vector<collected_pane> all = s.buffers ? s.buffers->take() : std::vector<collected_pane>{};
    while (!all.empty()) {
      const std::string key = all.front().key;
      std::vector<flowing_element> bundle;
      for (const collected_pane& pane : all) {
        if (pane.key != key) continue;
        if (auto made = result_of(s.from.transform.name, pane)) bundle.push_back(std::move(*made));
      }
      std::erase_if(all, [&](const collected_pane& pane) { return pane.key == key; });
      if (!bundle.empty()) send(i + 1, std::move(bundle));
    }
    advance(i + 1, s.output_watermark());
  }

  std::vector<running_step> steps_;
  std::vector<flowing_element> outputs_;
  timestamp clock_{0};
};

// Plays the events of a case and notes what is not as written.
class player {
 public:
  player(const transcript_case& of, bool snapshots) : of_(of), snapshots_(snapshots), chain_(of.steps) {}

  std::vector<std::string> play() {
    for (std::size_t i = 0; i < of_.events.size(); ++i) play(i);
    if (chain_.dropped().late != expected_drops_.late) note("late drops at the end");
    if (chain_.dropped().closed_window != expected_drops_.closed_window) note("closed_window drops at the end");
    return std::move(differences_);
  }

 private:
  void note(const std::string& what) { differences_.push_back(where_ + ": " + what); }

  void play(std::size_t i) {
    const case_event& event = of_.events[i];
    where_ = of_.number + ", line " + std::to_string(event.line) + ", " + event.text;
    if (event.is == case_event::kind::checkpoint) {
      checkpoint_ = chain_.save();
      replay_from_ = i + 1;
    } else if (event.is == case_event::kind::crash) {
      chain_.restore(checkpoint_, event.at);
      compare(event);
      for (std::size_t again = replay_from_; again < i; ++again)
        if (of_.events[again].is != case_event::kind::crash) apply(of_.events[again]);
      return;
    }
    apply(event);
  }

  void apply(const case_event& event) {
    if (!event.elements.empty()) chain_.send(event.elements);
    else if (event.is == case_event::kind::watermark) chain_.advance(*event.at);
    else if (event.is == case_event::kind::clock) chain_.advance_clock(*event.at);
    else if (event.is == case_event::kind::drain) chain_.advance(timestamp::max());
    compare(event);
    if (snapshots_) {
      chain_.restore(chain_.save());
      for (const flowing_element& output : chain_.take())
        note("unexpected after a restore " + text_of(output_of(output)));
    }
  }

  void compare(const case_event& event) {
    std::vector<flowing_element> outputs = chain_.take();
    std::vector<const expected_line*> expected;
    for (const expected_line& line : event.expected)
      if (!compare_state(line)) expected.push_back(&line);
    std::ranges::sort(expected, std::ranges::greater{}, [](const auto* line) { return line->text.size(); });
    for (const expected_line* line : expected) {
      const auto found =
          std::ranges::find_if(outputs, [&](const auto& output) { return agrees(output_of(output), line->output); });
      if (found != outputs.end()) outputs.erase(found);
      else note("missing " + line->text);
    }
    for (const flowing_element& output : outputs) note("unexpected " + text_of(output_of(output)));
  }

  // Whether the line is about anything but an output.
  bool compare_state(const expected_line& line) {
    if (line.is == expected_line::kind::held) {
      if (chain_.output_watermark() != line.held)
        note("held " + std::to_string(chain_.output_watermark().millis()) + ", not " + line.text);
    } else if (line.is == expected_line::kind::dropped) {
      const bool late = line.name == "late";
      (late ? expected_drops_.late : expected_drops_.closed_window) = line.count;
      if ((late ? chain_.dropped().late : chain_.dropped().closed_window) != line.count) note("dropped " + line.name);
    } else if (line.is == expected_line::kind::no_state) {
      if (!chain_.empty()) note("there is state");
    }
    return line.is != expected_line::kind::output;
  }

  const transcript_case& of_;
  bool snapshots_;
  chain chain_;
  chain_state checkpoint_;
  std::size_t replay_from_ = 0;
  dropped_elements expected_drops_;
  std::string where_;
  std::vector<std::string> differences_;
};

// The message with which building the steps is refused, or nothing.
std::optional<std::string> refusal(const transcript_case& of) {
  windowing_strategy now;
  bool bounded = of.bounded;
  for (const case_step& step : of.steps) {
    if (step.remerge) now = remerged(now);
    if (step.sets_windowing) {
      now = compose(now, step.options);
      if (auto message = window_refusal(now)) return message;
    }
    if (!is_grouping(step)) continue;
    if (auto message = grouping_refusal(now, {.bounded = bounded, .unsafe_triggers_allowed = of.unsafe}))
      return message;
    now = after_grouping(now);
  }
  return std::nullopt;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

replay_result replay(const transcript_case& of, bool snapshots) {
  for (const case_step& step : of.steps)
    if (!is_grouping(step) && !passes_on(step)) return {.skipped = step.transform.name, .differences = {}};
  const std::optional<std::string> message = refusal(of);
  if (message.has_value() != of.refused.has_value())
    return {.skipped = {}, .differences = {of.number + ": " + (message ? "refused: " + *message : "not refused")}};
  if (message && lower(*message).find(lower(*of.refused)) == std::string::npos)
    return {.skipped = {}, .differences = {of.number + ": refused otherwise: " + *message}};
  if (message) return {};
  return {.skipped = {}, .differences = player{of, snapshots}.play()};
}

}  // namespace millrace::transcripts
