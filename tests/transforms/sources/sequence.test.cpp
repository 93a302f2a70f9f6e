#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/operators/read_operator.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::sequence_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct driven_sequence {
  explicit driven_sequence(sequence_options options, driven_environment env = {})
      : source(std::move(options)), in(std::move(env)), op(source, in.get()) {
    op.connect(0, static_cast<receiver<std::int64_t>&>(out));
  }
  read_status read_at(std::int64_t now, std::uint32_t rows = 1000) {
    in.clock.now = timestamp{now};
    return op.read(rows);
  }

  sequence_source source;
  driven_environment in;
  caught<std::int64_t> out;
  read_operator<sequence_source> op;
};

TEST(sequence, counts_from_its_first_number_to_before_its_end) {
  driven_sequence of({.from = 3, .to = 6});
  EXPECT_EQ(of.read_at(0), read_status::ended);
  EXPECT_THAT(of.out.values, ElementsAre(3, 4, 5));
  EXPECT_EQ(of.out.times.at(0), timestamp::min().millis());
}

TEST(sequence, may_be_empty) {
  driven_sequence of({.from = 3, .to = 3});
  EXPECT_EQ(of.read_at(0), read_status::ended);
  EXPECT_THAT(of.out.values, IsEmpty());
}

TEST(sequence, divides_numbers_among_shards_without_loss) {
  std::vector<std::int64_t> all;
  for (std::uint32_t shard = 0; shard < 3; ++shard) {
    driven_sequence of({.to = 10}, {.shard = shard, .shards = 3});
    of.read_at(0);
    all.insert(all.end(), of.out.values.begin(), of.out.values.end());
  }
  EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(sequence, gives_the_end_of_a_range_away_while_it_is_read) {
  driven_sequence of({.to = 10'000});
  auto reader = of.source.open({.next = 2000, .to = 10'000});
  EXPECT_EQ(reader.try_split(0.75), (sequence_split{.next = 8000, .to = 10'000}));
  EXPECT_EQ(reader.remaining(), (sequence_split{.next = 2000, .to = 8000}));
  EXPECT_EQ(of.source.weight(reader.remaining()), 6000);
  EXPECT_EQ(reader.try_split(0.9), std::nullopt) << "600 numbers are few";
  EXPECT_EQ(reader.try_split(0.1), std::nullopt) << "it would keep 600";
  EXPECT_EQ(of.source.open({.next = 8000, .to = 10'000}).try_split(0.5), std::nullopt) << "1000 are few";
}

TEST(sequence, is_not_divided_while_it_is_read_where_it_has_a_pace_or_times_or_no_end) {
  EXPECT_TRUE(sequence_source({.to = 9}).divides());
  EXPECT_FALSE(sequence_source({}).divides());
  EXPECT_FALSE(sequence_source({.to = 9, .rate = 1}).divides());
  EXPECT_FALSE(sequence_source({.to = 9, .time_of = [](std::int64_t i) { return timestamp{i}; }}).divides());
}

TEST(sequence, comes_to_its_end_when_no_shard_has_anything_to_give) {
  driven_sequence of({.to = 8000}, {.shard = 0, .shards = 2});
  ASSERT_TRUE(of.op.share());
  EXPECT_FALSE(of.op.wants_split()) << "it does not know its own yet";
  EXPECT_EQ(of.op.left(), 4000);
  EXPECT_EQ(of.read_at(0, 100), read_status::more);
  const auto split = of.op.give_split();
  ASSERT_TRUE(split);
  EXPECT_EQ(of.op.left(), 1950);
  EXPECT_EQ(of.read_at(0, 10'000), read_status::waiting);
  EXPECT_EQ(of.out.values.size(), 2050U);
  EXPECT_EQ(of.op.promise().at, timestamp::min()) << "what it takes over may be of any time";
  EXPECT_EQ(of.op.next_read(), timestamp::max());
  EXPECT_TRUE(of.op.wants_split());
  of.op.settle_split(false);
  EXPECT_EQ(of.op.left(), 1950);
  EXPECT_FALSE(of.op.take_split(*split)) << "it has something to do";
  EXPECT_EQ(of.read_at(0, 10'000), read_status::waiting);
  EXPECT_EQ(of.out.values.size(), 4000U);
  EXPECT_EQ(of.op.give_split(), std::nullopt);
  of.op.no_more_splits();
  EXPECT_EQ(of.op.promise().at, timestamp::max());
  EXPECT_EQ(of.read_at(0), read_status::ended);
  EXPECT_TRUE(of.in.metrics.counters().empty()) << "nobody has taken anything";
}

TEST(sequence, waits_until_a_paced_number_is_due) {
  driven_sequence of({.to = 5, .rate = 2});  // a number every 500 ms
  EXPECT_EQ(of.read_at(10'000), read_status::waiting);
  EXPECT_THAT(of.out.values, ElementsAre(0));
  EXPECT_EQ(of.op.next_read(), timestamp{10'500});
  EXPECT_EQ(of.read_at(10'499), read_status::waiting);
  EXPECT_EQ(of.out.values.size(), 1U);
  EXPECT_EQ(of.read_at(11'000), read_status::waiting);
  EXPECT_THAT(of.out.values, ElementsAre(0, 1, 2));
  EXPECT_THAT(of.out.times, ElementsAre(10'000, 10'500, 11'000));
  EXPECT_EQ(of.op.promise().at, timestamp{11'500});
  EXPECT_EQ(of.read_at(12'000), read_status::ended);
}

TEST(sequence, deals_paced_numbers_out_one_by_one) {
  driven_sequence second({.to = 6, .rate = 1000}, {.shard = 1, .shards = 2});
  second.read_at(0);
  EXPECT_THAT(second.out.values, IsEmpty());
  second.read_at(5);
  EXPECT_THAT(second.out.values, ElementsAre(1, 3, 5));
  EXPECT_THAT(second.out.times, ElementsAre(1, 3, 5));
}

TEST(sequence, takes_event_times_from_a_function_and_promises_the_next_one) {
  driven_sequence of({.time_of = [](std::int64_t n) { return timestamp{n * 100}; }});
  EXPECT_EQ(of.read_at(0, 3), read_status::more);
  EXPECT_THAT(of.out.times, ElementsAre(0, 100, 200));
  EXPECT_EQ(of.op.promise().at, timestamp{300});
  EXPECT_FALSE(of.source.bounded());
}

TEST(sequence, keeps_its_pace_over_a_restart) {
  driven_sequence first({.to = 100, .rate = 1});
  first.read_at(5'000);
  driven_sequence second({.to = 100, .rate = 1});
  restore_from(second.op, snapshot_of(first.op));
  second.read_at(7'000);
  EXPECT_THAT(second.out.values, ElementsAre(1, 2));
  EXPECT_THAT(second.out.times, ElementsAre(6'000, 7'000));
}

TEST(sequence, refuses_options_that_make_no_sense) {
  EXPECT_THAT(refusal_of<pipeline_error>([] { sequence("n", {.to = -1}); }), HasSubstr("ends before it begins"));
  EXPECT_THAT(refusal_of<pipeline_error>([] { sequence("n", {.rate = -2}); }), HasSubstr("\"n\""));
}

}  // namespace
}  // namespace millrace::sequence_test
