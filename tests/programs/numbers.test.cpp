#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/split.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gtest/gtest.h>

// Programs over sequences of numbers.
namespace millrace::programs::numbers_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;

void squares(pipeline& p, outputs& out) {
  const auto even = p | sequence("numbers", {.from = 1, .to = 301})
                    | filter("even", [](number n) { return n % 2 == 0; }) | reshuffle("spread")
                    | map("square", [](number n) { return n * n; });
  out.show("sum", even | combine_globally("sum of squares", sum));
  out.show("mean", even | combine_globally("mean of squares", mean));
  out.show("digits", even | flat_map("digits", [](number n, emitter<text>& emit) {
                       for (const char c : std::to_string(n)) emit(text(1, c));
                     }) | count_per_element("count of digits"));
}

void numbers_in_time(pipeline& p, outputs& out) {
  out.show("count", p | sequence("numbers", {.to = 250, .time_of = [](number n) { return timestamp{n * 3}; }})
                        | window_into("windows", {.into = fixed(100ms, 10ms)})
                        | combine_globally("numbers of a window", count, without_defaults));
}

void sliding_numbers(pipeline& p, outputs& out) {
  out.show("least", p | sequence("numbers", {.from = -40, .to = 40})
                        | with_timestamps("times", [](number n) { return timestamp{n}; })
                        | window_into("windows", {.into = sliding(20ms, 8ms, 3ms)})
                        | with_keys("by rest", [](number n) { return ((n % 3) + 3) % 3; })
                        | combine_per_key("least number", min));
}

// Numbers by the clock, divided into odd ones and the text of even ones.
void paced_parity(pipeline& p, outputs& out) {
  auto [odd, even] = p | sequence("numbers", {.to = 40, .rate = 4000})
                     | split("by parity", [](number n) -> std::variant<number, text> {
                         if (n % 2 == 1) return n;
                         return std::to_string(n);
                       });
  out.show("odd", odd | combine_globally("sum of odd", sum));
  out.show("even", even);
}

TEST(free_running, squares) {
  check_free_running({"squares", squares});
}
TEST(free_running, numbers_in_time) {
  check_free_running({"numbers_in_time", numbers_in_time, reading::stamped});
}
TEST(free_running, sliding_numbers) {
  check_free_running({"sliding_numbers", sliding_numbers});
}
TEST(free_running, paced_parity) {
  check_free_running({"paced_parity", paced_parity});
}

}  // namespace
}  // namespace millrace::programs::numbers_test
