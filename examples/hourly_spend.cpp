// Watches cards: an alert whenever what a card has spent within 60 minutes goes above a limit.
//   script/run hourly_spend PAYMENTS.jsonl... [--limit 100000] [--output alerts]
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mr = millrace;
using namespace std::chrono_literals;

// A line of the input: {"time":"2026-01-01T10:00:00Z","card":"1234","cents":999}
struct payment {
  mr::timestamp time;
  std::string card;
  std::int64_t cents = 0;
};

// A line of the output: at this moment the card has spent so much in 60 minutes.
struct alert {
  mr::timestamp time;
  std::string card;
  std::int64_t cents = 0;
};

// The spend of a card changes when a payment is made and 60 minutes later, when it leaves. A timer visits these moments
// in the order of event time, once the watermark says that no earlier payment is missing: so the order in which
// payments come does not matter, and those of one moment count together. One that comes after its moment was visited
// goes to the second output, since alerts have been given without it.
class spend_watch {
 public:
  using output = std::tuple<alert, payment>;
  explicit spend_watch(std::int64_t limit) : limit_(limit) {}
  auto cells() { return std::tie(payments_, spent_, next_, visit_); }

  void process(const mr::kv<std::string, payment>& x, mr::emitter<alert>& /*alerts*/, mr::emitter<payment>& late) {
    if (x.value.time < visit_.now()) return late(x.value);
    payments_.add(x.value.time, x.value.cents);
    if (!next_.has_value() || x.value.time < next_.get()) visit_at(x.value.time);
  }

  void on_timer(const mr::event_timer& visit, const std::string& card, mr::emitter<alert>& alerts,
                mr::emitter<payment>& /*late*/) {
    const mr::timestamp now = visit.fired_at();
    const mr::timestamp kept = now - 1h + 1ms;  // what was paid from here on
    const std::int64_t before = spent_.read();
    for (const auto& [time, cents] : payments_.read_range(now, now + 1ms)) spent_.add(cents);
    for (const auto& [time, cents] : payments_.read_range(mr::timestamp::min(), kept)) spent_.add(-cents);
    payments_.clear_range(mr::timestamp::min(), kept);
    if (before <= limit_ && spent_.read() > limit_) alerts(alert{now, card, spent_.read()});

    const auto& left = payments_.read();
    if (left.empty()) return spent_.clear(), next_.clear();  // a card that rests takes no room
    const mr::timestamp leaves = left.begin()->first + 1h;
    const auto coming = left.upper_bound(now);
    visit_at(coming == left.end() ? leaves : std::min(leaves, coming->first));
  }

 private:
  void visit_at(mr::timestamp time) {
    next_.set(time);
    visit_.set(time);
  }

  std::int64_t limit_;
  mr::ordered_list_state<std::int64_t> payments_{"payments"};  // of the last 60 minutes, and those to come
  mr::combining_state<mr::sum_of<std::int64_t>> spent_{"spent"};
  mr::value_state<mr::timestamp> next_{"next"};
  mr::event_timer visit_{"visit"};
};

// A line that is no payment has no time; the step `parse` fails at it.
std::optional<mr::timestamp> time_of(const std::string& line) {
  payment p;
  std::string why;
  return mr::read_json_line(line, p, why) ? std::optional(p.time) : std::nullopt;
}

int main(int argc, char** argv) try {
  std::vector<std::string> files;
  std::string output = "alerts";
  std::int64_t limit = 100'000;
  mr::duration disorder = 10min;
  mr::pipeline_options options;
  options.add_positional("FILE", &files, "payments as JSON lines with time, card and cents", 1);
  options.add("output", &output, "alerts are written to PREFIX-00000-of-00001.jsonl");
  options.add("limit", &limit, "cents that a card may spend within 60 minutes without an alert");
  options.add("disorder", &disorder, "how far payments come out of order without being passed over");
  if (!options.parse(argc, argv)) {
    std::cout << options.help_text("hourly_spend", "Gives an alert when a card spends much within 60 minutes.");
    return 0;
  }

  const auto lines = mr::with_event_times(mr::text_source(files), time_of, mr::bounded_out_of_orderness{disorder});

  mr::pipeline p{"hourly_spend"};
  const auto [alerts, late] =
      p | mr::read("read", lines)
      | mr::map("parse", [](const std::string& line) { return mr::parse_json_line<payment>(line); })
      | mr::with_keys("by card", &payment::card) | mr::par_do("watch", spend_watch{limit});
  alerts | mr::map("format", mr::to_json_line<alert>)
      | mr::write_text("write", output, {.shards = 1, .suffix = ".jsonl"});
  late | mr::map("regret", [](const payment& x) { return "came too late: " + mr::to_json_line(x); })
      | mr::print("print late", stderr);
  return mr::run(p, options, {.checkpoints = mr::directory(options.checkpoints)});
} catch (const std::exception& error) {
  std::cerr << "hourly_spend: " << error.what() << '\n';
  return 2;
}
