#include <millrace/actors/protocol/epoch_ledger.hpp>
#include <millrace/actors/protocol/restart_policy.hpp>
#include <millrace/actors/protocol/sequence.hpp>
#include <millrace/actors/protocol/slice_map.hpp>
#include <millrace/transforms/element/check.hpp>

#include <gtest/gtest.h>

namespace millrace::epoch_ledger_test {
namespace {

epoch_ledger two_shards_one_with_effects() {
  checkpoint like;
  like.job = "job";
  like.fingerprint = "print";
  like.program = "program";
  return {like, {{0, 0}, {1, 0}}, {{1, 0}}};
}

TEST(epoch_ledger, an_epoch_is_whole_with_the_part_of_every_shard) {
  auto ledger = two_shards_one_with_effects();
  ledger.begin(1);
  EXPECT_EQ(ledger.part(1, {0, 0}, "a", timestamp{7}), nullptr);
  const auto whole = ledger.part(1, {1, 0}, "b", timestamp{9});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->clock, timestamp{9});
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->epoch, 1U);
  EXPECT_EQ(whole->job, "job");
  EXPECT_EQ(whole->fingerprint, "print");
  EXPECT_EQ(whole->program, "program");
  EXPECT_EQ(*whole->parts.at({0, 0}), "a");
  EXPECT_EQ(*whole->parts.at({1, 0}), "b");
}

TEST(epoch_ledger, is_over_only_when_effects_are_committed) {
  auto ledger = two_shards_one_with_effects();
  ledger.begin(1);
  ledger.part(1, {0, 0}, "a", timestamp{7});
  ledger.part(1, {1, 0}, "b", timestamp{7});
  EXPECT_FALSE(ledger.idle());
  EXPECT_EQ(ledger.durable(1), (std::set<epoch_ledger::shard_key>{{1, 0}}));
  EXPECT_TRUE(ledger.committed(1, {1, 0}));
  EXPECT_TRUE(ledger.idle());
  EXPECT_FALSE(ledger.committed(1, {1, 0})) << "a repeated confirmation changes nothing";
}

TEST(epoch_ledger, ignores_parts_of_an_abandoned_epoch) {
  auto ledger = two_shards_one_with_effects();
  ledger.begin(1);
  ledger.part(1, {0, 0}, "old", timestamp{7});
  ledger.abandon();
  EXPECT_TRUE(ledger.idle());
  EXPECT_EQ(ledger.part(1, {1, 0}, "old", timestamp{7}), nullptr);
  ledger.begin(2);
  EXPECT_EQ(ledger.part(1, {1, 0}, "old", timestamp{7}), nullptr);
  EXPECT_EQ(ledger.part(2, {1, 0}, "new", timestamp{7}), nullptr) << "shard (0, 0) has yet to hand in its part";
}

TEST(epoch_ledger, epochs_count_upwards_one_at_a_time) {
  auto ledger = two_shards_one_with_effects();
  ledger.begin(3);
  EXPECT_THROW(ledger.begin(4), broken_invariant);
  ledger.abandon();
  EXPECT_THROW(ledger.begin(3), broken_invariant);
}

TEST(restart_policy, rewinds_after_a_crash_until_nothing_gets_done) {
  const restart_policy policy{.restarts_max = 2};
  EXPECT_TRUE(policy.rewind({shard_loss::crashed, 0}));
  EXPECT_TRUE(policy.rewind({shard_loss::crashed, 1}));
  EXPECT_FALSE(policy.rewind({shard_loss::crashed, 2}));
}

TEST(restart_policy, does_not_repeat_what_cannot_help) {
  EXPECT_FALSE(restart_policy{}.rewind({shard_loss::user_function, 0}));
  EXPECT_FALSE(restart_policy{}.rewind({shard_loss::broken_invariant, 0}));
}

TEST(sequence_check, tells_the_next_from_a_repeated_one_and_a_gap) {
  sequence_check seen(2);
  EXPECT_EQ(seen.arrived(0, 0), arrival::next);
  EXPECT_EQ(seen.arrived(0, 0), arrival::repeated);
  EXPECT_EQ(seen.arrived(0, 2), arrival::gap);
  EXPECT_EQ(seen.arrived(1, 0), arrival::next) << "senders count on their own";
  EXPECT_EQ(seen.arrived(0, 1), arrival::next);
}

TEST(slice_map, every_slice_has_one_owner_and_shards_own_nearly_equal_ranges) {
  for (const std::uint32_t shards : {1U, 2U, 3U, 7U, 256U}) {
    const slice_map map(shards);
    std::vector<std::uint32_t> owned(shards, 0);
    std::uint32_t before = 0;
    for (std::uint32_t s = 0; s < slices_max; ++s) {
      ASSERT_LT(map.owner(s), shards);
      ASSERT_GE(map.owner(s), before) << "ranges are contiguous";
      before = map.owner(s);
      ++owned[before];
    }
    for (const auto n : owned) {
      EXPECT_GE(n, slices_max / shards);
      EXPECT_LE(n, slices_max / shards + 1);
    }
  }
}

}  // namespace
}  // namespace millrace::epoch_ledger_test
