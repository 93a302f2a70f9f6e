#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/direct/recording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::recording_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One shard that writes to a recording.
struct recording_shard {
  explicit recording_shard(const recording<int>& to, std::uint32_t shard = 0)
      : in{.shard = shard, .shards = 4}, sink(to.slots()), op(sink, in.get()) {
    op.setup();
  }
  void write(std::vector<int> values, context where = {}) {
    stamps at;
    at.least = at.greatest = timestamp{5};
    at.contexts = {&where, 1};
    op.input(0).as<int>().accept({values.data(), sizeof(int), static_cast<std::uint32_t>(values.size()), nullptr, &at});
  }
  void epoch(std::uint64_t n) {
    op.prepare(n);
    op.commit(n);
  }

  driven_environment in;
  detail::recording_sink<int> sink;
  write_operator<detail::recording_sink<int>> op;
};

TEST(recording, shows_what_was_committed) {
  const recording<int> found;
  recording_shard shard(found);
  shard.write({1, 2});
  EXPECT_THAT(found.rows(), IsEmpty());
  shard.op.prepare(1);
  shard.write({3});
  EXPECT_THAT(found.rows(), IsEmpty());
  shard.op.commit(1);
  EXPECT_THAT(found.values(), ElementsAre(1, 2));
  shard.op.commit(1);
  EXPECT_THAT(found.values(), ElementsAre(1, 2));
  shard.epoch(2);
  EXPECT_THAT(found.values(), ElementsAre(1, 2, 3));
}

TEST(recording, keeps_the_stamp_and_records_an_element_once_in_each_window) {
  const recording<int> found;
  recording_shard shard(found);
  const std::vector<window> both{{timestamp{0}, timestamp{10}}, {timestamp{5}, timestamp{15}}};
  const pane_info pane{.index = 2, .timing = pane_timing::late};
  shard.write({7}, {window_set(both), pane});
  shard.epoch(1);
  EXPECT_THAT(found.rows(), ElementsAre(recorded<int>{7, {timestamp{5}, both[0], pane}},
                                        recorded<int>{7, {timestamp{5}, both[1], pane}}));
}

TEST(recording, repeats_nothing_after_a_rewind) {
  const recording<int> found;
  std::string snapshot;
  {
    recording_shard shard(found);
    shard.write({1});
    shard.op.prepare(1);
    snapshot = snapshot_of(shard.op);
    shard.op.commit(1);
    shard.write({2});
    shard.op.prepare(2);
  }
  recording_shard shard(found);
  restore_from(shard.op, snapshot);
  shard.op.commit(1);
  EXPECT_THAT(found.values(), ElementsAre(1));
  shard.write({2});
  shard.write({3});
  shard.epoch(2);
  EXPECT_THAT(found.values(), ElementsAre(1, 2, 3));
}

TEST(recording, puts_shards_one_after_another) {
  const recording<int> found;
  recording_shard second(found, 1);
  recording_shard first(found, 0);
  second.write({2});
  first.write({1});
  second.epoch(1);
  first.epoch(1);
  EXPECT_THAT(found.values(), ElementsAre(1, 2));
}

TEST(recording, knows_whether_its_job_ran_to_the_end) {
  const recording<int> found;
  EXPECT_FALSE(found.outcome().ran());
  recording_shard first(found, 0);
  EXPECT_TRUE(found.outcome().ran());
  EXPECT_FALSE(found.outcome().completed());
  recording_shard second(found, 1);
  first.epoch(1);
  EXPECT_FALSE(found.outcome().completed());
  second.epoch(1);
  EXPECT_TRUE(found.outcome().completed());
  first.op.abort();
  EXPECT_FALSE(found.outcome().completed());
}

TEST(recording, forgets_when_it_is_cleared) {
  recording<int> found;
  recording_shard shard(found);
  shard.write({1});
  shard.epoch(1);
  found.clear();
  EXPECT_THAT(found.rows(), IsEmpty());
  EXPECT_FALSE(found.outcome().ran());
}

}  // namespace
}  // namespace millrace::recording_test
