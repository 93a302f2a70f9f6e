// A pipeline inside an application of actors: a shop sends payments in and a dashboard gets alerts as typed messages.
//   script/run embedded PAYMENTS.jsonl
#include <millrace/actors/all.hpp>
#include <millrace/io/all.hpp>

#include <caf/all.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <thread>

namespace mr = millrace;
using namespace std::chrono_literals;

// {"time":"2026-01-01T10:00:00Z","card":"1234","cents":999}
struct payment {
  mr::timestamp time;
  std::string card;
  std::int64_t cents = 0;
};

// What the dashboard gets. What leaves the process has an inspect function; these two do not.
struct alert {
  std::string card;
  std::int64_t cents = 0;
};
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(payment)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(alert)

// Raises an alert at the third payment of a card within a minute, and then begins to count anew.
class card_watch {
 public:
  using output = alert;
  auto cells() { return std::tie(recent_, forget_); }
  void process(const mr::kv<std::string, payment>& x, mr::emitter<alert>& out) {
    std::vector<payment> recent{x.value};
    for (const payment& p : recent_.read())
      if (p.time + 1min > x.value.time) recent.push_back(p);
    recent_.clear();
    if (recent.size() == 3) return out(alert{x.key, recent[0].cents + recent[1].cents + recent[2].cents});
    for (const payment& p : recent) recent_.add(p);
    forget_.set(std::ranges::max(recent, {}, &payment::time).time + 1min, mr::no_output);
  }
  // Nothing that the card pays from now on is within a minute of what it paid before.
  void on_timer(const mr::event_timer& /*forget*/, const std::string& /*card*/, mr::emitter<alert>& /*out*/) {
    recent_.clear();
  }

 private:
  mr::bag_state<payment> recent_{"recent"};
  mr::event_timer forget_{"forget"};
};

using closing = caf::atom_constant<caf::atom("closing")>;

// Takes payments and pushes them into the job. Its answer is whether there was room: the client tries again if not.
caf::behavior shop(caf::event_based_actor* self, const mr::inlet<payment>& door) {
  return {
      [=](const payment& p) { return door.push(p, p.time); },
      [=](closing) { door.close(), self->quit(); },
  };
}

caf::behavior dashboard(caf::event_based_actor* self) {
  return {
      [](const alert& a) { std::cout << "card " << a.card << " spent " << a.cents << " cents in a minute\n"; },
      [=](closing) { self->quit(); },
  };
}

// A client of the shop, here the thread of main.
void pay(caf::scoped_actor& self, const caf::actor& to, const payment& p) {
  const auto closed = [](const caf::error&) { throw std::runtime_error("the shop has closed"); };
  for (bool taken = false; !taken; std::this_thread::sleep_for(taken ? 0ms : 1ms))
    self->request(to, caf::infinite, p).receive([&](bool answer) { taken = answer; }, closed);
}

int main(int argc, char** argv) try {
  if (argc != 2) throw std::invalid_argument("usage: embedded PAYMENTS.jsonl");
  std::ifstream lines(argv[1]);
  if (!lines) throw std::runtime_error(std::string("cannot read ") + argv[1]);
  std::vector<payment> payments;
  for (std::string line; std::getline(lines, line);) payments.push_back(mr::parse_json_line<payment>(line));

  caf::actor_system_config config;  // the application's own
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-throughput", std::size_t{5});
  caf::actor_system system{config};
  const caf::actor screen = system.spawn(dashboard);

  mr::pipeline fraud{"fraud"};
  const mr::inlet<payment> door{"payments"};
  fraud | door                                    // payments
      | mr::with_keys("by card", &payment::card)  // mr::kv<std::string, payment>
      | mr::par_do("watch", card_watch{})         // alerts
      | mr::deliver_to("alerts", screen);
  const mr::job job = mr::engine(system).launch(fraud);

  caf::scoped_actor self{system};
  const caf::actor till = system.spawn(shop, door);
  for (const payment& p : payments) pay(self, till, p);
  self->send(till, closing::value);
  const mr::job_report report = job.wait();
  self->send(screen, closing::value);
  self->wait_for(screen);
  for (const mr::graph_warning& w : report.warnings) std::cerr << mr::to_text(w) << '\n';
  if (!report.succeeded()) throw std::runtime_error(report.error);
  std::cout << door.pushed() << " payments\n";
} catch (const std::exception& error) {
  std::cerr << "embedded: " << error.what() << '\n';
  return 1;
}
