#pragma once

#include "program.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Transcripts: cases in a line-based form, a pipeline, what happens to it, what must come out.
namespace reference {

// An output as it is written down. What is left out is not compared.
struct expected_output {
  std::string key = "k";
  window in;
  std::string value;
  std::optional<instant> time;
  std::optional<pane_timing> timing;
  std::optional<pane> which;  // its timing is not to be looked at
};

// What is written below an event.
struct expectations {
  std::vector<expected_output> outputs;
  std::optional<instant> held;
  std::optional<std::int64_t> late;
  std::optional<std::int64_t> closed_window;
  std::optional<job_state> state;
  bool no_state = false;
  bool error = false;
};

// An event line of a transcript with what must come of it.
struct scripted_event {
  std::string line;
  event what;
  expectations then;
};

// One case of a file.
struct transcript_case {
  std::string number;
  std::string title;
  program pipeline;
  std::optional<std::string> refused;
  bool ordered = false;
  bool wrong = false;
  std::vector<scripted_event> events;
};

// Thrown where a text is no transcript; the message names the line.
struct bad_transcript : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::vector<transcript_case> parse_transcript(std::string_view text);

// The trigger that a text in the form of the transcripts says.
[[nodiscard]] trigger parse_trigger(std::string_view text);

// Plays a case on the engine. Returns what differs from what is written, one line each; none if all is as written.
// A case that is marked wrong is played like any other.
[[nodiscard]] std::vector<std::string> differences(const transcript_case& one);

// Writes a case that happened to a pipeline: what comes of each event on the engine is what must come.
[[nodiscard]] std::string written_case(const std::string& title, const program& pipeline,
                                       const std::vector<event>& events);

// The same without anything that happens: the settings of a pipeline.
[[nodiscard]] std::string written_pipeline(const std::string& title, const program& pipeline);

// A line for messages.
[[nodiscard]] std::string text_of(const output& one);
[[nodiscard]] std::string text_of(const window& in);
[[nodiscard]] std::string text_of(pane_timing timing);
[[nodiscard]] std::string text_of(const trigger& of);

}  // namespace reference
