#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Scripted programs about state and timers.
namespace millrace::programs::scripted_state_test {
namespace {

using namespace std::chrono_literals;
using namespace numbers;

// Numbers the elements of each key and window.
class numbering {
 public:
  using output = pair;
  void process(const pair& x, emitter<pair>& out) {
    count_.set(count_.get() + 1);
    out(pair{x.key, count_.get()});
    ++elements_;
    highest_.add(count_.get());
  }
  auto cells() { return std::tie(count_); }
  auto metrics() { return std::tie(elements_, highest_); }

 private:
  value_state<number> count_{"count"};
  counter elements_{"elements"};
  distribution highest_{"numbers"};
};

void numbered(pipeline& p, outputs& out) {
  out.show("number", p
                         | test_stream<pair>("input")
                               .add({at("k", 1)})
                               .add({at("k", 2)})
                               .add({at("k", 11)})
                               .add({at("j", 3)})
                               .advance_watermark_to(time(10))
                               .add({at("k", 5)})
                               .advance_watermark_to_infinity()
                         | window_into("windows", {.into = fixed(10ms)}) | par_do("number", numbering{}));
}

// What the value of an element asks for: 5 and 8 set the timer, 0 clears it.
class resets {
 public:
  using output = kv<text, text>;
  void process(const pair& x, emitter<output>& /*out*/) {
    if (x.value == 0) alarm_.clear();
    else alarm_.set(time(x.value));
  }
  void on_timer(const event_timer& which, const text& key, emitter<output>& out) {
    out(output{key, "fired at " + std::to_string(which.fired_at().millis())});
  }
  auto cells() { return std::tie(alarm_); }

 private:
  event_timer alarm_{"alarm"};
};

void timers_set_again(pipeline& p, outputs& out) {
  out.show("timer", p
                        | test_stream<pair>("input")
                              .add({at("later", 1, 5), at("cleared", 1, 5), at("once", 1, 5)})
                              .add({at("later", 2, 8), at("cleared", 2, 0)})
                              .advance_watermark_to(time(6))
                              .advance_watermark_to(time(9))
                              .advance_watermark_to_infinity()
                        | window_into("windows", {.into = fixed(10ms)}) | par_do("alarm", resets{}));
}

// Logs its timers in the order in which they fire. The first one sets another that is due before the others.
class chain {
 public:
  using output = kv<text, text>;
  void process(const pair& /*x*/, emitter<output>& /*out*/) {
    first_.set(time(1));
    third_.set(time(3));
    last_.set(time(9));
  }
  void on_timer(const event_timer& which, const text& /*key*/, emitter<output>& /*out*/) {
    log_.set(log_.get() + which.name() + std::to_string(which.fired_at().millis()) + " ");
    if (which == first_ && which.fired_at() == time(1)) first_.set(time(2));
    if (which == third_) last_.clear();
  }
  void on_window_expiration(const text& key, emitter<output>& out) { out(output{key, log_.get() + "end"}); }
  auto cells() { return std::tie(log_, first_, third_, last_); }

 private:
  value_state<text> log_{"log"};
  event_timer first_{"a"};
  event_timer third_{"b"};
  event_timer last_{"c"};
};

void timers_in_order(pipeline& p, outputs& out) {
  out.show("log", p
                      | test_stream<pair>("input")
                            .add({at("k", 0)})
                            .advance_watermark_to(time(10))
                            .advance_watermark_to(time(11))
                            .advance_watermark_to_infinity()
                      | window_into("windows", {.into = fixed(10ms)}) | par_do("chain", chain{}));
}

// Counts, and says the count when the clock is above 100.
class by_clock {
 public:
  using output = pair;
  void process(const pair& /*x*/, emitter<pair>& /*out*/) {
    count_.set(count_.get() + 1);
    if (count_.get() == 1) alarm_.set(time(100));
  }
  void on_timer(const processing_timer& /*which*/, const text& key, emitter<pair>& out) {
    out(pair{key, count_.get()});
  }
  auto cells() { return std::tie(count_, alarm_); }

 private:
  value_state<number> count_{"count"};
  processing_timer alarm_{"alarm"};
};

// One timer fires above 100; that of a window which has expired by then is dropped.
void clock_timers(pipeline& p, outputs& out) {
  out.show("count", p
                        | test_stream<pair>("input")
                              .add({at("k", 5), at("k", 12)})
                              .advance_processing_time(100ms)
                              .add({at("k", 6), at("k", 13)})
                              .advance_watermark_to(time(10))
                              .advance_processing_time(1ms)
                              .add({at("k", 14)})
                              .advance_watermark_to_infinity()
                        | window_into("windows", {.into = fixed(10ms)}) | par_do("clock", by_clock{}));
}

// Groups of at most 100, given out five seconds of the clock after their first element, at its time.
class into_batches {
 public:
  using output = pair;
  void process(const pair& x, emitter<pair>& out) {
    if (kept_.empty()) flush_.after(5s);
    kept_.add(x.value);
    if (kept_.size() == 100) give(x.key, out);
  }
  void on_timer(const processing_timer& /*which*/, const text& key, emitter<pair>& out) { give(key, out); }
  void on_window_expiration(const text& key, emitter<pair>& out) {
    if (!kept_.empty()) give(key, out);
  }
  auto cells() { return std::tie(kept_, flush_); }
  auto metrics() { return std::tie(size_); }

 private:
  void give(const text& key, emitter<pair>& out) {
    out(pair{key, static_cast<number>(kept_.size())});
    size_.set(static_cast<double>(kept_.size()));
    kept_.clear();
  }
  bag_state<number> kept_{"kept"};
  processing_timer flush_{"flush"};
  gauge size_{"last size"};
};

void batches_by_time(pipeline& p, outputs& out) {
  test_stream<pair> input("input");
  for (number second = 0; second < 10; ++second)
    input.add_at(time(second * 1000), {{"k", second}}).advance_processing_time(2s);
  input.advance_watermark_to_infinity();
  out.show("size", p | input | window_into("windows", {.into = fixed(4s)}) | par_do("batch", into_batches{}));
}

// Holds an element back until the watermark is above 20; its timer holds the watermark at the element's time.
class held_back {
 public:
  using output = pair;
  void process(const pair& x, emitter<pair>& out) {
    kept_.add(x.value);
    release_.set(time(20), out.at().time);
  }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<pair>& out) {
    for (const number v : kept_.read()) out(pair{key, v});
  }
  auto cells() { return std::tie(kept_, release_); }

 private:
  bag_state<number> kept_{"kept"};
  event_timer release_{"release"};
};

void held_watermark(pipeline& p, outputs& out) {
  const auto released = p
                        | test_stream<pair>("input")
                              .add({at("k", 5, 7)})
                              .advance_watermark_to(time(15))
                              .advance_watermark_to(time(21))
                              .advance_watermark_to_infinity()
                        | window_into("wide", {.into = fixed(100ms)}) | par_do("hold", held_back{});
  out.show("released", released);
  out.show("sum", released | window_into("narrow", {.into = fixed(10ms)}) | combine_per_key("sum of narrow", sum));
}

// Counts until the window expires, with a second output for what is odd, and errors for what is negative.
class counts_at_end {
 public:
  using output = std::tuple<pair, text>;
  void process(const pair& x, emitter<pair>& /*counts*/, emitter<text>& odd) {
    count_.set(count_.get() + 1);
    if (x.value < 0) throw std::domain_error("negative");
    if (x.value % 2 != 0) odd(x.key + " has " + std::to_string(x.value));
  }
  void on_window_expiration(const text& key, emitter<pair>& counts, emitter<text>& /*odd*/) {
    counts(pair{key, count_.get()});
  }
  auto cells() { return std::tie(count_); }

 private:
  value_state<number> count_{"count"};
};

void counted_at_expiry(pipeline& p, outputs& out) {
  auto [counts, odd, refused] =
      p
      | test_stream<pair>("input")
            .add({at("k", 3, 1), at("k", 4, 2), at("k", 4, -3), at("j", 5, 4)})
            .advance_watermark_to(time(10))
            .add({at("k", 6, 6)})
            .advance_watermark_to(time(16))
            .advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms), .keep = panes::discarding, .allowed_lateness = 5ms})
      | par_do("count", counts_at_end{}, with_errors);
  out.show("counted", counts);
  out.show("odd", odd);
  out.show("refused", refused);
}

TEST(scripted, numbered) {
  check_scripted({"numbered", numbered});
}
TEST(scripted, timers_set_again) {
  check_scripted({"timers_set_again", timers_set_again});
}
TEST(scripted, timers_in_order) {
  check_scripted({"timers_in_order", timers_in_order});
}
TEST(scripted, clock_timers) {
  check_scripted({"clock_timers", clock_timers});
}
TEST(scripted, batches_by_time) {
  check_scripted({"batches_by_time", batches_by_time});
}
TEST(scripted, held_watermark) {
  check_scripted({"held_watermark", held_watermark});
}
TEST(scripted, counted_at_expiry) {
  check_scripted({"counted_at_expiry", counted_at_expiry});
}

}  // namespace
}  // namespace millrace::programs::scripted_state_test
