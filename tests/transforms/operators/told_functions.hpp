#pragma once

#include "keyed_step.hpp"

#include <millrace/transforms/par_do.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Stateful functions that are told of bundles and throw when they are asked to, and what compares two runs of them.
namespace millrace::testing {

using row = kv<std::string, std::string>;

inline windowing_strategy fixed_ten() {
  windowing_strategy s;
  s.into = fixed(duration{10});
  return s;
}

// What copies of a function share: the calls that were made, and how often calls are yet to fail.
struct witness {
  std::string log;
  std::map<std::string, int> failures;

  void call(const std::string& what) { log += what + " "; }
  void may_fail(const std::string& what) {
    if (failures[what]-- > 0) throw std::runtime_error("not yet");
  }
};

// Keeps what it has seen of a key in cells, and of a bundle in itself. "tN" sets a timer, "fN" one of a family, "pN"
// one of the clock, "clear" forgets. Each call throws, if it shall, after all it does.
class told {
 public:
  using output = std::string;
  explicit told(witness* of) : of_(of) {}
  auto cells() { return std::tie(seen_, total_, alarm_, family_, clock_); }
  auto metrics() { return std::tie(calls_); }
  void setup() { of_->call("setup"); }
  void start_bundle() {
    of_->call("start");
    of_->may_fail("start");
  }
  void process(const row& x, emitter<output>& out) {
    of_->call(x.value);
    ++calls_;
    bundle_ += x.value;
    seen_.add(x.value);
    total_.set(total_.get() + 1);
    const auto time = [&] { return timestamp{std::stoll(x.value.substr(1))}; };
    if (x.value == "clear") seen_.clear();
    else if (x.value[0] == 't') alarm_.set(time());
    else if (x.value[0] == 'f') family_.set(x.value, time());
    else if (x.value[0] == 'p') clock_.set(time(), no_output);
    out(words());
    of_->may_fail(x.value);
  }
  void on_timer(const event_timer& t, const std::string& /*key*/, emitter<output>& out) {
    ring("alarm", out);
    if (t.fired_at() < timestamp{4}) alarm_.set(timestamp{4});
    else if (t.fired_at() < timestamp{9}) alarm_.set(timestamp{9});
    of_->may_fail("alarm");
  }
  void on_timer(const event_timer_family& t, const std::string& /*key*/, emitter<output>& out) {
    ring(t.tag(), out);
    of_->may_fail(t.tag());
  }
  void on_timer(const processing_timer& /*t*/, const std::string& /*key*/, emitter<output>& out) {
    ring("clock", out);
    of_->may_fail("clock");
  }
  void finish_bundle(emitter<output>& out) {
    of_->call("finish");
    out.emit("bundle " + bundle_, timestamp{5}, {timestamp{0}, timestamp{10}});
    bundle_.clear();
    of_->may_fail("finish");
  }
  void teardown() { of_->call("teardown"); }

 protected:
  std::string words() {
    std::string all = std::to_string(total_.get()) + ":";
    for (const std::string& w : seen_.read()) all += w;
    return all;
  }
  void ring(const std::string& what, emitter<output>& out) {
    of_->call(what);
    bundle_ += what;
    out(what + " " + words());
    seen_.clear();
    total_.clear();
  }

  witness* of_;
  bag_state<std::string> seen_{"seen"};
  value_state<std::int64_t> total_{"total"};
  event_timer alarm_{"alarm"};
  event_timer_family family_{"family"};
  processing_timer clock_{"clock"};
  counter calls_{"calls"};
  std::string bundle_;
};

// The same with a last word.
class told_of_the_end : public told {
 public:
  using told::told;
  void on_window_expiration(const std::string& key, emitter<output>& out) {
    ring("end of " + key, out);
    of_->may_fail("end of " + key);
  }
};

// The same in the order of time.
class told_in_order : public told {
 public:
  using told::told;
  static constexpr bool requires_time_sorted_input = true;
};

template <class Fn>
auto step_of(Fn fn, keyed_options options = {}) {
  pipeline p{"p"};
  return keyed_step<row, typename Fn::output>(keyed_input<row>(p, fixed_ten()) | par_do("step", std::move(fn)),
                                              options);
}

// Plays a script twice, once with failures from where it arms them on: all that comes out, state, timers and metrics
// must be alike. Returns the calls since then of the one that failed.
template <class Fn, class Script>
std::string check_undone(const std::map<std::string, int>& failures, Script&& script) {
  witness failing;
  witness plain;
  auto one = step_of(Fn(&failing));
  auto other = step_of(Fn(&plain));
  const std::vector<std::string> given = script(one, [&] { failing = {.log = {}, .failures = failures}; });
  EXPECT_EQ(given, script(other, [] {}));
  EXPECT_EQ(one.snapshot(), other.snapshot());
  EXPECT_EQ(one.output_watermark(), other.output_watermark());
  EXPECT_EQ(one.metrics.counter("calls"), other.metrics.counter("calls"));
  EXPECT_EQ(one.metrics.elements_in, other.metrics.elements_in);
  EXPECT_EQ(one.metrics.elements_out, other.metrics.elements_out);
  for (const auto& [what, left] : failing.failures) EXPECT_LE(left, 0) << what << " has not failed";
  return failing.log;
}

}  // namespace millrace::testing
