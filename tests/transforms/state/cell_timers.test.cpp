#include <millrace/transforms/state/cell_timers.hpp>

#include <gtest/gtest.h>

#include <string>

namespace millrace::cell_timers_test {
namespace {

timestamp at(std::int64_t millis) {
  return timestamp{millis};
}

TEST(cell_timers, hand_out_what_is_due_once_and_by_time) {
  cell_timers timers;
  timers.add(time_domain::event, {at(5), "b", window::global(), 0}, at(5));
  timers.add(time_domain::event, {at(5), "a", window::global(), 0}, at(5));
  timers.add(time_domain::event, {at(3), "z", window::global(), 1}, at(3));
  timers.add(time_domain::event, {at(9), "a", window::global(), 1}, at(9));
  bundle due;
  timers.take_due(time_domain::event, at(9), due);
  std::string order;
  for (const auto& t : due.timers) order += t.key;
  EXPECT_EQ(order, "zab");
  timers.take_due(time_domain::event, at(9), due);
  EXPECT_EQ(due.timers.size(), 3U);
}

TEST(cell_timers, hold_until_removed) {
  cell_timers timers;
  timers.add(time_domain::event, {at(20), "a", window::global(), 0}, at(5));
  timers.add(time_domain::processing, {at(1), "a", window::global(), 1}, at(7));
  timers.add(time_domain::processing, {at(2), "a", window::global(), 2}, timestamp::max());
  EXPECT_EQ(timers.hold(), at(5));
  EXPECT_EQ(timers.next_processing_time(), at(1));
  bundle due;
  timers.take_due(time_domain::processing, at(2), due);
  EXPECT_EQ(timers.next_processing_time(), at(2));
  timers.remove(time_domain::event, {at(20), "a", window::global(), 0});
  EXPECT_EQ(timers.hold(), at(7));
  timers.remove(time_domain::processing, {at(1), "a", window::global(), 1});
  EXPECT_EQ(timers.hold(), timestamp::max());
  EXPECT_FALSE(timers.empty());
  EXPECT_THROW(timers.remove(time_domain::event, {at(20), "a", window::global(), 0}), broken_invariant);
}

}  // namespace
}  // namespace millrace::cell_timers_test
