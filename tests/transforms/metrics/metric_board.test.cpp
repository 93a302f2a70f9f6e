#include <millrace/transforms/metric.hpp>

#include <gtest/gtest.h>

namespace millrace {
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
  board.dropped("late") = 1;
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
  restored.dropped("late") += 2;
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
}  // namespace millrace
