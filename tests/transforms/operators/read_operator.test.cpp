#include "driven_operator.hpp"

#include <millrace/transforms/operators/read_operator.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::read_operator_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

value_source<int> numbers(std::vector<int> values) {
  return {std::move(values), {}};
}

// A split that gives its numbers one a read, each at its own time, and then waits or ends.
struct scripted_split {
  std::vector<std::int64_t> left;
  bool waits = false;
  std::int64_t mark = 0;
};

struct scripted_source {
  using element = std::int64_t;
  using split = scripted_split;

  std::vector<scripted_split> all;
  std::shared_ptr<int> asked = std::make_shared<int>(0);
  bool is_bounded = false;

  struct one {
    scripted_split of;
    read_status read(source_output<std::int64_t>& out, timestamp /*now*/) {
      if (of.left.empty()) return of.waits ? read_status::waiting : read_status::ended;
      if (of.left.front() < 0) throw std::runtime_error("the well is dry");
      out(of.left.front(), timestamp{of.left.front()});
      of.left.erase(of.left.begin());
      return read_status::more;
    }
    [[nodiscard]] scripted_split remaining() const { return of; }
    [[nodiscard]] watermark promise() const { return {timestamp{of.mark}, of.mark == 0}; }
    [[nodiscard]] timestamp next_read() const { return timestamp{of.mark + 100}; }
  };
  [[nodiscard]] bool bounded() const { return is_bounded; }
  [[nodiscard]] std::vector<scripted_split> splits(std::size_t /*desired*/) const {
    ++*asked;
    return all;
  }
  [[nodiscard]] one open(const scripted_split& s) const { return {s}; }
  [[nodiscard]] std::string describe() const { return "a script"; }
};

template <class Source>
struct driven_read {
  explicit driven_read(const Source& s, driven_environment env = {}) : source(s), in(std::move(env)) {
    op = std::make_unique<read_operator<Source>>(source, in.get());
    op->connect(0, static_cast<receiver<typename Source::element>&>(out));
    op->setup();
  }
  read_status read(std::uint32_t rows) { return op->as_source()->read(rows); }
  [[nodiscard]] watermark promise() const { return op->as_source()->promise(); }

  Source source;
  driven_environment in;
  caught<typename Source::element> out;
  std::unique_ptr<stage_operator> op;
};

template <class Source>
driven_read(const Source&) -> driven_read<Source>;

TEST(read_operator, reads_a_bounded_source_to_its_end) {
  driven_read of(numbers({1, 2, 3}));
  EXPECT_EQ(of.promise(), (watermark{timestamp::min(), false}));
  EXPECT_EQ(of.read(100), read_status::ended);
  EXPECT_THAT(of.out.values, ElementsAre(1, 2, 3));
  EXPECT_EQ(of.promise(), (watermark{timestamp::max(), false}));
  EXPECT_EQ(of.in.metrics.elements_out, 3U);
  EXPECT_EQ(of.read(100), read_status::ended);
  EXPECT_EQ(of.out.values.size(), 3U);
}

TEST(read_operator, stops_at_the_rows_asked_for) {
  driven_read of(numbers({1, 2, 3}));
  EXPECT_EQ(of.read(2), read_status::more);
  EXPECT_THAT(of.out.values, ElementsAre(1, 2));
  EXPECT_EQ(of.promise().at, timestamp::min());
}

TEST(read_operator, keeps_batches_within_their_bound) {
  driven_read of(numbers({1, 2, 3, 4, 5}), {.batch_rows_max = 2});
  of.read(100);
  EXPECT_THAT(of.out.batches, ElementsAre(2, 2, 1));
}

TEST(read_operator, puts_elements_without_a_time_into_the_global_window_at_the_least_timestamp) {
  driven_read of(numbers({1, 2}));
  of.read(100);
  EXPECT_THAT(of.out.times, ElementsAre(timestamp::min().millis(), timestamp::min().millis()));
  EXPECT_THAT(of.out.had_times, ElementsAre(false));
  EXPECT_EQ(of.out.contexts.at(0), context{});
}

TEST(read_operator, gives_times_as_a_column_with_bounds_only_where_they_differ) {
  driven_read of(value_source<int>({1, 2, 3, 4}, {timestamp{5}, timestamp{3}, timestamp{7}, timestamp{7}}),
                 {.batch_rows_max = 2});
  of.read(100);
  EXPECT_THAT(of.out.times, ElementsAre(5, 3, 7, 7));
  EXPECT_THAT(of.out.had_times, ElementsAre(true, false));
  EXPECT_THAT(of.out.bounds,
              ElementsAre(std::pair<std::int64_t, std::int64_t>{3, 5}, std::pair<std::int64_t, std::int64_t>{7, 7}));
}

TEST(read_operator, takes_the_splits_of_its_shard) {
  const scripted_source source{.all = {{{1}}, {{2}}, {{3}}, {{4}}, {{5}}}, .is_bounded = true};
  driven_read second(source, {.shard = 1, .shards = 2});
  while (second.read(100) != read_status::ended) {
  }
  EXPECT_THAT(second.out.values, ElementsAre(2, 4));
}

TEST(read_operator, ends_at_once_where_a_shard_has_no_split) {
  driven_read of(numbers({1}), {.shard = 1, .shards = 2});
  EXPECT_EQ(of.read(100), read_status::ended);
  EXPECT_EQ(of.promise(), (watermark{timestamp::max(), false}));
  EXPECT_THAT(of.out.values, IsEmpty());
}

TEST(read_operator, goes_on_from_its_snapshot_and_asks_for_no_splits_again) {
  const scripted_source source{.all = {{{1, 2}}, {{3}}}, .is_bounded = true};
  driven_read first(source);
  first.read(1);
  EXPECT_THAT(first.out.values, ElementsAre(1));
  driven_read second(source);
  restore_from(*second.op, snapshot_of(*first.op));
  while (second.read(1) != read_status::ended) {
  }
  EXPECT_THAT(second.out.values, ElementsAre(2, 3));
  EXPECT_EQ(*source.asked, 1);
}

TEST(read_operator, begins_anew_from_a_snapshot_taken_before_the_first_read) {
  const scripted_source source{.all = {{{1}}}, .is_bounded = true};
  driven_read first(source);
  driven_read second(source);
  restore_from(*second.op, snapshot_of(*first.op));
  while (second.read(1) != read_status::ended) {
  }
  EXPECT_THAT(second.out.values, ElementsAre(1));
}

TEST(read_operator, stays_at_its_end_after_a_restore) {
  driven_read first(numbers({1}));
  first.read(10);
  driven_read second(numbers({1}));
  restore_from(*second.op, snapshot_of(*first.op));
  EXPECT_EQ(second.promise(), (watermark{timestamp::max(), false}));
  EXPECT_EQ(second.read(10), read_status::ended);
  EXPECT_THAT(second.out.values, IsEmpty());
}

TEST(read_operator, reads_the_splits_of_an_unbounded_source_in_turns) {
  driven_read of(scripted_source{.all = {{{1, 2}, true, 5}, {{3, 4}, true, 6}}});
  EXPECT_EQ(of.read(100), read_status::waiting);
  EXPECT_THAT(of.out.values, ElementsAre(1, 3, 2, 4));
}

TEST(read_operator, promises_the_least_of_its_open_splits) {
  driven_read of(scripted_source{.all = {{{}, true, 9}, {{}, true, 7}}});
  EXPECT_EQ(of.promise().at, timestamp::min());
  of.read(1);
  EXPECT_EQ(of.promise(), (watermark{timestamp{7}, false}));
}

TEST(read_operator, does_not_count_a_split_that_has_ended) {
  driven_read of(scripted_source{.all = {{{}, true, 9}, {{}, false, 7}}});
  of.read(1);
  EXPECT_EQ(of.promise(), (watermark{timestamp{9}, false}));
}

TEST(read_operator, is_idle_only_if_all_its_splits_are) {
  driven_read one_awake(scripted_source{.all = {{{}, true, 0}, {{}, true, 7}, {{}, true, 0}}});
  one_awake.read(1);
  EXPECT_EQ(one_awake.promise(), (watermark{timestamp{7}, false}));
  driven_read all_idle(scripted_source{.all = {{{}, true, 0}, {{}, true, 0}}});
  all_idle.read(1);
  EXPECT_EQ(all_idle.promise(), (watermark{timestamp{0}, true}));
}

TEST(read_operator, says_when_the_first_of_its_waiting_splits_can_be_read) {
  driven_read of(scripted_source{.all = {{{}, true, 9}, {{}, true, 7}}});
  EXPECT_EQ(of.read(1), read_status::waiting);
  EXPECT_EQ(of.op->as_source()->next_read(), timestamp{107});
}

TEST(read_operator, reads_nothing_more_once_it_was_stopped) {
  driven_read of(scripted_source{.all = {{{1, 2}, true, 5}}});
  of.read(1);
  of.op->as_source()->stop();
  EXPECT_EQ(of.read(1), read_status::ended);
  EXPECT_EQ(of.promise(), (watermark{timestamp::max(), false}));
  EXPECT_THAT(of.out.values, ElementsAre(1));
}

TEST(read_operator, names_the_step_when_the_source_fails) {
  driven_read of(scripted_source{.all = {{{-1}}}}, {.step = "outer/read"});
  const auto text = refusal_of<read_failure>([&] { of.read(1); });
  EXPECT_THAT(text, HasSubstr("outer/read"));
  EXPECT_THAT(text, HasSubstr("the well is dry"));
}

}  // namespace
}  // namespace millrace::read_operator_test
