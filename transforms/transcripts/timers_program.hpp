#pragma once

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer_family.hpp>
#include <millrace/transforms/transcripts/case_programs.hpp>
#include <millrace/transforms/transcripts/timer_command.hpp>

#include <map>
#include <string>
#include <tuple>

namespace millrace::transcripts {

// Values are commands that set and clear timers by name; any other value is passed on. A name may stand for an event
// timer and for a timer of the clock.
class timers_program {
 public:
  using output = case_row;

  void process(const case_row& x, emitter<case_row>& out) {
    if (const auto command = timer_command_of(x.value)) obey(*command);
    else out(x);
  }
  void on_timer(const event_timer_family& which, const std::string& key, emitter<case_row>& out) {
    fired("=" + which.tag(), key, out);
  }
  void on_timer(const processing_timer_family& which, const std::string& key, emitter<case_row>& out) {
    fired("~" + which.tag(), key, out);
  }
  auto cells() { return std::tie(pending_, event_, clock_); }

 private:
  // What a timer that is pending does when it fires.
  using plans = std::map<std::string, std::string>;

  void obey(const timer_command& command);
  void remember(const std::string& timer, const timer_command& command);
  // Forgets a timer and gives what it was to do.
  std::string forget(const std::string& timer);
  void fired(const std::string& timer, const std::string& key, emitter<case_row>& out);

  value_state<plans> pending_{"pending"};
  event_timer_family event_{"event"};
  processing_timer_family clock_{"clock"};
};

}  // namespace millrace::transcripts
