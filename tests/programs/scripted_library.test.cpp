#include "elements.hpp"
#include "harness.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/deduplicate.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/hot_key_fanout.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/latest.hpp>
#include <millrace/transforms/wait_on.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Scripted programs about the transforms that are made of others.
namespace millrace::programs::scripted_library_test {
namespace {

using namespace std::chrono_literals;
using namespace numbers;

void timed_batches(pipeline& p, outputs& out) {
  test_stream<pair> input("input");
  for (number second = 0; second < 10; ++second)
    input.add_at(time(second * 1000), {pair{"k", second}}).advance_processing_time(2s);
  input.advance_watermark_to_infinity();
  out.show("size", p | input | window_into("windows", {.into = fixed(4s)})
                       | group_into_batches("batch", {.count = 100, .buffering = 5s})
                       | map("size", [](const auto& b) { return kv<text, number>{b.key, std::ssize(b.value)}; }));
}

// The second batch begins with what is later than what comes after.
void batches_of_three(pipeline& p, outputs& out) {
  const auto batches = p
                       | test_stream<pair>("input")
                             .add_at(time(1), {pair{"k", 1}})
                             .add_at(time(2), {pair{"k", 2}})
                             .add_at(time(5), {pair{"k", 3}})
                             .add_at(time(9), {pair{"k", 4}})
                             .advance_watermark_to(time(6))
                             .add_at(time(7), {pair{"k", 5}})
                             .advance_watermark_to(time(25))
                             .advance_watermark_to_infinity()
                       | window_into("windows", {.into = fixed(20ms)}) | group_into_batches("batch", {.count = 3});
  out.show("batch", batches);
  out.show("again", batches | window_into("tens", {.into = fixed(10ms)}) | map("size", [](const auto& b) {
                      return pair{b.key, std::ssize(b.value)};
                    }) | combine_per_key("sizes", sum));
}

void forgotten_elements(pipeline& p, outputs& out) {
  const auto in = p
                  | test_stream<text>("input")
                        .add_at(time(1), {"x"})
                        .advance_processing_time(9min)
                        .add_at(time(2), {"x", "y"})
                        .add_at(time(11), {"x"})
                        .advance_processing_time(1min)
                        .add_at(time(3), {"x"})
                        .advance_processing_time(1ms)
                        .add_at(time(4), {"x", "y"})
                        .advance_watermark_to_infinity()
                  | window_into("windows", {.into = fixed(10ms)});
  out.show("first", in | deduplicate("first"));
}

void forgotten_by_watermark(pipeline& p, outputs& out) {
  const auto in = p
                  | test_stream<text>("input")
                        .add_at(time(100), {"x"})
                        .advance_watermark_to(time(150))
                        .add_at(time(150), {"x"})
                        .advance_watermark_to(time(151))
                        .add_at(time(152), {"x"})
                        .advance_watermark_to_infinity();
  out.show("first", in | deduplicate("first", {.remember = 50ms, .clock = forgetting::by_event_time}));
}

void spread_panes(pipeline& p, outputs& out) {
  const auto in = p
                  | test_stream<pair>("input")
                        .add({{pair{"k", 1}, time(1)}, {pair{"k", 2}, time(5)}, {pair{"j", 16}, time(6)}})
                        .advance_watermark_to(time(10))
                        .add_at(time(3), {pair{"k", 4}})
                        .advance_watermark_to(time(30))
                        .add_at(time(4), {pair{"k", 8}})
                        .advance_watermark_to_infinity();
  const auto windowed = [&](const text& name, panes keep) {
    return in
           | window_into(name, {.into = fixed(10ms),
                                .fire = at_watermark().late(each_element{}),
                                .keep = keep,
                                .allowed_lateness = 20ms,
                                .closing = fires::always});
  };
  out.show("whole",
           windowed("accumulating", panes::accumulating) | combine_per_key("whole sum", sum, with_hot_key_fanout(3)));
  out.show("new", windowed("discarding", panes::discarding) | combine_per_key("new sum", sum, with_hot_key_fanout(3)));
}

void waiting_elements(pipeline& p, outputs& out) {
  const auto signal = p
                      | test_stream<text>("signal")
                            .add_at(time(3), {"s"})
                            .advance_watermark_to(time(10))
                            .advance_watermark_to_infinity()
                      | window_into("signal windows", {.into = fixed(10ms)});
  const auto in = p
                  | test_stream<pair>("input")
                        .add_at(time(5), {pair{"k", 1}})
                        .add_at(time(15), {pair{"k", 2}})
                        .advance_watermark_to(time(20))
                        .advance_watermark_to_infinity()
                  | window_into("windows", {.into = fixed(10ms)});
  const auto passed = in | wait_on("wait", signal);
  out.show("passed", passed);
  out.show("group", passed | group_by_key("group"));
}

void distinct_values(pipeline& p, outputs& out) {
  const auto in =
      p
      | test_stream<pair>("input")
            .add_at(time(1), {pair{"x", 2}})
            .add_at(time(2), {pair{"x", 1}})
            .add_at(time(3), {pair{"y", 3}})
            .advance_watermark_to_infinity()
      | window_into("windows",
                    {.into = fixed(10ms), .fire = each_element{}, .keep = panes::discarding, .allowed_lateness = 0ms});
  out.show("key", in | keys("keys") | distinct("distinct keys"));
  out.show("pair", in | distinct("of keys", by(&pair::key)));
}

void latest_values(pipeline& p, outputs& out) {
  const auto in = p
                  | test_stream<text>("input")
                        .add_at(time(3), {"c"})
                        .add_at(time(1), {"a"})
                        .add_at(time(3), {"b"})
                        .add_at(time(12), {"d"})
                        .advance_watermark_to_infinity()
                  | window_into("windows", {.into = fixed(10ms)});
  out.show("latest", in | latest_globally("latest"));
}

TEST(scripted, timed_batches_14_2) {
  check_scripted({"timed_batches", timed_batches});
}
TEST(scripted, batches_of_three) {
  check_scripted({"batches_of_three", batches_of_three});
}
TEST(scripted, forgotten_elements_14_3) {
  check_scripted({"forgotten_elements", forgotten_elements});
}
TEST(scripted, forgotten_by_watermark) {
  check_scripted({"forgotten_by_watermark", forgotten_by_watermark});
}
TEST(scripted, spread_panes) {
  check_scripted({"spread_panes", spread_panes});
}
TEST(scripted, waiting_elements) {
  check_scripted({"waiting_elements", waiting_elements});
}
TEST(scripted, distinct_values_14_4) {
  check_scripted({"distinct_values", distinct_values});
}
TEST(scripted, latest_values_14_6) {
  check_scripted({"latest_values", latest_values});
}

}  // namespace
}  // namespace millrace::programs::scripted_library_test
