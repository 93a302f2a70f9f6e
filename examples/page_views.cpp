// Views per page and minute, kept up to date in an SQLite table while clicks come in, late ones too.
//   script/run page_views CLICKS.jsonl... --output FILE.sqlite
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace mr = millrace;
using namespace std::chrono_literals;

// A line of the input: {"time":"2026-01-01T10:00:00Z","user":"ada","page":"/"}
struct click {
  mr::timestamp time;
  std::string user;
  std::string page;
};

// A row of the table.
struct views {
  std::string minute;
  std::string page;
  std::uint64_t count = 0;
};

// A line that is no click has no time; the step `parse` refuses it.
std::optional<mr::timestamp> time_of(const std::string& line) {
  click c;
  std::string why;
  return mr::read_json_line(line, c, why) ? std::optional(c.time) : std::nullopt;
}

// The window of an element is in its stamp, which a function with an emitter sees.
void to_row(const mr::kv<std::string, std::uint64_t>& counted, mr::emitter<views>& out) {
  out(views{mr::format_timestamp(out.at().in.start), counted.key, counted.value});
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  std::string output = "page_views.sqlite";
  mr::duration disorder = 30s;
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "clicks as JSON lines with time, user and page", 1);
  options.add("output", &output, "the SQLite database whose table `views` is written");
  options.add("disorder", &disorder, "how far clicks come out of order without being late");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("page_views", "Counts views per page and minute.");
    return 0;
  }

  // Early results every ten seconds, one at the watermark, a correction for each late click, for an hour.
  const mr::windowing per_minute{
      .into = mr::fixed(1min),
      .fire = mr::at_watermark().early(mr::after_delay{10s}).late(mr::each_element{}),
      .keep = mr::panes::accumulating,
      .allowed_lateness = 1h,
  };
  const auto clicks = mr::with_event_times(mr::text_source(files), time_of, mr::bounded_out_of_orderness{disorder});

  mr::pipeline p{"page_views"};
  const auto [parsed, faulty] =
      p | mr::read("read", clicks)
      | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<click>(line); }, mr::with_errors);
  parsed | mr::window_into("per minute", per_minute)  //
      | mr::map("page", &click::page)                 // text
      | mr::count_per_element("count")                // mr::kv<std::string, std::uint64_t>
      | mr::flat_map("row", to_row)                   // views
      | mr::write_sqlite("write", {.database = output, .table = "views", .key = {"minute", "page"}});
  faulty | mr::map("complain", [](const auto& f) { return "passed over " + f.element + ": " + f.message; })
      | mr::print("print faults", stderr);
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "page_views: " << error.what() << '\n';
  return 2;
}
