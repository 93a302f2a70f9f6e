#include <millrace/transforms/windows/merging.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

namespace millrace::merging_test {
namespace {

using ::testing::ElementsAre;

window from_to(std::int64_t start, std::int64_t end) {
  return {timestamp{start}, timestamp{end}};
}
std::vector<window> merged(const std::vector<window>& all) {
  return merged_windows(all);
}

TEST(merged_windows, span_what_intersects) {
  EXPECT_THAT(merged({from_to(0, 10), from_to(5, 15)}), ElementsAre(from_to(0, 15)));
  EXPECT_THAT(merged({from_to(0, 20), from_to(5, 15)}), ElementsAre(from_to(0, 20)));
}

TEST(merged_windows, stay_apart_where_they_only_touch) {
  EXPECT_THAT(merged({from_to(0, 10), from_to(10, 20)}), ElementsAre(from_to(0, 10), from_to(10, 20)));
}

TEST(merged_windows, are_bridged_by_one_that_comes_last) {
  EXPECT_THAT(merged({from_to(15, 25), from_to(0, 10), from_to(7, 17)}), ElementsAre(from_to(0, 25)));
}

TEST(merged_windows, count_a_window_once) {
  EXPECT_THAT(merged({from_to(0, 10), from_to(0, 10)}), ElementsAre(from_to(0, 10)));
}

TEST(merged_windows, of_none_are_none) {
  EXPECT_THAT(merged({}), ElementsAre());
}

}  // namespace
}  // namespace millrace::merging_test
