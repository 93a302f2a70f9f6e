#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/top.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gtest/gtest.h>

// Programs whose results are per window. What triggers make of them before the end depends on the order; what is
// compared does not.
namespace millrace::programs::windows_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;

timestamp time_of(const order& o) {
  return timestamp{o.time};
}

void revenue_per_minute(pipeline& p, outputs& out) {
  out.show("revenue", p | create("orders", orders()) | with_timestamps("times", time_of)
                          | window_into("minutes", {.into = fixed(1min)})
                          | combine_per_key("sum of cents", by(&order::region), of(&order::cents), sum));
}

void sliding_means(pipeline& p, outputs& out) {
  const auto timed =
      p | create_timestamped("orders", timed_orders()) | window_into("two minutes", {.into = sliding(2min, 1min)});
  out.show("mean", timed | combine_per_key("mean of cents", by(&order::region), of(&order::cents), mean));
  out.show("count", timed | count_globally("orders in a window", without_defaults));
}

void customer_sessions(pipeline& p, outputs& out) {
  const auto ids = p | create_timestamped("orders", timed_orders()) | window_into("sessions", {.into = sessions(30s)})
                   | map("ids", [](const order& o) { return kv<text, number>{o.customer, o.id}; });
  out.show("visit", ids | group_by_key("group") | map("sort", sorted{}));
  out.show("size", ids | count_per_key("count"));
}

void sessions_overall(pipeline& p, outputs& out) {
  out.show("sum", p | create("orders", orders()) | with_timestamps("times", time_of)
                      | window_into("sessions", {.into = sessions(5s)}) | map("cents", &order::cents)
                      | combine_globally("sum of a session", sum, without_defaults));
}

// Every third element of a product gives an early pane; panes hold what is new, so together they hold everything once.
void early_counts(pipeline& p, outputs& out) {
  out.show("orders", p | create_timestamped("orders", timed_orders())
                         | window_into("windows", {.into = fixed(5min),
                                                   .fire = at_watermark().early(after_count(3)),
                                                   .keep = panes::discarding,
                                                   .allowed_lateness = 0ms})
                         | combine_per_key("count of orders", by(&order::product), of(&order::id), count));
}

void early_sums(pipeline& p, outputs& out) {
  out.show("cents", p | create_timestamped("orders", timed_orders())
                        | window_into("everything", {.fire = repeatedly(after_count(4)), .keep = panes::discarding})
                        | combine_per_key("sum of cents", by(&order::customer), of(&order::cents), sum));
}

// Each element gives a pane with everything so far: the last one is the whole.
void running_maxima(pipeline& p, outputs& out) {
  out.show("max", p | create_timestamped("orders", timed_orders())
                      | window_into("windows", {.into = fixed(2min),
                                                .fire = at_watermark().early(each_element{}).late(each_element{}),
                                                .keep = panes::accumulating,
                                                .allowed_lateness = 1h})
                      | combine_per_key("max of cents", by(&order::region), of(&order::cents), max));
}

void running_groups(pipeline& p, outputs& out) {
  out.show("ids", p | create_timestamped("orders", timed_orders())
                      | window_into("windows", {.into = sliding(4min, 2min),
                                                .fire = at_watermark().early(after_count(5)),
                                                .keep = panes::accumulating,
                                                .allowed_lateness = 0ms})
                      | map("ids", [](const order& o) { return kv<text, number>{o.region, o.id}; })
                      | group_by_key("group") | map("sort", sorted{}));
}

// A sequence paced by the clock, with early panes a while after the first element of each.
void paced_numbers(pipeline& p, outputs& out) {
  out.show("sum",
           p | sequence("numbers", {.to = 60, .rate = 2000, .time_of = [](number n) { return timestamp{n * 10}; }})
               | with_keys("by rest", [](number n) { return n % 3; })
               | window_into("windows", {.into = fixed(200ms),
                                         .fire = at_watermark().early(after_delay{2ms}),
                                         .keep = panes::accumulating,
                                         .allowed_lateness = 0ms})
               | combine_per_key("sum of numbers", sum));
}

void delayed_counts(pipeline& p, outputs& out) {
  out.show("count", p | sequence("numbers", {.to = 90, .rate = 5000, .time_of = [](number n) { return timestamp{n}; }})
                        | with_keys("by rest", [](number n) { return n % 2; })
                        | window_into("windows",
                                      {.into = fixed(30ms),
                                       .fire = at_watermark().early(after_delay{1ms}.align(3ms)).late(after_delay{1ms}),
                                       .keep = panes::discarding,
                                       .allowed_lateness = 20ms})
                        | count_per_key("count of numbers"));
}

// The busiest region of each minute, then how often each is: three shuffles in a row.
void busiest_regions(pipeline& p, outputs& out) {
  using counted = kv<std::uint64_t, text>;
  out.show("busiest", p | create_timestamped("orders", timed_orders()) | window_into("minutes", {.into = fixed(1min)})
                          | map("region", &order::region) | count_per_element("count in minute")
                          | map("turn round", [](const kv<text, std::uint64_t>& c) { return counted{c.value, c.key}; })
                          | combine_globally("busiest of minute", max, without_defaults)
                          | window_into("ten minutes", {.into = fixed(10min)})
                          | map("name", [](const counted& c) { return c.value; })
                          | count_per_element("count of minutes"));
}

TEST(free_running, revenue_per_minute) {
  check_free_running({"revenue_per_minute", revenue_per_minute, reading::stamped});
}
TEST(free_running, sliding_means) {
  check_free_running({"sliding_means", sliding_means});
}
TEST(free_running, customer_sessions) {
  check_free_running({"customer_sessions", customer_sessions});
}
TEST(free_running, sessions_overall) {
  check_free_running({"sessions_overall", sessions_overall});
}
TEST(free_running, early_counts) {
  check_free_running({"early_counts", early_counts, reading::summed_panes});
}
TEST(free_running, early_sums) {
  check_free_running({"early_sums", early_sums, reading::summed_panes});
}
TEST(free_running, running_maxima) {
  check_free_running({"running_maxima", running_maxima, reading::last_pane});
}
TEST(free_running, running_groups) {
  check_free_running({"running_groups", running_groups, reading::last_pane});
}
TEST(free_running, paced_numbers) {
  check_free_running({"paced_numbers", paced_numbers, reading::last_pane});
}
TEST(free_running, delayed_counts) {
  check_free_running({"delayed_counts", delayed_counts, reading::summed_panes});
}
TEST(free_running, busiest_regions) {
  check_free_running({"busiest_regions", busiest_regions});
}

TEST(with_kills, customer_sessions) {
  check_with_kills({"customer_sessions", customer_sessions});
}
TEST(with_kills, paced_numbers) {
  check_with_kills({"paced_numbers", paced_numbers, reading::last_pane});
}
TEST(with_kills, busiest_regions) {
  check_with_kills({"busiest_regions", busiest_regions});
}

}  // namespace
}  // namespace millrace::programs::windows_test
