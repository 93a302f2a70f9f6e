#include <millrace/io/text_file_names.hpp>

#include <gtest/gtest.h>

namespace millrace::text_file_names_test {
namespace {

const window ten_minutes{timestamp{0}, timestamp{600'000}};

TEST(text_file_names, leave_out_the_global_window_15_1) {
  EXPECT_EQ(name_of({.prefix = "out", .suffix = ".txt", .shard = 2, .shards = 5}), "out-00002-of-00005.txt");
}

TEST(text_file_names, tell_the_window_15_1) {
  EXPECT_EQ(name_of({.prefix = "out", .suffix = ".txt", .in = ten_minutes, .shard = 2, .shards = 5}),
            "out-1970-01-01T00:00:00.000Z-1970-01-01T00:10:00.000Z-00002-of-00005.txt");
}

TEST(text_file_names, tell_the_pane_where_there_are_several_15_1) {
  const pane_info second{.index = 1, .timing = pane_timing::late, .is_first = false, .is_last = false};
  EXPECT_EQ(name_of({.prefix = "out", .suffix = ".txt", .in = ten_minutes, .pane = second, .shard = 2, .shards = 5}),
            "out-1970-01-01T00:00:00.000Z-1970-01-01T00:10:00.000Z-1-00002-of-00005.txt");
}

TEST(text_file_names, spell_the_pane_out_on_request_15_2) {
  const pane_info last{.index = 3, .timing = pane_timing::late, .is_first = false, .is_last = true};
  EXPECT_EQ(name_of({.prefix = "out-", .in = ten_minutes, .pane = last, .naming = file_naming::spelled_panes}),
            "out-1970-01-01T00:00:00.000Z-1970-01-01T00:10:00.000Z-pane-3-late-last-00000-of-00001");
}

TEST(text_file_names, write_bounds_beyond_the_calendar_as_numbers) {
  EXPECT_EQ(name_of({.prefix = "out", .in = {timestamp::min(), timestamp{0}}}),
            "out--9223372036854775-1970-01-01T00:00:00.000Z-00000-of-00001");
}

}  // namespace
}  // namespace millrace::text_file_names_test
