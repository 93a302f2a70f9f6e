#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/co_group_by_key.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>
#include <millrace/transforms/windows/sliding.hpp>

#include <gtest/gtest.h>

// Scripted programs about windows, lateness, timestamps and collections that meet.
namespace millrace::programs::scripted_windows_test {
namespace {

using namespace std::chrono_literals;
using namespace texts;

void show_groups(outputs& out, const text& label, const pcollection<pair>& input, const windowing& how) {
  out.show(label, input | window_into("windows of " + label, how) | group_by_key("group " + label)
                      | map("sort " + label, sorted{}));
}

void half_late(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .advance_watermark_to(time(7))
                           .add({at("a", 4)})
                           .advance_watermark_to(time(100))
                           .advance_watermark_to_infinity();
  show_groups(out, "group", input, {.into = sliding(10ms, 5ms)});
}

void late_sessions(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("a", 0), at("b", 9), at("c", 18)})
                           .advance_watermark_to(time(15))
                           .add({at("d", 2)})
                           .advance_watermark_to(time(28))
                           .advance_watermark_to_infinity();
  show_groups(out, "strict", input, {.into = sessions(10ms)});
  show_groups(out, "patient", input, {.into = sessions(10ms), .keep = panes::discarding, .allowed_lateness = 5ms});
}

void growing_sessions(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .add({at("a", 0)})
                           .advance_watermark_to(time(10))
                           .add({at("b", 5)})
                           .advance_watermark_to(time(15))
                           .advance_watermark_to_infinity();
  show_groups(out, "all", input, {.into = sessions(10ms), .keep = panes::accumulating, .allowed_lateness = 20ms});
  show_groups(out, "new", input, {.into = sessions(10ms), .keep = panes::discarding, .allowed_lateness = 20ms});
}

void sliding_counts(pipeline& p, outputs& out) {
  out.show("count", p
                        | test_stream<pair>("input")
                              .add({at("a", 0), at("b", 4), at("c", 7), at("d", 12)})
                              .advance_watermark_to(time(100))
                              .advance_watermark_to_infinity()
                        | window_into("windows", {.into = sliding(10ms, 5ms)})
                        | count_globally("count of window", without_defaults));
}

void merged_and_remerged(pipeline& p, outputs& out) {
  const auto counts =
      p
      | test_stream<text>("input")
            .add({{"one", time(0)},
                  {"one", time(8)},
                  {"one", time(15)},
                  {"two", time(20)},
                  {"two", time(25)},
                  {"two", time(30)}})
            .advance_watermark_to(time(100))
            .advance_watermark_to_infinity()
      | window_into("sessions", {.into = sessions(10ms)}) | count_per_element("count")
      | map("rekey", [](const kv<text, std::uint64_t>& c) { return kv<text, std::uint64_t>{"all", c.value}; });
  out.show("apart", counts | combine_per_key("sum apart", sum));
  out.show("together", counts | remerge("again") | combine_per_key("sum together", sum));
}

void earliest_and_latest(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .advance_watermark_to(time(0))
                           .add({at("a", 6)})
                           .advance_watermark_to(time(5))
                           .add({at("b", 2)})
                           .add({at("c", 8)})
                           .advance_watermark_to(time(10))
                           .advance_watermark_to_infinity();
  show_groups(out, "earliest", input, {.into = fixed(10ms), .timestamps = timestamp_combiner::earliest});
  show_groups(out, "latest", input, {.into = fixed(10ms), .timestamps = timestamp_combiner::latest});
  show_groups(out, "session", input, {.into = sessions(10ms), .timestamps = timestamp_combiner::latest});
}

void moved_in_time(pipeline& p, outputs& out) {
  out.show("count", p
                        | test_stream<number>("input")
                              .add_at(time(0), {3, 12})
                              .advance_watermark_to(time(20))
                              .add_at(time(20), {16, 31})
                              .advance_watermark_to_infinity()
                        | with_timestamps(
                            "times", [](number n) { return timestamp{n}; }, allowed_skew{10ms})
                        | window_into("windows", {.into = fixed(10ms)})
                        | count_globally("count of window", without_defaults));
}

// The watermark of what is flattened is the least of its inputs'.
void streams_together(pipeline& p, outputs& out) {
  const auto a = p
                 | test_stream<pair>("first")
                       .add({at("a", 1)})
                       .advance_watermark_to(time(12))
                       .add({at("c", 13)})
                       .advance_watermark_to_infinity();
  const auto b = p
                 | test_stream<pair>("second")
                       .add({at("b", 2)})
                       .add({at("d", 8)})
                       .advance_watermark_to(time(12))
                       .advance_watermark_to_infinity();
  show_groups(out, "group", flatten("both", a, b), {.into = fixed(10ms)});
}

void late_join(pipeline& p, outputs& out) {
  using priced = kv<text, number>;
  const windowing minutes{.into = fixed(10ms), .keep = panes::accumulating, .allowed_lateness = 20ms};
  const auto names = p
                     | test_stream<pair>("names")
                           .add({at("name", 1)})
                           .advance_watermark_to(time(11))
                           .advance_watermark_to(time(31))
                           .advance_watermark_to_infinity()
                     | window_into("windows of names", minutes);
  const auto prices = p
                      | test_stream<priced>("prices")
                            .add({{{"j", 7}, time(2)}})
                            .advance_watermark_to(time(12))
                            .add({{{"k", 5}, time(3)}})
                            .advance_watermark_to(time(40))
                            .advance_watermark_to_infinity()
                      | window_into("windows of prices", minutes);
  out.show("joined", co_group_by_key("join", names, prices));
}

// The main input waits for the window of the side input that belongs to its own, and holds the watermark meanwhile.
void windowed_side(pipeline& p, outputs& out) {
  const auto side = p
                    | test_stream<number>("side")
                          .add({{1, time(1)}})
                          .add({{2, time(11)}, {3, time(13)}})
                          .advance_watermark_to(time(10))
                          .advance_watermark_to_infinity()
                    | window_into("windows of side", {.into = fixed(10ms)})
                    | combine_globally("sum of side", sum, without_defaults) | as_singleton("sum view", number{0});
  const auto main = p
                    | test_stream<text>("main")
                          .add({{"A", time(4)}, {"B", time(15)}, {"C", time(7)}, {"D", time(22)}})
                          .advance_watermark_to(time(20))
                          .advance_watermark_to_infinity()
                    | window_into("windows of main", {.into = fixed(10ms)});
  const auto with_side =
      main | map("with side", [](const text& x, number n) { return x + std::to_string(n); }, with(side));
  out.show("element", with_side);
  out.show("group", with_side | map("key", [](const text& x) { return pair{"k", x}; }) | group_by_key("by key")
                        | map("sort", sorted{}));
}

// A newer pane of the side input takes the place of the older one. The clock ticks where a stream has nothing to do.
void growing_side(pipeline& p, outputs& out) {
  const auto tick = 1ms;
  const auto side = p
                    | test_stream<number>("side")
                          .add({1})
                          .advance_processing_time(tick)
                          .add({2})
                          .advance_processing_time(tick)
                          .advance_watermark_to_infinity();
  const auto main = p
                    | test_stream<text>("main")
                          .advance_processing_time(tick)
                          .add({"a"})
                          .advance_processing_time(tick)
                          .add({"b"})
                          .advance_watermark_to_infinity();
  const auto view_of = [&](const text& name, panes keep) {
    return side | window_into("panes of " + name, {.fire = repeatedly(after_count(1)), .keep = keep}) | as_list(name);
  };
  const auto show = [](const text& x, const std::vector<number>& seen) {
    return kv<text, std::vector<number>>{x, seen};
  };
  out.show("all", main | map("look at all", show, with(view_of("view of all", panes::accumulating))));
  out.show("new", main | map("look at new", show, with(view_of("view of new", panes::discarding))));
}

void rates_over_time(pipeline& p, outputs& out) {
  const auto tick = 1ms;
  const auto rates = p
                     | test_stream<kv<text, number>>("rates")
                           .add({{{"eu", 2}, time(1)}, {{"us", 3}, time(2)}})
                           .advance_watermark_to(time(10))
                           .add({{{"eu", 5}, time(11)}})
                           .advance_watermark_to_infinity()
                     | window_into("windows of rates", {.into = fixed(10ms)}) | as_map("rate view");
  const auto amounts = p
                       | test_stream<kv<text, number>>("amounts")
                             .advance_processing_time(tick)
                             .add({{{"eu", 10}, time(3)}, {{"us", 10}, time(4)}})
                             .add({{{"eu", 10}, time(14)}})
                             .advance_watermark_to_infinity()
                       | window_into("windows of amounts", {.into = fixed(10ms)});
  out.show("amount", amounts
                         | map(
                             "convert",
                             [](const kv<text, number>& x, const std::map<text, number>& rate) {
                               return kv<text, number>{x.key, x.value * rate.at(x.key)};
                             },
                             with(rates)));
}

// The greater allowed lateness of two window_into counts.
void inherited_lateness(pipeline& p, outputs& out) {
  const auto input = p
                     | test_stream<pair>("input")
                           .advance_watermark_to(time(60))
                           .add({at("a", 1)})
                           .advance_watermark_to(time(70))
                           .add({at("b", 2)})
                           .advance_watermark_to_infinity()
                     | window_into("first", {.into = fixed(10ms), .keep = panes::discarding, .allowed_lateness = 60ms});
  show_groups(out, "group", input, {.into = fixed(10ms), .allowed_lateness = 10ms});
}

TEST(scripted, half_late) {
  check_scripted({"half_late", half_late});
}
TEST(scripted, late_sessions) {
  check_scripted({"late_sessions", late_sessions});
}
TEST(scripted, growing_sessions) {
  check_scripted({"growing_sessions", growing_sessions});
}
TEST(scripted, sliding_counts) {
  check_scripted({"sliding_counts", sliding_counts});
}
TEST(scripted, merged_and_remerged) {
  check_scripted({"merged_and_remerged", merged_and_remerged});
}
TEST(scripted, earliest_and_latest) {
  check_scripted({"earliest_and_latest", earliest_and_latest});
}
TEST(scripted, moved_in_time) {
  check_scripted({"moved_in_time", moved_in_time});
}
TEST(scripted, streams_together) {
  check_scripted({"streams_together", streams_together});
}
TEST(scripted, late_join) {
  check_scripted({"late_join", late_join});
}
TEST(scripted, windowed_side) {
  check_scripted({"windowed_side", windowed_side});
}
TEST(scripted, growing_side) {
  check_scripted({"growing_side", growing_side});
}
TEST(scripted, rates_over_time) {
  check_scripted({"rates_over_time", rates_over_time});
}
TEST(scripted, inherited_lateness) {
  check_scripted({"inherited_lateness", inherited_lateness});
}

}  // namespace
}  // namespace millrace::programs::scripted_windows_test
