#include <millrace/transforms/transcripts/read_transcripts.hpp>
#include <millrace/transforms/transcripts/words.hpp>

#include <gmock/gmock.h>

#include <sstream>
#include <string>

namespace millrace::transcripts::read_transcripts_test {
namespace {

using ::testing::HasSubstr;

std::vector<transcript_case> read(const std::string& text) {
  std::istringstream in(text);
  return read_transcripts(in, "report.txt");
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const transcript_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(read_transcripts, reads_a_case_line_by_line) {
  const auto cases =
      read("# a comment\n== 4.2 early and late\nwindows fixed 10 offset 3\ntrigger early(count 2) late(count 1)\n"
           "lateness 20\nthen\nrekey\ntransform bag after 5 expire\n\nWM 0\nB a@3 y:b@-1   # two\n"
           "  y [3,13) {b} @12 EARLY 0/-1 F\n  held min\n  dropped late 2\n");
  ASSERT_EQ(cases.size(), 1U);
  const transcript_case& of = cases[0];
  EXPECT_EQ(of.number, "4.2");
  EXPECT_EQ(of.title, "early and late");
  ASSERT_EQ(of.steps.size(), 2U);
  EXPECT_EQ(of.steps[0].options.into, fixed(duration{10}, duration{3}));
  EXPECT_EQ(of.steps[0].options.allowed_lateness, duration{20});
  EXPECT_TRUE(of.steps[1].rekey);
  EXPECT_FALSE(of.steps[1].sets_windowing);
  EXPECT_EQ(of.steps[1].transform.after, duration{5});
  EXPECT_TRUE(of.steps[1].transform.expire);
  ASSERT_EQ(of.events.size(), 2U);
  EXPECT_EQ(of.events[1].line, 11U);
  ASSERT_EQ(of.events[1].elements.size(), 2U);
  EXPECT_EQ(of.events[1].elements[1].key, "y");
  EXPECT_EQ(of.events[1].elements[1].at, timestamp{-1});
  ASSERT_EQ(of.events[1].expected.size(), 3U);
  const expected_output& output = of.events[1].expected[0].output;
  EXPECT_EQ(output.key, "y");
  EXPECT_EQ(output.in, (window{timestamp{3}, timestamp{13}}));
  EXPECT_EQ(output.non_speculative_index, -1);
  EXPECT_TRUE(output.is_first);
  EXPECT_FALSE(output.is_last);
  EXPECT_EQ(of.events[1].expected[1].held, timestamp::min());
  EXPECT_EQ(of.events[1].expected[2].count, 2U);
}

TEST(read_transcripts, names_file_and_line_of_what_means_nothing) {
  EXPECT_EQ(error_of("\nE a@1\n"), "report.txt:2: a case begins with \"== NUMBER title\"");
  EXPECT_EQ(error_of("== 1 x\nwindows fixd 10\n"),
            "report.txt:2: \"fixd\" is no window function: write fixed, sliding, sessions or global");
  EXPECT_EQ(error_of("== 1 x\nE a@1\n  [0,10) {a} 9\n"), "report.txt:3: \"9\" is no time of an output: write @time");
  EXPECT_EQ(error_of("== 1 x\nbogus\n"), "report.txt:2: \"bogus\" is no setting and no event");
  EXPECT_EQ(error_of("== 1 x\n== 1 y\n"), "report.txt:2: there is a case 1 already");
}

TEST(read_transcripts, refuses_lines_that_only_look_right) {
  EXPECT_THAT(error_of("== 1 x\ntrigger repeat(count 3\n"), HasSubstr("misses \")\""));
  EXPECT_THAT(error_of("== 1 x\ntrigger count x\n"), HasSubstr("\"x\" is no count"));
  EXPECT_THAT(error_of("== 1 x\nlateness 5\nlateness 6\n"), HasSubstr("written twice"));
  EXPECT_THAT(error_of("== 1 x\nE a@1 b@2\n"), HasSubstr("one word too many"));
  EXPECT_THAT(error_of("== 1 x\nE a@1\nwindows fixed 10\n"), HasSubstr("before the first event"));
  EXPECT_THAT(error_of("== 1 x\nrefused \"y\"\nE a@1\n"), HasSubstr("has no events"));
  EXPECT_THAT(error_of("== 1 x\n  held 5\n"), HasSubstr("below an event"));
  EXPECT_THAT(error_of("== 1 x\nWM 99999999999999999999\n"), HasSubstr("is no time"));
  EXPECT_THAT(error_of("== 1 x\nwindows sliding 10\n"), HasSubstr("every P"));
  EXPECT_THAT(error_of("== 1 x\nwindows fixed 0\n"), HasSubstr("report.txt:2: "));
  EXPECT_THAT(error_of("== 1 x\ntransform batches 0\n"), HasSubstr("at least one"));
  EXPECT_THAT(error_of("== 1 x\nupdate bogus\n"), HasSubstr("\"bogus\" is no setting of a step"));
  EXPECT_THAT(error_of("== 1 x\nupdate lateness 5 | unsafe\n"), HasSubstr("unsafe"));
  EXPECT_THAT(error_of("== 1 x\nupdate step 2 lateness 5\n"), HasSubstr("no step 2"));
  EXPECT_THAT(error_of("== 1 x\nE a@1\n  refused \"x\"\n"), HasSubstr("below an update"));
  EXPECT_THAT(error_of("== 1 x\ntrigger " + std::string(200, '(') + "\n"), HasSubstr("too deeply"));
}

TEST(read_transcripts, names_a_file_that_is_not_there) {
  try {
    static_cast<void>(read_transcripts(std::filesystem::path("/nowhere/report.txt")));
    FAIL() << "must throw";
  } catch (const transcript_error& e) {
    EXPECT_STREQ(e.what(), "cannot read /nowhere/report.txt");
  }
}

}  // namespace
}  // namespace millrace::transcripts::read_transcripts_test
