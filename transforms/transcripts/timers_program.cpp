#include <millrace/transforms/transcripts/timers_program.hpp>

#include <string_view>
#include <utility>

namespace millrace::transcripts {

namespace {

timer_output output_of(const timer_command& command) {
  if (command.no_output) return no_output;
  return command.output ? timer_output(*command.output) : timer_output();
}

}  // namespace

void timers_program::obey(const timer_command& command) {
  switch (command.is) {
  case timer_command::kind::clear:
    event_.clear(command.name);
    clock_.clear(command.name);
    forget("=" + command.name);
    forget("~" + command.name);
    return;
  case timer_command::kind::event:
    event_.set(command.name, command.fires, output_of(command));
    return remember("=" + command.name, command);
  case timer_command::kind::clock:
    clock_.set(command.name, command.fires, output_of(command));
    return remember("~" + command.name, command);
  }
}

// "s" for a silent one, then the command.
void timers_program::remember(const std::string& timer, const timer_command& command) {
  plans all = pending_.get();
  all[timer] = (command.no_output ? "s" : "n") + command.then;
  pending_.set(std::move(all));
}

std::string timers_program::forget(const std::string& timer) {
  plans all = pending_.get();
  const auto found = all.find(timer);
  if (found == all.end()) return "n";
  const std::string plan = found->second;
  all.erase(found);
  if (all.empty()) pending_.clear();
  else pending_.set(std::move(all));
  return plan;
}

void timers_program::fired(const std::string& timer, const std::string& key, emitter<case_row>& out) {
  const std::string plan = forget(timer);
  if (plan.front() == 'n') out(case_row{key, timer.substr(1)});
  if (const auto next = timer_command_of(std::string_view(plan).substr(1))) obey(*next);
}

}  // namespace millrace::transcripts
