#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/combiners.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/state/combining_state.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

// Programs about stateful functions that read side inputs, and about state behind other steps.
namespace millrace::programs::state_views_test {
namespace {

using namespace std::chrono_literals;
using namespace numbers;
using rate = kv<text, number>;

// Sums what it gets times a factor, and reads the factor in a timer and when the window expires too.
class with_factor {
 public:
  using output = pair;
  void process(const pair& x, const number& factor, emitter<pair>& out) {
    sum_.add(x.value * factor);
    out(pair{x.key, sum_.read()});
    end_.set(out.at().in.max_timestamp());
  }
  void on_timer(const event_timer& /*which*/, const text& key, const number& factor, emitter<pair>& out) {
    out(pair{key, 1000 + sum_.read() * factor});
  }
  void on_window_expiration(const text& key, const number& factor, emitter<pair>& out) {
    out(pair{key, -sum_.read() - factor});
  }
  auto cells() { return std::tie(sum_, end_); }

 private:
  combining_state<sum_of<number>> sum_{"sum"};
  event_timer end_{"end"};
};

// The main input is at 20 before the side input is at 10: elements, timers and expirations wait for their factors.
void factors_per_window(pipeline& p, outputs& out) {
  const auto factors = p
                       | test_stream<number>("side")
                             .add({{1, time(1)}})
                             .add({{2, time(11)}, {3, time(13)}})
                             .advance_watermark_to(time(10))
                             .advance_watermark_to_infinity()
                       | window_into("windows of side", {.into = fixed(10ms)})
                       | combine_globally("sum of side", sum, without_defaults) | as_singleton("factors", number{0});
  const auto results = p
                       | test_stream<pair>("main")
                             .add({at("k", 4, 2), at("k", 15, 3), at("k", 7, 5), at("k", 22, 1)})
                             .advance_watermark_to(time(20))
                             .advance_watermark_to_infinity()
                       | window_into("windows of main", {.into = fixed(10ms)})
                       | par_do("times factor", with_factor{}, with(factors));
  out.show("result", results);
  out.show("sum", results | combine_per_key("sum of results", sum));
}

// Says what the map has for its key, if its element asks; its timer has no use for the map.
class looks_up {
 public:
  using output = text;
  void process(const pair& x, const std::map<text, number>& rates, emitter<text>& out) {
    if (!seen_.has_value()) end_.set(time(9));
    seen_.set(seen_.get() + 1);
    out(x.key + " " + std::to_string(seen_.get()) + " " + std::to_string(rates.at(x.key)));
  }
  void on_timer(const event_timer& /*which*/, const text& key, emitter<text>& out) {
    out(key + " saw " + std::to_string(seen_.get()));
  }
  auto cells() { return std::tie(seen_, end_); }

 private:
  value_state<number> seen_{"seen"};
  event_timer end_{"end"};
};

// A map that has a key twice fails the elements that read it, and nothing else.
void double_rates(pipeline& p, outputs& out) {
  const auto rates_of = [&](const text& name, std::initializer_list<timestamped_value<rate>> rates) {
    return p | test_stream<rate>(name).add(rates).advance_watermark_to_infinity()
           | window_into("windows of " + name, {.into = fixed(10ms)}) | as_map("map of " + name);
  };
  const auto good = rates_of("good", {at("a", 1, 5), at("b", 2, 6)});
  const auto bad = rates_of("bad", {at("a", 1, 5), at("a", 2, 6)});
  const auto input =
      p | test_stream<pair>("input").add({at("a", 3), at("b", 4), at("a", 5)}).advance_watermark_to_infinity()
      | window_into("windows", {.into = fixed(10ms)});
  auto [found, missed] = input | par_do("look up", looks_up{}, with(good), with_errors);
  out.show("found", found);
  out.show("missed", missed);
  auto [never, refused] = input | par_do("look up twice", looks_up{}, with(bad), with_errors);
  out.show("never", never);
  out.show("refused", refused);
}

// Each number of a key must be ten above the one before, though they come in any order; with the count of all.
class steps_of_ten {
 public:
  static constexpr bool requires_time_sorted_input = true;
  using output = kv<number, number>;
  void process(const output& x, const std::uint64_t& count, emitter<output>& out) {
    if (before_.has_value() && x.value != before_.get() + 10) return;
    before_.set(x.value);
    out(output{x.key, x.value + static_cast<number>(count)});
  }
  auto cells() { return std::tie(before_); }

 private:
  value_state<number> before_{"before"};
};

void numbers_in_order(pipeline& p, outputs& out) {
  const auto numbers = p | sequence("numbers", {.to = 3000, .time_of = [](number n) { return timestamp{n}; }});
  const auto count = numbers | window_into("all", {.into = fixed(1h)})
                     | combine_globally("count", count_of<number>{}, without_defaults) | as_singleton("count view");
  out.show("number", numbers | window_into("hours", {.into = fixed(1h)})
                         | with_keys("by rest", [](number n) { return n % 10; }) | reshuffle("mix")
                         | par_do("in order", steps_of_ten{}, with(count)));
}

// Sums of windows by a timer at their end, of elements that are the same after a crash.
class sums_of_windows {
 public:
  static constexpr bool requires_stable_input = true;
  using output = kv<number, number>;
  void process(const output& x, emitter<output>& out) {
    sum_.add(x.value);
    end_.set(out.at().in.max_timestamp());
  }
  void on_timer(const event_timer& /*which*/, const number& key, emitter<output>& out) {
    out(output{key, sum_.read()});
  }
  auto cells() { return std::tie(sum_, end_); }

 private:
  combining_state<sum_of<number>> sum_{"sum"};
  event_timer end_{"end"};
};

void stable_sums(pipeline& p, outputs& out) {
  out.show("sum", p | sequence("numbers", {.to = 60, .rate = 3000, .time_of = [](number n) { return timestamp{n}; }})
                      | window_into("windows", {.into = fixed(20ms)})
                      | with_keys("by rest", [](number n) { return n % 4; }) | par_do("sums", sums_of_windows{}));
}

// The same sums behind a function without cells that asks for such elements, and for a side input that is late; what
// fails goes elsewhere.
class times_factor {
 public:
  static constexpr bool requires_stable_input = true;
  using output = kv<number, number>;
  void process(const output& x, const number& factor, emitter<output>& out) {
    if (x.value == 13) throw std::invalid_argument("a bad number");
    out(output{x.key, x.value * factor});
  }
};

void stable_products(pipeline& p, outputs& out) {
  const auto numbers = p
                       | sequence("numbers", {.to = 60, .rate = 3000, .time_of = [](number n) { return timestamp{n}; }})
                       | window_into("windows", {.into = fixed(20ms)});
  const auto count = numbers | combine_globally("count", count_of<number>{}, without_defaults)
                     | map("number", [](std::uint64_t n) { return static_cast<number>(n); }) | as_singleton("counts");
  const auto [products, failures] = numbers | with_keys("by rest", [](number n) { return n % 4; })
                                    | par_do("multiply", times_factor{}, with(count), with_errors);
  out.show("product", products);
  out.show("sum", products | combine_per_key("sums", sum));
  out.show("failure", failures | map("cause", [](const failed<kv<number, number>>& f) { return f.message; }));
}

TEST(scripted, factors_per_window_11_1) {
  check_scripted({"factors_per_window", factors_per_window});
}
TEST(scripted, double_rates_11_5) {
  check_scripted({"double_rates", double_rates});
}
TEST(free_running, numbers_in_order) {
  check_free_running({"numbers_in_order", numbers_in_order});
}
TEST(free_running, stable_sums) {
  check_free_running({"stable_sums", stable_sums});
}
TEST(with_kills, stable_sums) {
  check_with_kills({"stable_sums", stable_sums});
}
TEST(free_running, stable_products) {
  check_free_running({"stable_products", stable_products});
}
TEST(with_kills, stable_products) {
  check_with_kills({"stable_products", stable_products});
}
TEST(with_kills, numbers_in_order) {
  check_with_kills({"numbers_in_order", numbers_in_order});
}

}  // namespace
}  // namespace millrace::programs::state_views_test
