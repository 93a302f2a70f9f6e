#include <millrace/transforms/windows/window_fn.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace millrace::window_fn_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

timestamp at(std::int64_t millis) {
  return timestamp{millis};
}
window from_to(std::int64_t start, std::int64_t end) {
  return {at(start), at(end)};
}
std::vector<window> windows_of(const window_fn& fn, std::int64_t t) {
  const window_set all = fn.assign(at(t));
  return {all.begin(), all.end()};
}

TEST(fixed_windows, contain_their_timestamp_before_and_after_zero) {
  const window_fn fn = fixed(10ms, 3ms);
  EXPECT_EQ(fn.assign_one(at(2)), from_to(-7, 3));
  EXPECT_EQ(fn.assign_one(at(3)), from_to(3, 13));
  EXPECT_EQ(fn.assign_one(at(-8)), from_to(-17, -7));
  EXPECT_THAT(windows_of(fn, -8), ElementsAre(from_to(-17, -7)));
}

TEST(fixed_windows, end_with_the_global_window) {
  EXPECT_EQ(fixed(10ms).assign_one(timestamp::end_of_global_window()), from_to(9223371950454770, 9223371950454776));
}

TEST(fixed_windows, begin_with_the_least_timestamp) {
  const window first = fixed(10min).assign_one(timestamp::min());
  EXPECT_EQ(first.start, timestamp::min());
  EXPECT_TRUE(first.contains(timestamp::min()));
}

TEST(sliding_windows, are_all_that_contain_the_timestamp) {
  EXPECT_THAT(windows_of(sliding(10ms, 5ms), 7), ElementsAre(from_to(5, 15), from_to(0, 10)));
  EXPECT_THAT(windows_of(sliding(10ms, 5ms), -1), ElementsAre(from_to(-5, 5), from_to(-10, 0)));
  EXPECT_THAT(windows_of(sliding(10ms, 3ms, 1ms), 7),
              ElementsAre(from_to(7, 17), from_to(4, 14), from_to(1, 11), from_to(-2, 8)));
}

TEST(sliding_windows, leave_gaps_where_the_period_is_longer_than_the_size) {
  EXPECT_THAT(windows_of(sliding(5ms, 10ms), 3), ElementsAre(from_to(0, 5)));
  EXPECT_THAT(windows_of(sliding(5ms, 10ms), 7), ElementsAre());
}

TEST(sliding_windows, have_a_period_for_their_size) {
  EXPECT_EQ(sliding(2h), sliding(2h, 1h));
  EXPECT_EQ(sliding(1h), sliding(1h, 1min));
  EXPECT_EQ(sliding(1min), sliding(1min, 1s));
  EXPECT_EQ(sliding(1s), sliding(1s, 1ms));
}

TEST(session_windows, begin_at_their_element) {
  EXPECT_EQ(sessions(10ms).assign_one(at(5)), from_to(5, 15));
  EXPECT_TRUE(sessions(10ms).merging());
  EXPECT_FALSE(fixed(10ms).merging());
}

TEST(window_fn, is_global_unless_it_is_told_otherwise) {
  EXPECT_EQ(window_fn{}, global_windows());
  EXPECT_EQ(window_fn{}.assign_one(at(5)), window::global());
  EXPECT_TRUE(window_fn{}.global());
}

TEST(window_fn, refuses_sizes_that_make_no_sense) {
  EXPECT_THAT([] { (void)fixed(0ms); }, ThrowsMessage<std::invalid_argument>(HasSubstr("positive size, not 0ms")));
  EXPECT_THAT([] { (void)fixed(10ms, 10ms); }, ThrowsMessage<std::invalid_argument>(HasSubstr("offset")));
  EXPECT_THAT([] { (void)sliding(10ms, 0ms); }, ThrowsMessage<std::invalid_argument>(HasSubstr("positive period")));
  EXPECT_THAT([] { (void)sliding(10ms, 5ms, -1ms); }, ThrowsMessage<std::invalid_argument>(HasSubstr("offset")));
  EXPECT_THAT([] { (void)sessions(-1s); }, ThrowsMessage<std::invalid_argument>(HasSubstr("positive gap, not -1s")));
}

TEST(window_fn, maps_a_main_window_to_the_side_window_of_its_end) {
  const window main = from_to(10, 20);
  EXPECT_EQ(fixed(7ms).side_window(main), from_to(14, 21));
  EXPECT_EQ(sliding(10ms, 5ms).side_window(main), from_to(10, 20));
  EXPECT_EQ(global_windows().side_window(main), window::global());
  EXPECT_EQ(global_windows().side_window(window::global()), window::global());
}

TEST(window_fn, says_where_there_is_no_side_window) {
  EXPECT_THAT([] { (void)fixed(7ms).side_window(window::global()); },
              ThrowsMessage<window_error>(HasSubstr("window the main input")));
  EXPECT_THAT([] { (void)sessions(7ms).side_window(from_to(0, 10)); },
              ThrowsMessage<window_error>(HasSubstr("sessions")));
  EXPECT_THAT([] { (void)sliding(5ms, 10ms).side_window(from_to(0, 8)); },
              ThrowsMessage<window_error>(HasSubstr("sliding windows")));
}

TEST(window_fn, is_compatible_with_equals_and_sessions_with_all_sessions) {
  EXPECT_TRUE(fixed(10ms).compatible(fixed(10ms)));
  EXPECT_FALSE(fixed(10ms).compatible(fixed(20ms)));
  EXPECT_FALSE(fixed(10ms).compatible(sliding(10ms, 10ms)));
  EXPECT_TRUE(sessions(10ms).compatible(sessions(20ms)));
}

TEST(window_fn, describes_itself_exactly) {
  EXPECT_EQ(fixed(1min).describe(), "fixed(1min)");
  EXPECT_EQ(fixed(90s, 1500ms).describe(), "fixed(90s, offset 1500ms)");
  EXPECT_EQ(sliding(24h, 1h).describe(), "sliding(1d every 1h)");
  EXPECT_EQ(sessions(30min).describe(), "sessions(30min)");
  EXPECT_EQ(global_windows().describe(), "global");
}

}  // namespace
}  // namespace millrace::window_fn_test
