#pragma once

#include <millrace/transforms/element/pane.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace millrace::transcripts {

// What a step does with its input. Which of the numbers there are depends on the name.
struct case_transform {
  std::string name = "group";
  std::optional<std::uint64_t> count = {};   // of `batches` and `looping`
  std::optional<duration> by = {};           // of `looping` and `dedup`
  std::optional<duration> after = {};        // of `bag`
  std::optional<duration> clock = {};        // of `bag` and `batches`
  bool expire = false;                       // of `bag`
  std::optional<std::string> fallback = {};  // of `singleton`

  // It groups by key: windows, triggers and panes apply to it.
  [[nodiscard]] bool groups() const;
  // It reads the side input.
  [[nodiscard]] bool reads_side() const;
};

// One step of a case: what is written of its settings.
struct case_step {
  windowing options = {};
  bool sets_windowing = false;  // there is a window_into
  bool rekey = false;
  bool remerge = false;
  case_transform transform = {};
};

// An element of an event.
struct case_element {
  std::string key;
  std::string value;
  timestamp at;
};

// One output that a case expects. What is not written is not compared.
struct expected_output {
  std::string key = {};
  window in = {};
  std::string value = {};
  std::optional<timestamp> at = {};
  std::optional<pane_timing> timing = {};
  bool numbered = false;  // the rest is written too
  std::int64_t index = 0;
  std::int64_t non_speculative_index = 0;
  bool is_first = false;
  bool is_last = false;
};

// One expectation below an event.
struct expected_line {
  enum class kind : std::uint8_t { output, held, dropped, state, no_state, error, refused };

  std::uint32_t line = 0;  // its number in the file
  std::string text;        // as it is written, without comment
  kind is = kind::output;
  expected_output output = {};
  timestamp held = {};
  std::string name = {};    // the cause of a drop, a state, or a part of what an update is refused with
  std::uint64_t count = 0;  // of drops
};

// Something that happens to the pipeline, and what must come of it.
struct case_event {
  enum class kind : std::uint8_t { elements, watermark, clock, checkpoint, crash, update, drain, cancel };

  std::uint32_t line = 0;
  std::string text;
  kind is = kind::elements;
  bool side = false;  // elements or a watermark of the side input
  std::vector<case_element> elements = {};
  std::optional<timestamp> at = {};        // of a watermark or clock; of a crash, if a clock is written
  std::vector<std::string> settings = {};  // of an update: what is other than before
  std::vector<expected_line> expected = {};
};

// One case of a file of transcripts: a pipeline, what happens to it, and what must come out.
struct transcript_case {
  std::uint32_t line = 0;
  std::string number = {};
  std::string title = {};
  std::vector<case_step> steps = {};
  std::vector<case_step> side = {};  // of the side input that steps read; none if there is none
  bool unsafe = false;
  bool bounded = false;
  bool ordered = false;
  bool wrong = false;                       // it has a mistake that must be found
  std::optional<std::string> refused = {};  // the part of the message with which building must fail
  std::vector<case_event> events = {};
};

}  // namespace millrace::transcripts
