#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Programs of stateful functions.
namespace millrace::programs::state_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;
using pair = kv<text, number>;

auto cents_by_customer(const pcollection<order>& in) {
  return in | map("cents", [](const order& o) { return pair{o.customer, o.cents}; });
}

// The total of a key, given out when the watermark has passed its window.
class total_at_end {
 public:
  using output = pair;
  void process(const pair& x, emitter<pair>& out) {
    total_.set(total_.get() + x.value);
    end_.set(out.at().in.max_timestamp());
    ++elements_;
  }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<pair>& out) { out(pair{key, total_.get()}); }
  auto cells() { return std::tie(total_, end_); }
  auto metrics() { return std::tie(elements_); }

 private:
  value_state<number> total_{"total"};
  event_timer end_{"end"};
  counter elements_{"elements"};
};

void totals(pipeline& p, outputs& out) {
  out.show("total", p | create_timestamped("orders", timed_orders()) | window_into("windows", {.into = fixed(2min)})
                        | composite("by customer", cents_by_customer) | par_do("total", total_at_end{}));
}

// Groups of three values as they come, what is left when the window expires.
class threes {
 public:
  using output = std::tuple<pair, pair>;  // values, and the sizes of groups
  void process(const pair& x, emitter<pair>& values, emitter<pair>& sizes) {
    kept_.add(x.value);
    if (kept_.size() == 3) flush(x.key, values, sizes);
  }
  void on_window_expiration(const text& key, emitter<pair>& values, emitter<pair>& sizes) {
    if (!kept_.empty()) flush(key, values, sizes);
  }
  auto cells() { return std::tie(kept_); }
  auto metrics() { return std::tie(sizes_, limit_); }

 private:
  void flush(const text& key, emitter<pair>& values, emitter<pair>& sizes) {
    for (const number v : kept_.read()) values(pair{key, v});
    sizes(pair{key, static_cast<number>(kept_.size())});
    sizes_.add(static_cast<number>(kept_.size()));
    limit_.set(3);
    kept_.clear();
  }
  bag_state<number> kept_{"kept"};
  distribution sizes_{"sizes"};
  gauge limit_{"limit"};
};

void batches(pipeline& p, outputs& out) {
  auto [values, sizes] =
      p | create_timestamped("orders", timed_orders()) | window_into("windows", {.into = fixed(5min)})
      | map("cents", [](const order& o) { return pair{o.region, o.cents}; }) | par_do("threes", threes{});
  out.show("sum", values | combine_per_key("sum of values", sum));
  out.show("sizes", sizes);
}

// Lets the first element of each key pass; an event-time timer at the end of the window forgets the key.
class first_only {
 public:
  using output = kv<number, order>;
  void process(const output& x, emitter<output>& out) {
    if (seen_.has_value()) {
      ++repeated_;
      return;
    }
    seen_.set(true);
    forget_.set(out.at().in.max_timestamp(), no_output);
    out(x);
  }
  void on_timer(const event_timer& /*which*/, const number& /*key*/, emitter<output>& /*out*/) { seen_.clear(); }
  auto cells() { return std::tie(seen_, forget_); }
  auto metrics() { return std::tie(repeated_); }

 private:
  value_state<bool> seen_{"seen"};
  event_timer forget_{"forget"};
  counter repeated_{"repeated"};
};

void repeated_orders(pipeline& p, outputs& out) {
  const auto all = p | create_timestamped("orders", timed_orders());
  out.show("cents", flatten("twice and more", all, all, all) | window_into("windows", {.into = fixed(5min)})
                        | with_keys("by id", &order::id) | par_do("first", first_only{}) | values("orders once")
                        | combine_per_key("sum", by(&order::customer), of(&order::cents), sum));
}

// Gives what it holds a while after the first element of each key came, and the rest when the window expires.
class buffered {
 public:
  using output = kv<number, number>;
  void process(const output& x, emitter<output>& /*out*/) {
    if (kept_.empty()) flush_.after(2ms);
    kept_.add(x.value);
  }
  void on_timer(const processing_timer& /*which*/, const number& key, emitter<output>& out) { flush(key, out); }
  void on_window_expiration(const number& key, emitter<output>& out) { flush(key, out); }
  auto cells() { return std::tie(kept_, flush_); }

 private:
  void flush(number key, emitter<output>& out) {
    for (const number v : kept_.read()) out(output{key, v});
    kept_.clear();
  }
  bag_state<number> kept_{"kept"};
  processing_timer flush_{"flush"};
};

void paced_buffers(pipeline& p, outputs& out) {
  out.show("number", p | sequence("numbers", {.to = 60, .rate = 3000, .time_of = [](number n) { return timestamp{n}; }})
                         | window_into("windows", {.into = fixed(20ms)})
                         | with_keys("by rest", [](number n) { return n % 4; }) | par_do("buffer", buffered{}));
}

// Gives what it holds when the clock comes to its timer, though the input has ended.
class held_for_long {
 public:
  static constexpr bool fires_clock_timers_at_end = true;
  using output = pair;
  void process(const pair& x, emitter<pair>& /*out*/) {
    sum_.set(sum_.get() + x.value);
    alarm_.after(30ms);
  }
  void on_timer(const processing_timer& /*which*/, const text& key, emitter<pair>& out) { out(pair{key, sum_.get()}); }
  auto cells() { return std::tie(sum_, alarm_); }

 private:
  value_state<number> sum_{"sum"};
  processing_timer alarm_{"alarm"};
};

void alarms_after_the_end(pipeline& p, outputs& out) {
  out.show("sum", p | create("pairs", std::vector<pair>{{"one", 1}, {"two", 2}, {"one", 3}})
                      | par_do("hold", held_for_long{}));
}

// Sets its timer again until it has counted to five.
class counts_to_five {
 public:
  using output = pair;
  void process(const pair& /*x*/, emitter<pair>& /*out*/) { tick_.after(1ms); }
  void on_timer(const event_timer& which, const text& key, emitter<pair>& out) {
    count_.set(count_.get() + 1);
    out(pair{key, count_.get()});
    if (which == tick_ && count_.get() < 5) tick_.after(1ms);
  }
  auto cells() { return std::tie(count_, tick_); }

 private:
  value_state<number> count_{"count"};
  event_timer tick_{"tick"};
};

void looping_timers(pipeline& p, outputs& out) {
  out.show("tick", p | create("keys", std::vector<pair>{{"one", 0}, {"two", 0}, {"three", 0}})
                       | par_do("loop", counts_to_five{}));
}

// Numbers the elements of each key and refuses the fourth and every later one.
class three_at_most {
 public:
  using output = number;
  void process(const pair& /*x*/, emitter<number>& out) {
    if (taken_.get() == 3) throw std::length_error("three are enough");
    taken_.set(taken_.get() + 1);
    out(taken_.get());
  }
  auto cells() { return std::tie(taken_); }

 private:
  value_state<number> taken_{"taken"};
};

void limited(pipeline& p, outputs& out) {
  auto [taken, refused] = p | create("orders", orders()) | composite("by customer", cents_by_customer)
                          | par_do("limit", three_at_most{}, with_errors);
  out.show("taken", taken | count_per_element("count taken"));
  out.show("refused", refused | map("reason", [](const failed<pair>& f) {
                        return kv<text, text>{f.element.key, f.step + ": " + f.message};
                      }) | count_per_element("count refused"));
}

TEST(free_running, totals) {
  check_free_running({"totals", totals});
}
TEST(free_running, batches) {
  check_free_running({"batches", batches});
}
TEST(free_running, repeated_orders) {
  check_free_running({"repeated_orders", repeated_orders});
}
TEST(free_running, paced_buffers) {
  check_free_running({"paced_buffers", paced_buffers});
}
TEST(free_running, looping_timers) {
  check_free_running({"looping_timers", looping_timers});
}
TEST(free_running, alarms_after_the_end) {
  check_free_running({"alarms_after_the_end", alarms_after_the_end});
}
TEST(free_running, limited) {
  check_free_running({"limited", limited});
}

TEST(with_kills, totals) {
  check_with_kills({"totals", totals});
}
TEST(with_kills, batches) {
  check_with_kills({"batches", batches});
}
TEST(with_kills, paced_buffers) {
  check_with_kills({"paced_buffers", paced_buffers});
}

}  // namespace
}  // namespace millrace::programs::state_test
