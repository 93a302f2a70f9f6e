#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/par_do_splittable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::splittable_sharing_test {
namespace {

using ::testing::ElementsAre;

using records = detail::splittable_records<int, offset_range, timestamp>;
using sharing = detail::splittable_sharing<int, offset_range, timestamp>;

records::work of(offset_range range, std::int64_t mark = 0) {
  return {{1, range}, timestamp{mark}, context{}, timestamp::min(), timestamp{mark}, timestamp{mark}};
}
std::vector<offset_range> ranges(const records& in) {
  std::vector<offset_range> all;
  for (const auto& w : in.all()) all.push_back(w.pair.value);
  return all;
}
bool all_may(const records::work& /*w*/) {
  return true;
}
double size_of(const records::work& w) {
  return static_cast<double>(w.pair.value.to - w.pair.value.from);
}

TEST(splittable_sharing, gives_the_later_half_of_what_may_go) {
  records own;
  for (std::int64_t i = 0; i < 6; ++i) own.add(of({i, i + 10}));
  sharing s;
  s.begin();
  const auto offer = s.give(own, [](const records::work& w) { return w.pair.value.from != 5; }, size_of);
  ASSERT_TRUE(offer);
  EXPECT_THAT(ranges(own),
              ElementsAre(offset_range{0, 10}, offset_range{1, 11}, offset_range{2, 12}, offset_range{5, 15}));
  records theirs;
  ASSERT_TRUE(s.take(theirs, *offer, timestamp{0}));
  EXPECT_THAT(ranges(theirs), ElementsAre(offset_range{3, 13}, offset_range{4, 14}));
}

TEST(splittable_sharing, divides_the_only_one_unless_it_is_little) {
  records own;
  own.add(of({0, 10}));
  sharing s;
  s.begin();
  ASSERT_TRUE(s.give(own, all_may, size_of));
  EXPECT_THAT(ranges(own), ElementsAre(offset_range{0, 4}));  // (10 + 1) / 2 from before the first, which is -1
  s.settle(own, false);
  EXPECT_THAT(ranges(own), ElementsAre(offset_range{0, 4}, offset_range{4, 10}));
  records one;
  one.add(of({3, 4}));
  EXPECT_EQ(s.give(one, all_may, size_of), std::nullopt);
  EXPECT_EQ(s.give(own, [](const records::work& /*w*/) { return false; }, size_of), std::nullopt);
}

TEST(splittable_sharing, holds_the_watermark_for_what_it_offers_and_takes_nothing_that_would_be_late) {
  records own;
  own.add(of({0, 10}, 70));
  own.add(of({0, 10}, 50));
  sharing s;
  s.begin();
  const auto offer = s.give(own, all_may, size_of);
  ASSERT_TRUE(offer);
  EXPECT_EQ(s.hold(), timestamp{50});
  records theirs;
  EXPECT_FALSE(s.take(theirs, *offer, timestamp{51}));
  EXPECT_TRUE(theirs.empty());
  EXPECT_TRUE(s.take(theirs, *offer, timestamp{50}));
  s.settle(own, true);
  EXPECT_EQ(s.hold(), timestamp::max());
  EXPECT_THAT(ranges(own), ElementsAre(offset_range{0, 10}));
}

// A range whose later half is far more work.
struct weighted_range : offset_range {
  [[nodiscard]] double size() const { return static_cast<double>(to > 50 ? 100 * (to - from) : to - from); }
};

template <class Fn, class Restriction>
double size_for(const Restriction& of) {
  Fn fn{};
  return detail::splittable_traits<Fn, int>::size(fn, 7, of);
}
struct over_weighted {
  static weighted_range initial_restriction(int /*n*/) { return {}; }
};
struct over_offsets {
  static offset_range initial_restriction(int /*n*/) { return {}; }
};
struct sized_by_element {
  static weighted_range initial_restriction(int /*n*/) { return {}; }
  static int size(int n, const weighted_range& of) { return static_cast<int>(of.to - of.from) * n; }
};

TEST(splittable_sharing, asks_the_function_then_the_restriction_then_the_tracker_how_much_it_is) {
  EXPECT_EQ(size_for<over_weighted>(weighted_range{{60, 62}}), 200);
  EXPECT_EQ(size_for<over_offsets>(offset_range{60, 62}), 2);
  EXPECT_EQ(size_for<sized_by_element>(weighted_range{{60, 62}}), 14);
}

TEST(splittable_sharing, adds_up_what_may_go) {
  records own;
  own.add(of({0, 10}));
  own.add(of({60, 62}));
  own.add(of({70, 75}));
  const auto may_go = [](const records::work& w) { return w.pair.value.from != 60; };
  EXPECT_EQ(sharing().left(own, may_go, size_of), 15);
}

struct counting {
  using output = int;
  static offset_range initial_restriction(int n) { return {0, n}; }
  static void process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    for (auto i = range.restriction().from; range.try_claim(i); ++i) out(static_cast<int>(i));
  }
};

// A splittable function on a shard whose rows are put off after one claim.
template <class Fn>
struct driven_function {
  driven_function() : op(in.get(), Fn{}, {.claims_max = 1}, {}) {
    op.connect(0, static_cast<receiver<int>&>(out));
    op.setup();
    op.share();
  }
  void work() {
    bundle due;
    due.clear(column::variable, column::variable);
    op.due_timers(due);
    if (!due.timers.empty()) op.accept(due);
    op.finish_bundle();
  }
  void accept(int n) {
    using pair = kv<int, offset_range>;
    bundle rows;
    rows.clear(column::variable, column_width<pair>);
    writer scratch;
    rows.contexts = {context{}};
    append_value<pair>(rows.values, pair{n, {0, n}}, scratch);
    rows.runs = {{1, 0}};
    rows.rows = 1;
    rows.least = rows.greatest = timestamp{30};
    op.accept(rows);
    op.finish_bundle();
  }

  driven_environment in;
  caught<int> out;
  splittable_operator<int, Fn, detail::output_list<int>> op;
};
using driven_counting = driven_function<counting>;

// Of eight it says that they are little work.
struct sized_counting : counting {
  static double size(int n, const offset_range& of) { return n == 8 ? 1 : 10 * static_cast<double>(of.to - of.from); }
};

TEST(splittable_sharing, a_shard_goes_by_what_the_function_says_is_left) {
  driven_function<sized_counting> shard;
  shard.accept(8);
  shard.in.clock.input_watermark = timestamp::max();
  EXPECT_EQ(shard.op.left(), 1);
  EXPECT_EQ(shard.op.give_split(), std::nullopt) << "less than 2 is not divided";
  driven_function<sized_counting> other;
  other.accept(5);
  other.in.clock.input_watermark = timestamp::max();
  EXPECT_EQ(other.op.left(), 40);
  EXPECT_TRUE(other.op.give_split());
}

struct unsized_counting : counting {
  static double size(int /*n*/, const offset_range& /*of*/) { throw std::runtime_error("who knows"); }
};

TEST(splittable_sharing, a_size_that_throws_fails_the_step) {
  driven_function<unsized_counting> shard;
  shard.accept(8);
  shard.in.clock.input_watermark = timestamp::max();
  try {
    static_cast<void>(shard.op.left());
    FAIL();
  } catch (const element_failure& failure) {
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("size(): who knows"));
  }
}

TEST(splittable_sharing, a_shard_holds_its_watermark_until_nobody_has_anything_to_give) {
  driven_counting donor;
  donor.accept(8);
  EXPECT_EQ(donor.op.left(), std::nullopt) << "more may come";
  EXPECT_EQ(donor.op.give_split(), std::nullopt);
  donor.in.clock.input_watermark = timestamp::max();
  EXPECT_EQ(donor.op.left(), 7);
  EXPECT_FALSE(donor.op.wants_split());
  const auto offer = donor.op.give_split();
  ASSERT_TRUE(offer);
  for (int i = 0; i < 8; ++i) donor.work();
  EXPECT_THAT(donor.out.values, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(donor.op.hold(), timestamp{30}) << "what is offered may come back";
  EXPECT_FALSE(donor.op.wants_split());

  driven_counting taker;
  EXPECT_FALSE(taker.op.take_split(*offer)) << "it may get rows of its own";
  taker.in.clock.input_watermark = timestamp::max();
  taker.in.clock.output_watermark = timestamp{31};
  EXPECT_TRUE(taker.op.wants_split());
  EXPECT_EQ(taker.op.hold(), timestamp{31});
  EXPECT_FALSE(taker.op.take_split(*offer)) << "it would be late";
  donor.op.settle_split(false);
  EXPECT_EQ(donor.op.left(), 4);

  taker.in.clock.output_watermark = timestamp{30};
  const auto again = donor.op.give_split();
  ASSERT_TRUE(again);
  EXPECT_TRUE(taker.op.take_split(*again));
  donor.op.settle_split(true);
  for (int i = 0; i < 8; ++i) {
    donor.work();
    taker.work();
  }
  std::vector<int> all = donor.out.values;
  all.insert(all.end(), taker.out.values.begin(), taker.out.values.end());
  std::ranges::sort(all);
  EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(donor.in.metrics.counter("splits_given"), 1);
  EXPECT_EQ(taker.in.metrics.counter("splits_taken"), 1);
  EXPECT_EQ(taker.op.hold(), timestamp{30});
  const std::string before = snapshot_of(taker.op);
  taker.op.no_more_splits();
  EXPECT_EQ(taker.op.hold(), timestamp::max());
  EXPECT_NE(snapshot_of(taker.op), before) << "it does not ask again after a rewind";
}

TEST(splittable_sharing, leaves_what_has_no_end_or_waits_for_the_clock_where_it_is) {
  driven_counting shard;
  shard.in.clock.input_watermark = timestamp::max();
  records own;
  auto endless = of({0, offset_range::endless});
  auto later = of({0, 100});
  later.due = timestamp{1};
  own.add(std::move(endless));
  own.add(std::move(later));
  writer bytes;
  coder<bool>::encode(bytes, false);
  own.encode(bytes);
  restore_from(shard.op, std::string(bytes.bytes()));
  EXPECT_EQ(shard.op.left(), 0);
  EXPECT_EQ(shard.op.give_split(), std::nullopt);
  shard.in.clock.now = timestamp{1};
  EXPECT_EQ(shard.op.left(), 100);
  EXPECT_TRUE(shard.op.give_split());
}

}  // namespace
}  // namespace millrace::splittable_sharing_test
