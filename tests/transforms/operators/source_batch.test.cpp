#include <millrace/transforms/operators/read_operator.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace millrace::source_batch_test {
namespace {

struct kept_rows final : receiver<std::int64_t> {
  void accept(const batch<std::int64_t>& in) override {
    in.each([&](std::uint32_t p, std::int64_t x) {
      values.push_back(x);
      times.push_back(in.at->time_at(p).millis());
    });
    least = in.at->least;
    greatest = in.at->greatest;
  }
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> times;
  timestamp least;
  timestamp greatest;
};

TEST(source_batch, places_many_rows_behind_those_placed_one_by_one_as_far_as_there_is_room) {
  detail::source_batch<std::int64_t> rows(4);
  kept_rows to;
  rows.begin(4);
  rows(70, timestamp{7});
  std::int64_t next = 0;
  const auto place = [&](std::int64_t& slot) {
    slot = ++next;
    return timestamp{10 - next};
  };
  EXPECT_EQ(rows.place_many(2, place), 2U);
  EXPECT_FALSE(rows.full());
  EXPECT_EQ(rows.place_many(5, place), 1U);
  EXPECT_TRUE(rows.full());
  EXPECT_EQ(rows.place_many(5, place), 0U);
  EXPECT_EQ(rows.pass_on(to), 4U);
  EXPECT_EQ(to.values, (std::vector<std::int64_t>{70, 1, 2, 3}));
  EXPECT_EQ(to.times, (std::vector<std::int64_t>{7, 9, 8, 7}));
  EXPECT_EQ(to.least, timestamp{7});
  EXPECT_EQ(to.greatest, timestamp{9});
}

}  // namespace
}  // namespace millrace::source_batch_test
