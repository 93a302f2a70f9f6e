#pragma once

#include "operators.hpp"
#include "strategy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reference {

// A pending timer. Without an output timestamp it holds nothing. `command` is what a timer of `timers` runs.
struct timer {
  instant at = 0;
  std::optional<instant> output;
  std::string command;
  bool of_drain = false;  // set by a callback that a drain has caused
};

// What a stateful step keeps of one key and window.
struct cell {
  bool seen = false;
  std::int64_t count = 0;
  std::vector<output> elements;
  std::optional<instant> batch_hold;
  std::map<std::string, timer> event_timers;
  std::map<std::string, timer> clock_timers;

  // Nothing in it will ever matter.
  [[nodiscard]] bool is_empty() const {
    return !seen && count == 0 && elements.empty() && event_timers.empty() && clock_timers.empty();
  }
};

// One call of the user's function: what it may see and change. `time` is the timestamp of the element or timer.
struct call {
  const std::string& key;
  window in;
  const moment& now;
  instant expiry;
  instant time;
  cell& state;
  bundle& out;
  std::optional<std::string> drained = {};  // the timer whose callback it is, if a drain has made it fire
  bool last = false;                        // which was set by such a callback itself
};

// The functions of the stateful programs that the transcripts name. They know nothing of watermarks, holds and order.
class stateful_program {
 public:
  explicit stateful_program(transform what) : what_(what) {}

  void on_element(call& here, const output& element) const;
  void on_timer(call& here, const std::string& name, const timer& fired) const;
  void on_expiration(call& here) const;

  // Whether anything happens on window expiration; then the end of the window is held until it has.
  [[nodiscard]] bool has_expiration() const;

  [[nodiscard]] bool wants_time_order() const { return what_.kind == transform_kind::sorted; }

 private:
  void collect(call& here, const output& element) const;
  void add_to_batch(call& here, const output& element) const;
  void start_loop(call& here) const;
  void go_round(call& here, const timer& fired) const;

  transform what_;
};

// Sets or clears a timer, as a value `A=5/3>C` of the program `timers` says. Returns whether the value is a command.
// Throws failure where a timer may not be set so.
bool obey_command(call& here, const std::string& value);

// Sets an event timer. The callback of a timer that a drain has made fire sets it in vain, and others once: what their
// callbacks set is ignored.
void set_event_timer(call& here, const std::string& name, timer what);

// A step with state and timers per key and window. It drops elements of expired windows, calls the program in the order
// of the model, holds the watermark for pending timers, and forgets a window just after it has expired.
class stateful {
 public:
  stateful(const strategy& windowing, const transform& what);

  [[nodiscard]] std::vector<bundle> accept(const bundle& elements, const moment& now);
  [[nodiscard]] std::vector<bundle> advance(const moment& now);

  // The least hold of all keys and windows, else the end of time.
  [[nodiscard]] instant hold() const;

  [[nodiscard]] bool keeps_state() const { return !cells_.empty(); }
  [[nodiscard]] const drops& dropped() const { return dropped_; }

 private:
  enum class due_kind { event_timer, flush, expiration, clock_timer };

  // Something that is due, in the order in which it comes.
  struct due {
    due_kind kind = due_kind::event_timer;
    instant at = 0;
    window in;
    std::string name;
  };

  using windows_of_key = std::map<window, cell>;

  void take(const output& element, const moment& now, bundle& out);
  void run_due(const std::string& key, const moment& now, bundle& out);
  [[nodiscard]] std::optional<due> next_due(const windows_of_key& windows, const moment& now) const;
  void collect_due(std::vector<due>& all, const window& in, const cell& state, const moment& now) const;
  void run(const due& what, call& here, windows_of_key& windows) const;
  void flush(call& here) const;
  void tidy(const std::string& key, const moment& now);
  [[nodiscard]] instant expiry(const window& in) const;
  [[nodiscard]] instant hold_of(const window& in, const cell& state) const;

  instant lateness_;
  stateful_program program_;
  std::map<std::string, windows_of_key> cells_;
  drops dropped_;
};

}  // namespace reference
