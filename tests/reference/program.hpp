#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// The plain types of a case for the reference engine: what a pipeline consists of, what happens to it, what comes out.
namespace reference {

// A moment or a length of time in milliseconds.
using instant = std::int64_t;

inline constexpr instant min_time = -9223372036854775;
inline constexpr instant max_time = 9223372036854775;
inline constexpr instant day = 86'400'000;

// The last instant of the global window: a day before the end of time, so that timers there can fire.
inline constexpr instant global_max_time = max_time - day;

// A half-open interval of event time.
struct window {
  instant start = 0;
  instant end = 0;
  auto operator<=>(const window&) const = default;
};

inline constexpr window global_window{min_time, global_max_time + 1};

enum class window_kind { global, fixed, sliding, sessions };

// How elements get windows. `size` is also the gap of sessions; `period` is for sliding windows only.
struct window_function {
  window_kind kind = window_kind::global;
  instant size = 0;
  instant period = 0;
  instant offset = 0;
};

enum class trigger_kind {
  by_default,
  never,
  always,
  at_watermark,
  early_late,          // parts: early, and late if there is one; `never` stands for a missing early trigger
  count,               // count
  clock,               // clock
  synchronized_clock,  // only as the continuation of `clock`
  repeat,              // one part
  first,
  all,
  each,
  until,  // parts: what fires, what finishes it
};

// A step of the computation of a clock trigger's target: a delay, or the next multiple of a period.
struct clock_step {
  bool align = false;
  instant length = 0;
};

// A trigger and its parts. What a field is for is said at its kind.
struct trigger {
  trigger_kind kind = trigger_kind::by_default;
  std::int64_t count = 0;
  std::vector<clock_step> clock;
  std::vector<trigger> parts;
};

enum class accumulation { discarding, accumulating };
enum class timestamp_combiner { end_of_window, earliest, latest };
enum class firing { always, if_non_empty };

enum class transform_kind {
  none,
  reshuffle,
  group,
  sum,
  count,
  max,
  mean,
  distinct,
  running_count,
  bag,  // after, clock, expire
  timers,
  looping,  // length, limit
  batches,  // limit, clock
  dedup,    // length
  sorted,
  side_singleton,  // fallback; the value of a side input behind the element's own
  side_iterable,   // {1,2}
  side_map,        // {a=1,b=2}
  side_multimap,   // {a={1,2}}
};

// What a step does. What a field is for is said at its kind.
struct transform {
  transform_kind kind = transform_kind::group;
  instant length = 0;
  std::int64_t limit = 0;
  std::optional<instant> after;
  std::optional<instant> clock;
  bool expire = false;
  std::optional<std::string> fallback;
};

// One step of a pipeline: re-keying, then a window_into of what is given (nothing given: no window_into), then the
// transform. What is not given stays as it is in the input.
struct step {
  bool rekey = false;
  bool remerge = false;
  std::optional<window_function> windows;
  std::optional<trigger> firing_trigger;
  std::optional<instant> lateness;
  std::optional<accumulation> panes;
  std::optional<timestamp_combiner> timestamps;
  std::optional<firing> on_time;
  std::optional<firing> closing;
  transform what;
};

// A pipeline: a chain of steps, and the chain whose results are the side input of the steps that read one.
struct program {
  std::vector<step> steps;
  std::vector<step> side;
  bool bounded = false;
  bool unsafe_triggers = false;
};

// An element as a source gives it out.
struct element {
  std::string key = "k";
  std::string value;
  instant time = 0;
};

enum class event_kind {
  elements,
  watermark,
  clock,
  checkpoint,
  crash,
  drain,
  cancel,
  side_elements,
  side_watermark,
};

// What happens to a pipeline. `time` is the new watermark or clock, for a crash the clock afterwards.
struct event {
  event_kind kind = event_kind::elements;
  std::vector<element> elements;
  std::optional<instant> time;
};

enum class pane_timing { early, on_time, late, unknown };

// Which of a window's results an output is. An element that no grouping gave out has the pane as it is by default.
struct pane {
  pane_timing timing = pane_timing::unknown;
  std::int64_t index = 0;
  std::int64_t non_speculative_index = 0;
  bool first = true;
  bool last = true;
  bool operator==(const pane&) const = default;
};

// An element on its way and at the end: in one window, with its pane. Bags are written {a,b}, sorted.
struct output {
  std::string key;
  window in;
  std::string value;
  instant time = 0;
  pane which;
  bool operator==(const output&) const = default;
};

// Elements that a step dropped, by cause.
struct drops {
  std::int64_t late = 0;
  std::int64_t closed_window = 0;
  bool operator==(const drops&) const = default;
};

enum class job_state { running, drained, cancelled, failed };

// What is to be seen after an event: the outputs of the last step that it caused, and how the pipeline stands.
struct report {
  std::vector<output> outputs;
  instant held = min_time;     // the output watermark of the last step
  std::vector<drops> dropped;  // of each step, so far; then of those of the side input
  bool state_left = false;     // some step keeps state, a hold or a timer
  job_state state = job_state::running;
  std::string error;  // why it failed

  // Of all steps.
  [[nodiscard]] drops dropped_in_all() const {
    drops sum;
    for (const drops& one : dropped) {
      sum.late += one.late;
      sum.closed_window += one.closed_window;
    }
    return sum;
  }
};

// Thrown where a pipeline is built that must not be.
struct refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown inside the engine where a user's function would make the job fail.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace reference
