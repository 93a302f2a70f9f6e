// Passes every event once a day: events of one id that are at most 24 hours apart are repeats of the first.
//   script/run once_a_day EVENTS.jsonl... [--remember 24h]
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace mr = millrace;
using namespace std::chrono_literals;

// A line of the input and of the output: {"time":"2026-01-01T10:00:00Z","id":"a17","what":"paid"}
struct event {
  mr::timestamp time;
  std::string id;
  std::string what;
};

// A line that is no event has no time; the step `parse` refuses it.
std::optional<mr::timestamp> time_of(const std::string& line) {
  event e;
  std::string why;
  return mr::read_json_line(line, e, why) ? std::optional(e.time) : std::nullopt;
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  mr::duration remember = 24h;
  mr::duration disorder = 1h;
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "events as JSON lines with time, id and what", 1);
  options.add("remember", &remember, "how long after an event its repeats are dropped");
  options.add("disorder", &disorder, "how far events come out of order; an id is forgotten that much later");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("once_a_day", "Drops the repeats of events.");
    return 0;
  }

  const auto lines = mr::with_event_times(mr::text_source(files), time_of, mr::bounded_out_of_orderness{disorder});

  mr::pipeline p{"once_a_day"};
  const auto [events, faulty] =
      p | mr::read("read", lines)
      | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<event>(line); }, mr::with_errors);
  events
      | mr::deduplicate("once a day", mr::by(&event::id),
                        {.remember = remember, .clock = mr::forgetting::by_event_time})
      | mr::map("format", mr::to_json_line<event>) | mr::print("print");
  faulty | mr::map("complain", [](const auto& f) { return "passed over " + f.element + ": " + f.message; })
      | mr::print("print faults", stderr);
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "once_a_day: " << error.what() << '\n';
  return 2;
}
