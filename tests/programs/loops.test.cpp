#include <millrace/actors/engine.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

// Jobs with timers that set themselves again without end can still be cancelled.
namespace millrace::programs::loops_test {
namespace {

using namespace std::chrono_literals;
using number = std::int64_t;

struct two_threads : caf::actor_system_config {
  two_threads() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{50});
  }
};

template <class Timer>
class without_end {
 public:
  using output = number;
  auto cells() { return std::tie(loop_); }
  void process(const kv<number, number>& x, emitter<number>& out) {
    loop_.after(1ms);
    out(x.value);
  }
  void on_timer(const Timer& /*which*/, const number& key, emitter<number>& out) {
    loop_.after(1ms);
    out(key);
  }

 private:
  Timer loop_{"loop"};
};

job_state stopped_after_a_while(const pipeline& p, void (job::*stop)() const) {
  two_threads config;
  caf::actor_system system(config);
  const job running = engine(system).launch(p, {.shards = 2, .checkpoint_every = 10ms});
  while (true) {
    const job_report now = running.status();
    if (now.state != job_state::running) return now.state;
    const auto found = now.metrics.find("loop");
    if (found != now.metrics.end() && found->second.elements_out > 300) break;
    static_cast<void>(running.wait_for(2ms));
  }
  (running.*stop)();
  return running.wait().state;
}

TEST(endless_loop, of_the_watermark_at_the_end_of_the_input_is_cancelled) {
  pipeline p("event loop");
  recording<number> rows;
  p | create("pairs", std::vector<kv<number, number>>{{1, 1}, {2, 2}}) | par_do("loop", without_end<event_timer>{})
      | collect("rows", rows);
  EXPECT_EQ(stopped_after_a_while(p, &job::cancel), job_state::cancelled);
}

TEST(endless_loop, of_the_watermark_ends_with_a_drain) {
  pipeline p("drained loop");
  recording<number> rows;
  p | sequence("numbers", {.rate = 1000}) | with_keys("by rest", [](number n) { return n % 3; })
      | par_do("loop", without_end<event_timer>{}) | collect("rows", rows);
  EXPECT_EQ(stopped_after_a_while(p, &job::drain), job_state::drained);
}

TEST(endless_loop, of_the_clock_is_cancelled) {
  pipeline p("clock loop");
  recording<number> rows;
  p | sequence("numbers", {.rate = 100}) | with_keys("by rest", [](number n) { return n % 3; })
      | par_do("loop", without_end<processing_timer>{}) | collect("rows", rows);
  EXPECT_EQ(stopped_after_a_while(p, &job::cancel), job_state::cancelled);
}

}  // namespace
}  // namespace millrace::programs::loops_test
