#include "temporary_folder.hpp"

#include <millrace/io/parse_error.hpp>
#include <millrace/io/timestamps.hpp>

#include <gtest/gtest.h>

#include <random>

namespace millrace::timestamps_test {
namespace {

TEST(read_timestamp, reads_utc_times_with_and_without_a_fraction) {
  EXPECT_EQ(read_timestamp("1970-01-01T00:00:00Z"), timestamp{0});
  EXPECT_EQ(read_timestamp("2026-01-01T00:00:00.123Z"), timestamp{1767225600123});
  EXPECT_EQ(read_timestamp("2026-01-01T00:00:00.1Z"), timestamp{1767225600100});
  EXPECT_EQ(read_timestamp("2001-09-09T01:46:40Z"), timestamp{1'000'000'000'000});
  EXPECT_EQ(read_timestamp("0000-01-01T00:00:00Z"), timestamp{-62167219200000});
  EXPECT_EQ(read_timestamp("9999-12-31T23:59:59.999Z"), timestamp{253402300799999});
}

TEST(read_timestamp, floors_finer_fractions_before_1970_too) {
  EXPECT_EQ(read_timestamp("1970-01-01T00:00:00.000999999Z"), timestamp{0});
  EXPECT_EQ(read_timestamp("1969-12-31T23:59:59.9999Z"), timestamp{-1});
  EXPECT_EQ(read_timestamp("1969-12-31T23:59:59.9980000Z"), timestamp{-2});
}

TEST(read_timestamp, knows_which_days_exist) {
  EXPECT_TRUE(read_timestamp("2024-02-29T00:00:00Z"));
  EXPECT_TRUE(read_timestamp("2000-02-29T00:00:00Z"));
  for (const auto* text :
       {"2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z"}) {
    EXPECT_FALSE(read_timestamp(text)) << text;
  }
}

TEST(read_timestamp, refuses_every_other_form) {
  for (const auto* text : {"",
                           "2026",
                           "2026-01-01",
                           "2026-01-01T00:00:00",
                           "2026-01-01 00:00:00Z",
                           "2026-01-01t00:00:00Z",
                           "2026-01-01T00:00:00z",
                           "2026-01-01T00:00:00+00:00",
                           "2026-01-01T24:00:00Z",
                           "2026-01-01T00:60:00Z",
                           "2026-12-31T23:59:60Z",
                           "2026-01-01T00:00:00.Z",
                           "2026-01-01T00:00:00.1234567890Z",
                           "2026-01-01T00:00:00.12",
                           "2026-01-01T00:00:00.1 Z",
                           "2026-01-01T00:00:00ZZ",
                           " 2026-01-01T00:00:00Z",
                           "+2026-01-01T00:00:00Z",
                           "2026-1-1T0:0:0Z",
                           "2026-01-01T00:00:00,123Z",
                           "2026-01-01T00:00:00-1Z"}) {
    EXPECT_FALSE(read_timestamp(text)) << text;
  }
}

TEST(parse_timestamp, names_the_text_and_what_was_expected) {
  EXPECT_EQ(message_of<parse_error>([] { (void)parse_timestamp("today"); }),
            "expected a UTC time such as 2026-01-01T00:00:00.123Z, found \"today\"");
}

TEST(format_timestamp, writes_three_digits_of_a_second) {
  EXPECT_EQ(format_timestamp(timestamp{1767225600123}), "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(format_timestamp(timestamp{-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_timestamp(timestamp{1709251199000}), "2024-02-29T23:59:59.000Z");
}

TEST(format_timestamp, refuses_years_without_four_digits) {
  EXPECT_THROW((void)format_timestamp(timestamp{253402300800000}), std::out_of_range);
  EXPECT_THROW((void)format_timestamp(timestamp{-62167219200001}), std::out_of_range);
  EXPECT_THROW((void)format_timestamp(timestamp::max()), std::out_of_range);
}

TEST(format_timestamp, is_undone_by_reading) {
  std::mt19937_64 random{1};
  std::uniform_int_distribution<std::int64_t> any(-62167219200000, 253402300799999);
  for (int i = 0; i < 20'000; ++i) {
    const timestamp time{any(random)};
    ASSERT_EQ(read_timestamp(format_timestamp(time)), time);
  }
}

}  // namespace
}  // namespace millrace::timestamps_test
