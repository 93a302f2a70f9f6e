#include <millrace/actors/protocol/aligner.hpp>
#include <millrace/transforms/element/check.hpp>

#include <gtest/gtest.h>

namespace millrace::aligner_test {
namespace {

TEST(aligner, holds_a_sender_until_the_others_have_reached_the_barrier) {
  aligner a(3);
  EXPECT_FALSE(a.waits(0));
  EXPECT_FALSE(a.reached(0, 1));
  EXPECT_TRUE(a.waits(0));
  EXPECT_FALSE(a.waits(1));
  EXPECT_FALSE(a.reached(2, 1));
  EXPECT_TRUE(a.reached(1, 1));
  EXPECT_FALSE(a.aligning());
  EXPECT_FALSE(a.waits(0));
}

TEST(aligner, a_single_sender_never_waits) {
  aligner a(1);
  EXPECT_TRUE(a.reached(0, 1));
  EXPECT_FALSE(a.waits(0));
  EXPECT_TRUE(a.reached(0, 2));
}

TEST(aligner, an_abandoned_epoch_is_overtaken_by_the_next) {
  aligner a(2);
  EXPECT_FALSE(a.reached(0, 1));
  EXPECT_FALSE(a.reached(1, 2)) << "sender 0 has yet to reach epoch 2";
  EXPECT_FALSE(a.waits(0)) << "it is behind the epoch that is aligned now";
  EXPECT_TRUE(a.waits(1));
  EXPECT_TRUE(a.reached(0, 2));
}

TEST(aligner, refuses_a_barrier_out_of_order) {
  aligner a(2);
  a.reached(0, 2);
  EXPECT_THROW(a.reached(0, 2), broken_invariant);
  EXPECT_THROW(a.reached(0, 1), broken_invariant);
}

}  // namespace
}  // namespace millrace::aligner_test
