// Says who left: users who have not clicked for half an hour of event time, with state and timers.
//   script/run idle_users CLICKS.jsonl... [--patience 30min]
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace mr = millrace;

// A line of the input: {"time":"2026-01-01T10:00:00Z","user":"ada","page":"/"}
struct click {
  mr::timestamp time;
  std::string user;
  std::string page;
};

// A line of the output.
struct departure {
  std::string user;
  mr::timestamp last_click;
  std::uint64_t clicks = 0;
};

// Clicks come out of order, so they are kept until the watermark says that none is missing: the timer waits for the
// first moment at which the user may have left, and looks again if a click has moved it.
class idle_users {
 public:
  using output = departure;
  explicit idle_users(mr::duration patience) : patience_(patience) {}
  auto cells() { return std::tie(first_, clicks_, idle_); }  // what the runtime keeps for each user

  void process(const mr::kv<std::string, click>& x, mr::emitter<departure>& /*out*/) {
    const mr::timestamp time = x.value.time;
    clicks_.add(time);
    if (first_.has_value() && first_.get() <= time) return;
    first_.set(time);
    idle_.set(time + patience_);
  }

  void on_timer(const mr::event_timer& timer, const std::string& user, mr::emitter<departure>& out) {
    std::vector<mr::timestamp> times = clicks_.read();
    std::ranges::sort(times);
    const auto pause = std::ranges::adjacent_find(times, [&](auto a, auto b) { return b - a >= patience_; });
    const auto last = pause == times.end() ? times.end() - 1 : pause;
    if (*last + patience_ > timer.fired_at()) return idle_.set(*last + patience_);
    out(departure{user, *last, static_cast<std::uint64_t>(last - times.begin()) + 1});
    clicks_.clear();
    first_.clear();
    if (last + 1 == times.end()) return;
    for (auto t = last + 1; t != times.end(); ++t) clicks_.add(*t);
    first_.set(*(last + 1));
    idle_.set(*(last + 1) + patience_);
  }

 private:
  mr::duration patience_;
  mr::value_state<mr::timestamp> first_{"first"};
  mr::bag_state<mr::timestamp> clicks_{"clicks"};
  mr::event_timer idle_{"idle"};
};

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  mr::duration patience = std::chrono::minutes{30};
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "clicks as JSON lines with time, user and page", 1);
  options.add("patience", &patience, "how long a user may be silent");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("idle_users", "Tells which users left, and after how many clicks.");
    return 0;
  }

  mr::pipeline p{"idle_users"};
  p | mr::read_text("read", files)
      | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<click>(line); })
      | mr::with_timestamps("event times", &click::time) | mr::with_keys("by user", &click::user)
      | mr::par_do("idle users", idle_users{patience}) | mr::map("format", mr::to_json_line<departure>)
      | mr::print("print");
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "idle_users: " << error.what() << '\n';
  return 2;
}
