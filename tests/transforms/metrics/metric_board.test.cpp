#include <millrace/transforms/metric.hpp>

#include <gtest/gtest.h>

namespace millrace::metric_board_test {
namespace {

TEST(metric_board, takes_back_what_a_failed_call_reported_and_keeps_it_as_attempted) {
  metric_board board;
  counter words("words");
  distribution sizes("sizes");
  words.bind(board);
  sizes.bind(board);
  board.begin_call();
  words.add(3);
  sizes.add(10);
  board.begin_call();
  words.add(4);
  ++words;
  sizes.add(2);
  board.counter("by name") += 7;
  board.take_back_call();
  EXPECT_EQ(board.counters().at("words"), 3);
  EXPECT_EQ(board.counters().at("by name"), 0);
  EXPECT_EQ(board.distributions().at("sizes"), (distribution_value{1, 10, 10, 10}));
  const metric_board attempted = board.attempted_since({});
  EXPECT_EQ(attempted.counters().at("words"), 8);
  EXPECT_EQ(attempted.counters().at("by name"), 7);
  EXPECT_EQ(attempted.distributions().at("sizes"), (distribution_value{2, 12, 2, 10}));
}

TEST(metric_board, gives_a_gauge_back_what_it_showed_before_a_failed_call) {
  metric_board board;
  gauge size("size");
  gauge never("never");
  size.bind(board);
  never.bind(board);
  board.begin_call();
  size.set(3);
  EXPECT_EQ(board.gauges(), (std::map<std::string, double>{{"size", 3}}));
  board.begin_call();
  size.set(4);
  size.set(5);
  board.gauge("by name") = 7;
  never.set(1);
  board.take_back_call();
  EXPECT_EQ(board.gauges(), (std::map<std::string, double>{{"size", 3}}));
  EXPECT_EQ(board.attempted_since({}).gauges(),
            (std::map<std::string, double>{{"by name", 7}, {"never", 1}, {"size", 3}}));
  board.begin_call();
  never.set(2);
  board.begin_call();
  board.take_back_call();
  EXPECT_EQ(board.gauges(), (std::map<std::string, double>{{"never", 2}, {"size", 3}})) << "that call had ended well";
}

TEST(metric_board, gives_gauges_back_what_they_showed_before_a_failed_bundle) {
  metric_board board;
  gauge size("size");
  gauge first("first");
  size.bind(board);
  first.bind(board);
  size.set(3);
  const metric_board before = board;
  size.set(4);
  first.set(1);
  board.take_back_to(before);
  EXPECT_EQ(board.gauges(), (std::map<std::string, double>{{"size", 3}}));
  first.set(2);
  EXPECT_EQ(board.gauges().at("first"), 2);
}

TEST(metric_board, shows_no_gauge_that_a_snapshot_lacks) {
  metric_board board;
  gauge size("size");
  size.bind(board);
  writer bytes;
  board.encode(bytes);
  size.set(3);
  reader from(bytes.bytes());
  board.decode(from);
  EXPECT_EQ(board.gauges(), (std::map<std::string, double>{}));
}

TEST(metric_board, tells_of_drops_once_with_the_last_window) {
  metric_board board;
  EXPECT_FALSE(board.has_drops());
  const window first{timestamp{0}, timestamp{10}};
  const window second{timestamp{10}, timestamp{20}};
  board.drop("late", 2, first, timestamp{11});
  const metric_board before = board;
  board.drop("late", 7, second, timestamp{30});
  board.drop("closed_window", 1, first, timestamp{5});
  board.take_back_to(before);
  board.drop("late", 3, second, timestamp{21});
  EXPECT_TRUE(board.has_drops());
  const auto drops = board.take_drops();
  ASSERT_EQ(drops.size(), 1U);
  EXPECT_EQ(drops[0].cause, "late");
  EXPECT_EQ(drops[0].count, 5U);
  EXPECT_EQ(drops[0].in, second);
  EXPECT_EQ(drops[0].watermark, timestamp{21});
  EXPECT_FALSE(board.has_drops());
  EXPECT_EQ(board.dropped("late"), 5U);
  EXPECT_EQ(board.dropped("closed_window"), 0U);
}

TEST(metric_board, keeps_what_is_reported_outside_of_calls) {
  metric_board board;
  counter words("words");
  words.bind(board);
  words.add(3);
  board.begin_call();
  board.take_back_call();
  EXPECT_EQ(board.counters().at("words"), 3);
}

TEST(metric_board, tells_what_was_attempted_since_it_was_restored) {
  metric_board board;
  board.elements_in = 5;
  board.counter("words") = 10;
  board.drop("late", 1, {}, {});
  writer bytes;
  board.encode(bytes);

  metric_board restored;
  counter words("words");
  words.bind(restored);
  reader from(bytes.bytes());
  restored.decode(from);
  const metric_board first = restored;
  ++restored.elements_in;
  restored.attempt_again();
  words.add(4);
  restored.drop("late", 2, {}, {});
  const metric_board attempted = restored.attempted_since(first);
  EXPECT_EQ(attempted.elements_in, 2U);
  EXPECT_EQ(attempted.counters().at("words"), 4);
  EXPECT_EQ(attempted.dropped_elements().at("late"), 2U);
}

TEST(metric_board, goes_back_to_what_it_was_before_a_bundle) {
  metric_board board;
  board.elements_in = 2;
  board.counter("words") = 10;
  const metric_board before = board;
  board.elements_in += 3;
  board.counter("words") += 5;
  board.counter("new") += 1;
  board.take_back_to(before);
  EXPECT_EQ(board.elements_in, 2U);
  EXPECT_EQ(board.counters().at("words"), 10);
  EXPECT_EQ(board.counters().at("new"), 0);
  const metric_board attempted = board.attempted_since({});
  EXPECT_EQ(attempted.elements_in, 5U);
  EXPECT_EQ(attempted.counters().at("words"), 15);
}

}  // namespace
}  // namespace millrace::metric_board_test
