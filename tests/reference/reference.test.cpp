#include "engine.hpp"
#include "transcript.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace reference {
namespace {

std::vector<transcript_case> cases_of(const std::string& file) {
  std::ifstream in(MILLRACE_SOURCE_DIR "/tests/transcripts/" + file + ".txt", std::ios::binary);
  return parse_transcript(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

// What differs in the only case of a text.
std::string differences_in(const std::string& text) {
  const std::vector<transcript_case> cases = parse_transcript(text);
  return cases.size() == 1 ? joined(differences(cases.front())) : "not one case";
}

class reference_transcripts : public testing::TestWithParam<const char*> {};

TEST_P(reference_transcripts, come_out_as_written) {
  const std::vector<transcript_case> cases = cases_of(GetParam());
  ASSERT_FALSE(cases.empty());
  for (const transcript_case& one : cases) {
    const std::vector<std::string> found = differences(one);
    EXPECT_EQ(found.empty(), !one.wrong) << one.number << " " << one.title << joined(found);
  }
}

INSTANTIATE_TEST_SUITE_P(all, reference_transcripts,
                         testing::Values("acceptance", "chains", "combine", "drain", "edges", "holds", "keyed",
                                         "lateness", "panes", "property", "random", "runner", "side", "state", "timers",
                                         "triggers", "user", "windowing", "windows"),
                         [](const auto& name) { return std::string(name.param); });

TEST(reference_transcript_text, is_read_as_the_grammar_says) {
  const auto cases =
      parse_transcript("# a comment\n== 1 a title\nwindows sliding 10 every 5 offset 2\nunsafe\n"
                       "B x:a@1 b@gwmax  # two\n  x [0,10) {b,{d,c}} @9 EARLY 0/-1 F\n  dropped late 2\n");
  ASSERT_EQ(cases.size(), 1U);
  const transcript_case& one = cases.front();
  EXPECT_EQ(one.title, "a title");
  EXPECT_TRUE(one.pipeline.unsafe_triggers);
  EXPECT_EQ(one.pipeline.steps.front().windows->period, 5);
  EXPECT_EQ(one.pipeline.steps.front().windows->offset, 2);
  ASSERT_EQ(one.events.size(), 1U);
  EXPECT_EQ(one.events[0].what.elements[0].key, "x");
  EXPECT_EQ(one.events[0].what.elements[1].time, global_max_time);
  EXPECT_EQ(one.events[0].then.outputs[0].value, "{b,{c,d}}");
  EXPECT_EQ(one.events[0].then.late, 2);
}

TEST(reference_transcript_text, names_the_line_it_cannot_read) {
  try {
    (void)parse_transcript("== 1 t\nwindows fixed 10\ntrigger count\n");
    FAIL() << "it was read";
  } catch (const bad_transcript& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)parse_transcript("== 1 t\nE a@1\n  [0,10) a\n== 1 t\n"), bad_transcript);
  EXPECT_THROW((void)parse_transcript("== 1 t\nE a@1\nwindows fixed 10\n"), bad_transcript);
  EXPECT_THROW((void)parse_transcript("== 1 t\n  [0,10) a\n"), bad_transcript);
}

TEST(reference_transcript_text, reads_a_trigger_as_it_writes_it) {
  for (const char* text :
       {"default", "repeat(count 2)", "early(first(count 2, delay 10)) late(count 1)",
        "(repeat(count 2)) until (count 5)", "each(align 60 delay 10, all(always, never))", "early(at_watermark)"}) {
    EXPECT_EQ(text_of(parse_trigger(text)), text);
  }
  EXPECT_EQ(text_of(parse_trigger("repeat(count 2) until count 5")), "(repeat(count 2)) until (count 5)");
}

// Reading what is written of a case and playing it again finds no difference.
TEST(reference_transcript_text, is_written_so_that_it_holds_when_read) {
  int written = 0;
  for (const char* file : {"chains", "drain", "state", "timers", "triggers", "random"}) {
    for (const transcript_case& one : cases_of(file)) {
      if (one.refused) continue;
      std::vector<event> events;
      for (const scripted_event& each : one.events) events.push_back(each.what);
      const std::string text = written_case(one.number, one.pipeline, events);
      EXPECT_EQ(differences_in(text), "") << text;
      ++written;
    }
  }
  EXPECT_GT(written, 300);
}

TEST(reference_comparison, pairs_lines_that_say_little_with_what_is_left) {
  const std::string events = "WM 0\nB a@1 b@11\nWM 100\n";
  EXPECT_EQ(
      differences_in("== 1 t\nwindows fixed 10\ntransform count\n" + events + "  [0,10) 1 @9 ON_TIME\n  [10,20) 1\n"),
      "");
  EXPECT_EQ(differences_in("== 1 t\nwindows sliding 10 every 5\ntransform running_count\nB a@7 b@7\n"
                           "  [5,15) 1\n  [5,15) 2\n  [0,10) 1\n  [0,10) 2 @7\n"),
            "");
}

// A program is made and driven by hand as generated ones are.
TEST(reference_job, repeats_after_a_crash_what_came_after_the_checkpoint) {
  program sums;
  sums.steps.resize(1);
  sums.steps[0].windows = window_function{window_kind::fixed, 10};
  sums.steps[0].what.kind = transform_kind::sum;
  job running(sums);
  EXPECT_TRUE(running.apply({event_kind::elements, {{"k", "1", 1}, {"x", "5", 2}}, {}}).outputs.empty());
  EXPECT_TRUE(running.apply({event_kind::checkpoint, {}, {}}).state_left);
  running.apply({event_kind::elements, {{"k", "2", 3}}, {}});
  EXPECT_TRUE(running.apply({event_kind::crash, {}, {}}).outputs.empty());
  const report end = running.apply({event_kind::watermark, {}, 10});
  const pane only{pane_timing::on_time, 0, 0, true, true};
  EXPECT_EQ(end.outputs, (std::vector<output>{{"k", {0, 10}, "3", 9, only}, {"x", {0, 10}, "5", 9, only}}));
  EXPECT_EQ(end.held, 10);
  EXPECT_FALSE(end.state_left);
}

TEST(reference_job, refuses_windows_that_cannot_be) {
  for (const window_function& by :
       {window_function{window_kind::fixed, 0}, window_function{window_kind::sliding, 10, 0},
        window_function{window_kind::fixed, 10, 0, 10}, window_function{window_kind::sliding, 10, 5, 7}}) {
    program what;
    what.steps.resize(1);
    what.steps[0].windows = by;
    EXPECT_THROW(job{what}, refusal);
  }
}

TEST(reference_job, gives_up_a_loop_without_end) {
  program loops;
  loops.steps.resize(1);
  loops.steps[0].what = {transform_kind::looping, 1, 0, {}, {}, false, {}};
  job running(loops);
  running.apply({event_kind::elements, {{"k", "a", 0}}, {}});
  EXPECT_THROW(running.apply({event_kind::watermark, {}, max_time}), std::logic_error);
}

TEST(reference_job, counts_drops_by_step_and_cause) {
  program late;
  late.steps.resize(2);
  late.steps[0].windows = window_function{window_kind::fixed, 10};
  late.steps[0].what.kind = transform_kind::none;
  late.steps[1].what.kind = transform_kind::count;
  job running(late);
  running.apply({event_kind::watermark, {}, 30});
  const report seen = running.apply({event_kind::elements, {{"k", "a", 1}, {"k", "b", 2}}, {}});
  EXPECT_EQ(seen.dropped, (std::vector<drops>{{0, 0}, {2, 0}}));
}

TEST(reference_job, fails_where_a_value_is_no_number_and_keeps_nothing_of_that_event) {
  program sums;
  sums.steps.resize(1);
  sums.steps[0].windows = window_function{window_kind::fixed, 10};
  sums.steps[0].what.kind = transform_kind::sum;
  job running(sums);
  running.apply({event_kind::elements, {{"k", "one", 1}}, {}});
  const report seen = running.apply({event_kind::watermark, {}, 10});
  EXPECT_EQ(seen.state, job_state::failed);
  EXPECT_EQ(seen.error, "not an integer: one");
  EXPECT_TRUE(seen.outputs.empty());
  EXPECT_EQ(seen.held, min_time);
}

}  // namespace
}  // namespace reference
