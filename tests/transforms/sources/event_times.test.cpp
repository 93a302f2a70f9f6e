#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/operators/read_operator.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/event_times.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::event_times_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

// Numbers are their own times; a negative one has none.
auto timed(std::vector<std::int64_t> values) {
  return with_event_times(
      value_source<std::int64_t>(std::move(values), {}),
      [](std::int64_t n) { return n < 0 ? std::nullopt : std::optional(timestamp{n}); },
      bounded_out_of_orderness{30ms});
}

struct driven_times {
  explicit driven_times(std::vector<std::int64_t> values) : source(timed(std::move(values))), op(source, in.get()) {
    op.connect(0, static_cast<receiver<std::int64_t>&>(out));
  }

  decltype(timed({})) source;
  driven_environment in;
  caught<std::int64_t> out;
  read_operator<decltype(timed({}))> op;
};

TEST(event_times, come_from_the_elements_and_the_watermark_stays_behind_the_greatest) {
  driven_times of({100, 90, 150, 80});
  EXPECT_EQ(of.op.promise().at, timestamp::min());
  of.op.read(2);
  EXPECT_THAT(of.out.times, ElementsAre(100, 90));
  EXPECT_EQ(of.op.promise(), (watermark{timestamp{70}, false}));
  of.op.read(1);
  EXPECT_EQ(of.op.promise().at, timestamp{120});
  EXPECT_EQ(of.op.read(2), read_status::ended);
  EXPECT_EQ(of.op.promise().at, timestamp::max());
}

TEST(event_times, put_an_element_without_a_time_at_the_watermark) {
  driven_times of({-1, 100, -2});
  of.op.read(10);
  EXPECT_THAT(of.out.times, ElementsAre(timestamp::min().millis(), 100, 70));
}

TEST(event_times, remember_the_greatest_over_a_restart) {
  driven_times first({100, 10, 20});
  first.op.read(1);
  driven_times second({100, 10, 20});
  restore_from(second.op, snapshot_of(first.op));
  second.op.read(1);
  EXPECT_THAT(second.out.values, ElementsAre(10));
  EXPECT_EQ(second.op.promise().at, timestamp{70});
}

TEST(event_times, may_be_a_member_of_the_elements) {
  struct reading {
    timestamp at;
  };
  const auto source =
      with_event_times(value_source<reading>({{timestamp{9}}}, {}), &reading::at, bounded_out_of_orderness{0ms});
  EXPECT_EQ(source.splits(4).size(), 1U);
  EXPECT_TRUE(source.bounded());
}

}  // namespace
}  // namespace millrace::event_times_test
