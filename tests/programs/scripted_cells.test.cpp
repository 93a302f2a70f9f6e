#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/state/combining_state.hpp>
#include <millrace/transforms/state/map_state.hpp>
#include <millrace/transforms/state/multimap_state.hpp>
#include <millrace/transforms/state/ordered_list_state.hpp>
#include <millrace/transforms/state/set_state.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Scripted programs about the kinds of state, families of timers, relative timers and input in the order of time.
namespace millrace::programs::scripted_cells_test {
namespace {

using namespace std::chrono_literals;
using namespace numbers;
using line = kv<text, text>;

// Keeps each element in a cell of every kind, and says what they hold when the window expires.
class keeps_all {
 public:
  using output = line;
  void process(const pair& x, emitter<line>& out) {
    const text parity = x.value % 2 == 0 ? "even" : "odd";
    sum_.add(x.value);
    seen_.add(x.value);
    first_.put_if_absent(parity, x.value);
    last_.put(parity, x.value);
    all_.put(parity, x.value);
    log_.add(out.at().time, x.value);
    if (x.value != 6) return;
    seen_.remove(2);
    first_.remove("even");
    all_.remove("odd");
    log_.clear_range(time(5), time(6));
  }
  void on_window_expiration(const text& key, emitter<line>& out) {
    text all = "sum " + std::to_string(sum_.read()) + " seen";
    for (const number n : seen_.read()) all += " " + std::to_string(n);
    all += " first";
    for (const auto& [parity, n] : first_.entries()) all += " " + parity + "=" + std::to_string(n);
    all += " last";
    for (const auto& [parity, n] : last_.entries()) all += " " + parity + "=" + std::to_string(n);
    all += " all";
    for (const auto& [parity, ns] : all_.entries()) all += " " + parity + "x" + std::to_string(ns.size());
    all += " between";
    for (const auto& [when, n] : log_.read_range(time(3), time(9))) all += " " + std::to_string(n);
    all += " log";
    for (const auto& [when, n] : log_.read()) all += " " + std::to_string(n);
    out(line{key, all});
  }
  auto cells() { return std::tie(sum_, seen_, first_, last_, all_, log_); }

 private:
  combining_state<sum_of<number>> sum_{"sum"};
  set_state<number> seen_{"seen"};
  map_state<text, number> first_{"first"};
  map_state<text, number> last_{"last"};
  multimap_state<text, number> all_{"all"};
  ordered_list_state<number> log_{"log"};
};

void kinds_of_state(pipeline& p, outputs& out) {
  out.show("kept", p
                       | test_stream<pair>("input")
                             .add({at("k", 5, 1), at("k", 3, 2), at("k", 9, 4)})
                             .add({at("j", 5, 7), at("k", 15, 3)})
                             .advance_watermark_to(time(4))
                             .add({at("k", 6, 6), at("k", 4, 4)})
                             .advance_watermark_to_infinity()
                       | window_into("windows", {.into = fixed(10ms)}) | par_do("keep", keeps_all{}));
}

// Two families and a timer with one name or tag for three firings; a tag that is set again, one that is cleared.
class many_alarms {
 public:
  using output = line;
  void process(const pair& /*x*/, emitter<line>& /*out*/) {
    f_.set("a", time(5));
    g_.set("a", time(5), no_output);
    a_.set(time(5));
    f_.set("moved", time(4));
    f_.set("moved", time(7), time(6));
    g_.set("cleared", time(3));
    g_.clear("cleared");
    f_.set("sets", time(1));
    c_.after("soon", 10ms);
    c_.after("dropped", 30ms);
  }
  void on_timer(const event_timer_family& which, const text& key, emitter<line>& out) {
    out(line{key, which.name() + " " + which.tag() + " " + std::to_string(which.fired_at().millis())});
    if (which.tag() == "sets") f_.set("set", which.fired_at() + 1ms);
  }
  void on_timer(const processing_timer_family& which, const text& key, emitter<line>& out) {
    out(line{key, which.name() + " " + which.tag() + " " + std::to_string(which.fired_at().millis())});
  }
  void on_timer(const event_timer& which, const text& key, emitter<line>& out) { out(line{key, which.name()}); }
  auto cells() { return std::tie(f_, g_, a_, c_); }

 private:
  event_timer_family f_{"f"};
  event_timer_family g_{"g"};
  event_timer a_{"a"};
  processing_timer_family c_{"c"};
};

void families_of_timers(pipeline& p, outputs& out) {
  out.show("alarm", p
                        | test_stream<pair>("input")
                              .add({at("k", 0), at("j", 1)})
                              .advance_processing_time(11ms)
                              .advance_watermark_to(time(6))
                              .advance_watermark_to(time(10))
                              .advance_processing_time(20ms)
                              .advance_watermark_to_infinity()
                        | window_into("windows", {.into = fixed(10ms)}) | par_do("alarms", many_alarms{}));
}

// Timers aligned to periods of both clocks.
class aligned {
 public:
  using output = line;
  void process(const pair& /*x*/, emitter<line>& /*out*/) {
    event_.align(5ms);
    clock_.align(20ms, 3ms);
  }
  void on_timer(const event_timer& which, const text& key, emitter<line>& out) { say(which, key, out); }
  void on_timer(const processing_timer& which, const text& key, emitter<line>& out) { say(which, key, out); }
  auto cells() { return std::tie(event_, clock_); }

 private:
  static void say(const keyed_timer& which, const text& key, emitter<line>& out) {
    out(line{key, which.name() + " " + std::to_string(which.fired_at().millis())});
  }
  event_timer event_{"event"};
  processing_timer clock_{"clock"};
};

void aligned_timers(pipeline& p, outputs& out) {
  out.show("timer", p
                        | test_stream<pair>("input")
                              .advance_watermark_to(time(7))
                              .advance_processing_time(9ms)
                              .add({at("k", 8)})
                              .advance_processing_time(8ms)
                              .advance_watermark_to(time(10))
                              .advance_processing_time(1ms)
                              .advance_watermark_to(time(11))
                              .advance_watermark_to_infinity()
                        | window_into("windows", {.into = fixed(100ms)}) | par_do("align", aligned{}));
}

// Sets a timer of one clock again until it has counted to five.
template <class Timer>
class counts_to_five {
 public:
  using output = pair;
  void process(const pair& /*x*/, emitter<pair>& /*out*/) { tick_.after(1ms); }
  void on_timer(const Timer& /*which*/, const text& key, emitter<pair>& out) {
    count_.add(1);
    out(pair{key, count_.read()});
    if (count_.read() < 5) tick_.after(1ms);
  }
  auto cells() { return std::tie(count_, tick_); }

 private:
  combining_state<sum_of<number>> count_{"count"};
  Timer tick_{"tick"};
};

void bounded_loops(pipeline& p, outputs& out) {
  test_stream<pair> input("input");
  input.advance_watermark_to(time(0)).add({at("k1", 0), at("k2", 0)});
  for (int i = 0; i < 6; ++i) input.advance_processing_time(2ms);
  input.advance_watermark_to_infinity();
  const auto elements = p | input | window_into("windows", {.into = fixed(10ms)});
  out.show("event", elements | par_do("event loop", counts_to_five<event_timer>{}));
  out.show("clock", elements | par_do("clock loop", counts_to_five<processing_timer>{}));
}

// Passes elements on, and one more when its timer fires above 10, which belongs to 5.
class belongs_to_five {
 public:
  using output = pair;
  void process(const pair& x, emitter<pair>& out) {
    out(x);
    timer_.set(time(10), time(5));
  }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<pair>& out) { out(pair{key, 5}); }
  auto cells() { return std::tie(timer_); }

 private:
  event_timer timer_{"timer"};
};
// Says above 8 what it has seen.
class looks_at_eight {
 public:
  using output = line;
  void process(const pair& x, emitter<line>& /*out*/) {
    seen_.add(x.value);
    timer_.set(time(8));
  }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<line>& out) {
    text all;
    for (const number n : seen_.read()) all += "," + std::to_string(n);
    out(line{key, all});
  }
  auto cells() { return std::tie(seen_, timer_); }

 private:
  bag_state<number> seen_{"seen"};
  event_timer timer_{"timer"};
};

void timers_of_two_steps(pipeline& p, outputs& out) {
  out.show("seen", p
                       | test_stream<pair>("input")
                             .add({at("k", 3, 3)})
                             .advance_watermark_to(time(9))
                             .advance_watermark_to(time(11))
                             .advance_watermark_to_infinity()
                       | par_do("first", belongs_to_five{}) | par_do("second", looks_at_eight{}));
}

// Numbers elements in the order of their times.
class numbers_in_order {
 public:
  static constexpr bool requires_time_sorted_input = true;
  using output = line;
  void process(const pair& x, emitter<line>& out) {
    count_.set(count_.get() + 1);
    out(line{x.key, std::to_string(count_.get()) + " is " + std::to_string(x.value)});
  }
  auto cells() { return std::tie(count_); }

 private:
  value_state<number> count_{"count"};
};

void sorted_by_time(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("k", 5, 5), at("k", 3, 3)})
                           .add({at("k", 4, 4), at("j", 8, 8)})
                           .advance_watermark_to(time(6))
                           .add({at("k", 2, 2), at("k", 6, 6)})
                           .advance_watermark_to(time(8))
                           .add({at("k", 7, 7)})
                           .advance_watermark_to_infinity();
  out.show("strict", input | window_into("strict", {.into = fixed(100ms)}) | par_do("in order", numbers_in_order{}));
  out.show("patient",
           input | window_into("patient", {.into = fixed(100ms), .keep = panes::discarding, .allowed_lateness = 4ms})
               | par_do("in order patiently", numbers_in_order{}));
}

TEST(scripted, kinds_of_state_9_3_to_9_5) {
  check_scripted({"kinds_of_state", kinds_of_state});
}
TEST(scripted, families_of_timers_10_2) {
  check_scripted({"families_of_timers", families_of_timers});
}
TEST(scripted, aligned_timers) {
  check_scripted({"aligned_timers", aligned_timers});
}
TEST(scripted, bounded_loops_10_6) {
  check_scripted({"bounded_loops", bounded_loops});
}
TEST(scripted, timers_of_two_steps_10_8) {
  check_scripted({"timers_of_two_steps", timers_of_two_steps});
}
TEST(scripted, sorted_by_time_10_8) {
  check_scripted({"sorted_by_time", sorted_by_time});
}

}  // namespace
}  // namespace millrace::programs::scripted_cells_test
