// Sessions of package activity: the bursts of work in Debian's dpkg.log, a row each.
//   script/run sessions [FILE...] [--gap 10min] [--output FILE.sqlite]
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mr = millrace;

// One thing that dpkg did to a package.
struct activity {
  mr::timestamp time;
  std::string package;
};

// "2026-01-31 09:15:02 upgrade libc6:amd64 2.36-8 2.36-9" is an activity, other lines tell of states or of dpkg itself.
void activity_of(const std::string& line, mr::emitter<activity>& out) {
  constexpr std::array<std::string_view, 6> actions{"install", "upgrade", "configure", "trigproc", "remove", "purge"};
  if (line.size() < 20 || line[10] != ' ' || line[19] != ' ') throw mr::parse_error("no time at the start of the line");
  const mr::timestamp time = mr::parse_timestamp(line.substr(0, 10) + "T" + line.substr(11, 8) + "Z");
  const std::size_t action_end = line.find(' ', 20);
  if (action_end == std::string::npos) throw mr::parse_error("nothing after the action");
  const std::string_view action(line.data() + 20, action_end - 20);
  if (std::ranges::find(actions, action) == actions.end()) return;
  out(activity{time, line.substr(action_end + 1, line.find(' ', action_end + 1) - action_end - 1)});
}

// A row of the result.
struct session {
  std::string start;
  std::string end;  // of the last action
  std::uint64_t packages = 0;
  std::uint64_t actions = 0;
};

// What is known of a session while it goes on.
struct session_so_far {
  mr::timestamp first = mr::timestamp::max();
  mr::timestamp last = mr::timestamp::min();
  std::set<std::string> packages;
  std::uint64_t actions = 0;
};

// A combine function of one's own.
struct summary {
  session_so_far create() const { return {}; }
  void add(session_so_far& to, const activity& a) const { merge(to, {a.time, a.time, {a.package}, 1}); }
  void merge(session_so_far& to, const session_so_far& other) const {
    to.first = std::min(to.first, other.first);
    to.last = std::max(to.last, other.last);
    to.packages.insert(other.packages.begin(), other.packages.end());
    to.actions += other.actions;
  }
  session extract(const session_so_far& of) const {
    return {mr::format_timestamp(of.first), mr::format_timestamp(of.last), of.packages.size(), of.actions};
  }
};

int main(int argc, char** argv) try {
  std::vector<std::string> files{"/var/log/dpkg.log*"};
  mr::duration gap = std::chrono::minutes{10};
  std::string output;
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "logs of dpkg, compressed or not; those of this machine if none is given");
  options.add("gap", &gap, "the silence that ends a session");
  options.add("output", &output, "write to the table `sessions` of this SQLite database; without it rows are printed");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("sessions", "Finds the sessions of package activity in logs of dpkg.");
    return 0;
  }

  mr::pipeline sessions{"sessions"};
  const auto [activities, faulty] =
      sessions | mr::read_text("read", files) | mr::flat_map("parse", activity_of, mr::with_errors);
  const auto rows = activities | mr::with_timestamps("event times", &activity::time)
                    | mr::window_into("sessions", {.into = mr::sessions(gap)})
                    | mr::combine_globally("summarise", summary{}, mr::without_defaults);
  if (output.empty()) rows | mr::map("format", mr::to_json_line<session>) | mr::print("print");
  else rows | mr::write_sqlite("write", {.database = output, .table = "sessions", .key = {"start"}});
  faulty | mr::map("complain", [](const auto& f) { return "passed over \"" + f.element + "\": " + f.message; })
      | mr::print("print faults", stderr);
  return mr::run(sessions, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "sessions: " << error.what() << '\n';
  return 2;
}
