#include <millrace/actors/protocol/watermark_merge.hpp>

#include <gtest/gtest.h>

namespace millrace::watermark_merge_test {
namespace {

timestamp at(std::int64_t millis) {
  return timestamp{millis};
}

TEST(watermark_merge, waits_for_the_slowest_sender) {
  watermark_merge merge(2);
  EXPECT_FALSE(merge.update(0, {at(10), false}));
  EXPECT_EQ(merge.merged(), timestamp::min());
  EXPECT_TRUE(merge.update(1, {at(7), false}));
  EXPECT_EQ(merge.merged(), at(7));
}

TEST(watermark_merge, never_moves_backwards) {
  watermark_merge merge(2);
  merge.update(0, {at(10), false});
  merge.update(1, {at(20), false});
  EXPECT_FALSE(merge.update(0, {at(8), false}));
  EXPECT_EQ(merge.merged(), at(10));
}

TEST(watermark_merge, does_not_wait_for_an_idle_sender) {
  watermark_merge merge(2);
  merge.update(0, {at(10), false});
  EXPECT_TRUE(merge.update(1, {timestamp::min(), true}));
  EXPECT_EQ(merge.merged(), at(10));
}

TEST(watermark_merge, an_idle_sender_that_wakes_up_behind_is_late) {
  watermark_merge merge(2);
  merge.update(0, {at(10), false});
  merge.update(1, {timestamp::min(), true});
  EXPECT_FALSE(merge.update(1, {at(3), false}));
  EXPECT_EQ(merge.merged(), at(10));
  merge.update(0, {at(30), false});
  EXPECT_EQ(merge.merged(), at(10)) << "the awake sender holds it again";
}

TEST(watermark_merge, stays_while_every_sender_is_idle) {
  watermark_merge merge(2);
  merge.update(0, {at(10), true});
  merge.update(1, {at(20), true});
  EXPECT_TRUE(merge.idle());
  EXPECT_EQ(merge.merged(), timestamp::min());
}

TEST(watermark_merge, ends_when_every_sender_has_ended) {
  watermark_merge merge(2);
  merge.update(0, {timestamp::max(), false});
  EXPECT_EQ(merge.merged(), timestamp::min());
  EXPECT_TRUE(merge.update(1, {timestamp::max(), true})) << "a sender that has ended is not idle";
  EXPECT_EQ(merge.merged(), timestamp::max());
  EXPECT_FALSE(merge.idle());
}

}  // namespace
}  // namespace millrace::watermark_merge_test
