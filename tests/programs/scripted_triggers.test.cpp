#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>
#include <millrace/transforms/windows/sessions.hpp>

#include <gtest/gtest.h>

// Scripted programs about triggers: every pane with its stamp.
namespace millrace::programs::scripted_triggers_test {
namespace {

using namespace std::chrono_literals;
using namespace texts;
using reports = kv<text, number>;

// Each value on its own, one bundle after another, at one time.
test_stream<pair>& add_each(test_stream<pair>& to, const text& values, number at_time) {
  for (const char c : values) to.add_at(time(at_time), {pair{"k", text(1, c)}});
  return to;
}

template <class Stream>
void show_groups(pipeline& p, outputs& out, const Stream& input, const windowing& how) {
  out.show("group", p | input | window_into("windows", how) | group_by_key("by key") | map("sort", sorted{}));
}

void late_panes(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .advance_watermark_to(time(0))
                         .add({at("a", 3)})
                         .add({at("b", 8)})
                         .advance_watermark_to(time(9))
                         .advance_watermark_to(time(10))
                         .add({at("c", 5)})
                         .advance_watermark_to(time(29))
                         .add({at("d", 1)})
                         .advance_watermark_to(time(30))
                         .add({at("e", 2)})
                         .advance_watermark_to_infinity();
  show_groups(p, out, input, {.into = fixed(10ms), .keep = panes::discarding, .allowed_lateness = 20ms});
}

void corrections(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("a", 3)})
                         .add({at("b", 1)})
                         .add({at("c", 4)})
                         .advance_watermark_to(time(10))
                         .add({at("d", 7)})
                         .advance_watermark_to(time(30))
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(10ms),
               .fire = at_watermark().early(after_count(2)).late(each_element{}),
               .keep = panes::accumulating,
               .allowed_lateness = 20ms,
               .timestamps = timestamp_combiner::earliest});
}

// Five values of one key in one bundle, and five of another one by one.
void pairs_of_values(pipeline& p, outputs& out) {
  auto input = test_stream<reports>("input").add_at(
      time(1), {{"bundle", 1}, {"bundle", 2}, {"bundle", 3}, {"bundle", 4}, {"bundle", 5}});
  for (number n = 1; n <= 5; ++n) input.add_at(time(2), {{"single", n}});
  input.advance_watermark_to(time(10)).advance_watermark_to_infinity();
  out.show("sum", p | input
                      | window_into("windows", {.into = fixed(10ms),
                                                .fire = repeatedly(after_count(2)),
                                                .keep = panes::discarding,
                                                .allowed_lateness = 0ms})
                      | combine_per_key("sum of values", sum));
}

void by_the_clock(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .advance_processing_time(1000ms)
                         .add({at("a", 5)})
                         .advance_processing_time(10ms)
                         .advance_processing_time(1ms)
                         .add({at("b", 6)})
                         .advance_watermark_to(time(100))
                         .advance_processing_time(11ms)
                         .add({at("c", 7)})
                         .advance_watermark_to(time(150))
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(100ms),
               .fire = repeatedly(after_delay{10ms}),
               .keep = panes::discarding,
               .allowed_lateness = 50ms});
}

void merging_counts(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("a", 0)})
                         .add({at("b", 15)})
                         .add({at("c", 7)})
                         .add({at("d", 8)})
                         .add({at("e", 9)})
                         .advance_watermark_to(time(25))
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = sessions(10ms),
               .fire = at_watermark().early(after_count(2)),
               .keep = panes::accumulating,
               .allowed_lateness = 0ms,
               .timestamps = timestamp_combiner::earliest});
}

void always_closed(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("a", 3)})
                         .add({at("b", 8)})
                         .advance_watermark_to(time(10))
                         .add({at("c", 5)})
                         .advance_watermark_to(time(30))
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(10ms), .keep = panes::accumulating, .allowed_lateness = 20ms, .closing = fires::always});
}

void silent_on_time(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("a", 3)})
                         .add({at("b", 1)})
                         .advance_watermark_to(time(10))
                         .add({at("d", 7)})
                         .advance_watermark_to(time(30))
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(10ms),
               .fire = at_watermark().early(after_count(2)).late(each_element{}),
               .keep = panes::discarding,
               .allowed_lateness = 20ms,
               .timestamps = timestamp_combiner::earliest,
               .closing = fires::always,
               .on_time = fires::if_non_empty});
}

void five_minutes(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("1", 0), at("2", 0), at("3", 0)})
                         .advance_watermark_to(time(360'000))
                         .add({at("4", 0), at("5", 0)})
                         .advance_watermark_to(time(600'000))
                         .advance_watermark_to(time(1'200'000))
                         .add({at("-1", 0)})
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(5min),
               .fire = at_watermark().early(after_delay{2min}).late(each_element{}),
               .keep = panes::accumulating,
               .allowed_lateness = 5min,
               .closing = fires::always});
}

void global_early_sums(pipeline& p, outputs& out) {
  const auto input = test_stream<number>("input")
                         .add({1, 2})
                         .advance_processing_time(12min)
                         .add({3})
                         .advance_processing_time(6min)
                         .advance_watermark_to_infinity();
  out.show("sum", p | input
                      | window_into("windows", {.fire = at_watermark().early(after_delay{5min}),
                                                .keep = panes::accumulating,
                                                .allowed_lateness = 0ms})
                      | combine_globally("sum of all", sum, without_defaults));
}

void end_at_once(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input").add({at("a", 3)}).advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(10ms),
               .fire = at_watermark().early(after_count(2)).late(each_element{}),
               .keep = panes::discarding,
               .allowed_lateness = 20ms,
               .timestamps = timestamp_combiner::earliest});
}

void one_then_threes(pipeline& p, outputs& out) {
  test_stream<pair> input("input");
  add_each(input, "abcdefg", 5).advance_watermark_to(time(100)).advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(100ms),
               .fire = in_order(after_count(1), repeatedly(after_count(3))),
               .keep = panes::accumulating,
               .allowed_lateness = 0ms});
}

void two_and_a_while(pipeline& p, outputs& out) {
  const auto input = test_stream<pair>("input")
                         .add({at("a", 5)})
                         .advance_processing_time(11ms)
                         .add({at("b", 5)})
                         .add({at("c", 5), at("d", 5)})
                         .advance_processing_time(11ms)
                         .advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(100ms),
               .fire = repeatedly(all_of(after_count(2), after_delay{10ms})),
               .keep = panes::discarding,
               .allowed_lateness = 0ms});
}

void closed_windows(pipeline& p, outputs& out) {
  p.allow_unsafe_triggers();
  test_stream<pair> input("input");
  add_each(input, "abcdefg", 5).advance_watermark_to(time(100)).advance_watermark_to_infinity();
  show_groups(p, out, input,
              {.into = fixed(100ms),
               .fire = repeatedly(after_count(2)).until(after_count(5)),
               .keep = panes::discarding,
               .allowed_lateness = 0ms});
}

void late_by_the_clock(pipeline& p, outputs& out) {
  const auto input = test_stream<reports>("input")
                         .add({{{"k", 1}, time(2)}})
                         .advance_watermark_to(time(10))
                         .add({{{"k", 2}, time(3)}})
                         .advance_processing_time(5ms)
                         .add({{{"k", 4}, time(4)}})
                         .advance_processing_time(1ms)
                         .add({{{"k", 8}, time(5)}})
                         .advance_watermark_to(time(60))
                         .advance_watermark_to_infinity();
  out.show("sum", p | input
                      | window_into("windows", {.into = fixed(10ms),
                                                .fire = at_watermark().late(after_delay{5ms}),
                                                .keep = panes::accumulating,
                                                .allowed_lateness = 40ms})
                      | combine_per_key("sum of values", sum));
}

// What a second grouping makes of the panes of a first.
void sums_of_sums(pipeline& p, outputs& out) {
  const auto input = test_stream<reports>("input")
                         .add({{{"k", 1}, time(1)}})
                         .add({{{"k", 2}, time(2)}})
                         .add({{{"k", 4}, time(3)}})
                         .advance_watermark_to(time(10))
                         .advance_watermark_to_infinity();
  out.show("sum", p | input
                      | window_into("windows", {.into = fixed(10ms),
                                                .fire = at_watermark().early(after_count(2)),
                                                .keep = panes::discarding,
                                                .allowed_lateness = 0ms})
                      | combine_per_key("first sum", sum)
                      | map("rekey", [](const reports& r) { return reports{"all", r.value}; })
                      | combine_per_key("second sum", sum));
}

TEST(scripted, late_panes) {
  check_scripted({"late_panes", late_panes});
}
TEST(scripted, corrections) {
  check_scripted({"corrections", corrections});
}
TEST(scripted, pairs_of_values) {
  check_scripted({"pairs_of_values", pairs_of_values});
}
TEST(scripted, by_the_clock) {
  check_scripted({"by_the_clock", by_the_clock});
}
TEST(scripted, merging_counts) {
  check_scripted({"merging_counts", merging_counts});
}
TEST(scripted, always_closed) {
  check_scripted({"always_closed", always_closed});
}
TEST(scripted, silent_on_time) {
  check_scripted({"silent_on_time", silent_on_time});
}
TEST(scripted, five_minutes) {
  check_scripted({"five_minutes", five_minutes});
}
TEST(scripted, global_early_sums) {
  check_scripted({"global_early_sums", global_early_sums});
}
TEST(scripted, end_at_once) {
  check_scripted({"end_at_once", end_at_once});
}
TEST(scripted, one_then_threes) {
  check_scripted({"one_then_threes", one_then_threes});
}
TEST(scripted, two_and_a_while) {
  check_scripted({"two_and_a_while", two_and_a_while});
}
TEST(scripted, closed_windows) {
  check_scripted({"closed_windows", closed_windows});
}
TEST(scripted, late_by_the_clock) {
  check_scripted({"late_by_the_clock", late_by_the_clock});
}
TEST(scripted, sums_of_sums) {
  check_scripted({"sums_of_sums", sums_of_sums});
}

}  // namespace
}  // namespace millrace::programs::scripted_triggers_test
