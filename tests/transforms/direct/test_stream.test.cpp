#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::test_stream_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using event_kind = scripted_head::event_kind;

// A test stream in a pipeline, and its operator.
template <class T>
struct driven_stream {
  explicit driven_stream(const test_stream<T>& script, driven_environment env = {}) : in(std::move(env)) {
    p | script;
    op = p.description().nodes().at(0).spec->make(in.get());
    op->connect(0, static_cast<receiver<T>&>(out));
  }
  scripted_head& script() { return *op->as_scripted(); }

  pipeline p{"test"};
  driven_environment in;
  caught<T> out;
  std::unique_ptr<stage_operator> op;
};

TEST(test_stream, plays_its_events_in_order) {
  driven_stream of(test_stream<std::string>("input")
                       .add({"a", "b"})
                       .advance_watermark_to(timestamp{10})
                       .add({"c"})
                       .add({{"d", timestamp{3}}})
                       .add_at(timestamp{4}, {"e", "f"})
                       .advance_processing_time(5ms)
                       .advance_watermark_to_infinity());
  ASSERT_EQ(of.script().events(), 7U);
  EXPECT_EQ(of.script().promise(), timestamp::min());
  of.script().play(0);
  EXPECT_EQ(of.script().promise(), timestamp::min());
  of.script().play(1);
  EXPECT_EQ(of.script().promise(), timestamp{10});
  for (std::size_t i = 2; i < 5; ++i) of.script().play(i);
  EXPECT_THAT(of.out.values, ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(of.out.times, ElementsAre(timestamp::min().millis(), timestamp::min().millis(), 10, 3, 4, 4));
  EXPECT_THAT(of.out.batches, ElementsAre(2, 1, 1, 2));
  EXPECT_EQ(of.script().kind(5), event_kind::processing_time);
  EXPECT_EQ(of.script().clock_advance(5), 5ms);
  of.script().play(6);
  EXPECT_EQ(of.script().promise(), timestamp::max());
  EXPECT_EQ(of.in.metrics.elements_out, 6U);
}

TEST(test_stream, is_an_unbounded_source_of_one_shard_in_the_global_window) {
  pipeline p("test");
  const auto words = p | test_stream<std::string>("input").add({"a"});
  EXPECT_FALSE(words.bounded());
  EXPECT_TRUE(words.windowing().into.global());
  EXPECT_EQ(p.description().nodes().at(0).spec->fixed_shards(), 1U);
  EXPECT_EQ(p.description().nodes().at(0).spec->kind(), operator_kind::read);
}

TEST(test_stream, keeps_batches_within_their_bound) {
  driven_stream of(test_stream<int>("input").add({1, 2, 3}), {.batch_rows_max = 2});
  of.script().play(0);
  EXPECT_THAT(of.out.batches, ElementsAre(2, 1));
}

TEST(test_stream, goes_on_with_the_watermark_of_its_snapshot) {
  const auto script = test_stream<int>("input").advance_watermark_to(timestamp{10});
  driven_stream first(script);
  first.script().play(0);
  driven_stream second(script);
  restore_from(*second.op, snapshot_of(*first.op));
  EXPECT_EQ(second.script().promise(), timestamp{10});
}

// A source that has ended holds no watermark when the next event is played.
TEST(test_stream, begins_an_event_when_the_other_sources_have_nothing_left) {
  pipeline p("test");
  const recording<std::int64_t> sums;
  const auto played = p
                      | test_stream<std::int64_t>("played")
                            .add_at(timestamp{2}, {10})
                            .advance_watermark_to(timestamp{11})
                            .add_at(timestamp{3}, {99})
                            .advance_watermark_to_infinity();
  flatten("all", p | create<std::int64_t>("ended", {}), played) | window_into("ten", {.into = fixed(10ms)})
      | combine_globally("sum", sum, without_defaults) | collect("sums", sums);
  const direct_result r = run_direct(p);
  EXPECT_THAT(sums.values(), ElementsAre(10));
  EXPECT_EQ(r.dropped("late"), 1U);
}

TEST(test_stream, refuses_what_contradicts_the_rules_of_time) {
  const auto refused = [](auto&& build) { return refusal_of<pipeline_error>(build); };
  EXPECT_THAT(
      refused([] { test_stream<int>("input").advance_watermark_to(timestamp{10}).advance_watermark_to(timestamp{9}); }),
      HasSubstr("never falls: it is at 10 and cannot go to 9"));
  EXPECT_THAT(refused([] { test_stream<int>("input").advance_processing_time(0ms); }), HasSubstr("moves forward"));
  EXPECT_THAT(refused([] { test_stream<int>("input").add({{1, timestamp::max()}}); }),
              HasSubstr("before the end of time"));
  EXPECT_THAT(refused([] { test_stream<int>("input").advance_watermark_to_infinity().add({1}); }),
              HasSubstr("after advance"));
  EXPECT_THAT(refused([] { test_stream<int>("input").add(std::initializer_list<int>{}); }),
              HasSubstr("at least one element"));
  EXPECT_EQ(
      refused([] { test_stream<int>("input").advance_watermark_to(timestamp{9}).advance_watermark_to(timestamp{9}); }),
      "");
}

TEST(test_stream, describes_its_script_and_elements) {
  const auto text = [](const test_stream<int>& s) {
    pipeline p("test");
    p | s;
    return p.description().nodes().at(0).spec->describe();
  };
  EXPECT_EQ(text(test_stream<int>("a").add({1})), text(test_stream<int>("b").add({1})));
  EXPECT_NE(text(test_stream<int>("a").add({1})), text(test_stream<int>("a").add({2})));
  EXPECT_NE(text(test_stream<int>("a").add({1, 2})), text(test_stream<int>("a").add({1}).add({2})));
}

}  // namespace
}  // namespace millrace::test_stream_test
