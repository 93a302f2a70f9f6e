#include <millrace/actors/simulation/simulation_session.hpp>
#include <millrace/transforms/direct/direct_session.hpp>
#include <millrace/transforms/transcripts/play_case.hpp>
#include <millrace/transforms/transcripts/read_transcripts.hpp>

#include <gmock/gmock.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace millrace::transcripts::play_case_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

case_result on_direct_runner(const std::string& text) {
  std::istringstream in("== 1 x\n" + text);
  return play_case(read_transcripts(in, "test").at(0),
                   [](const pipeline& p) { return std::make_unique<direct_session>(p); });
}

case_result simulated(const std::string& text) {
  std::istringstream in("== 1 x\n" + text);
  simulation_options options;
  options.job.stepped = true;
  return play_case(read_transcripts(in, "test").at(0),
                   [&](const pipeline& p) { return std::make_unique<simulation_session>(p, options); });
}

void expect_differences(const std::string& text, const ::testing::Matcher<std::vector<std::string>>& differences) {
  EXPECT_THAT(on_direct_runner(text).differences, differences) << "on the direct runner";
  EXPECT_THAT(simulated(text).differences, differences) << "on the actor runtime";
}

TEST(play_case, shows_what_is_missing_and_what_was_not_expected_event_by_event) {
  expect_differences("windows fixed 10\nB 1@1 2@2\nWM 10\n  [0,10) {1,3} @9\nE 4@3\nWM 30\n  held 29\n",
                     ElementsAre("line 4, WM 10", "  missing: [0,10) {1,3} @9 (line 5)",
                                 "  unexpected: [0,10) {1,2} @9 ON_TIME 0/0 F L", "line 7, WM 30",
                                 "  held 30, not 29 (line 8)", "at the end", "  dropped late 1, not 0"));
}

TEST(play_case, compares_the_order_only_where_it_is_asked_for) {
  const std::string events = "B a@5 b@3\nWM 6\n  global a @5\n  global b @3\n";
  expect_differences("windows global\ntransform sorted\n" + events, IsEmpty());
  expect_differences("windows global\ntransform sorted\nordered\n" + events,
                     ElementsAre("line 6, WM 6", "  in this order: global a @5", "  in this order: global b @3",
                                 "  came: global b @3", "  came: global a @5"));
}

TEST(play_case, shows_a_job_that_fails) {
  const case_result result = on_direct_runner("windows fixed 10\ntransform sum\nE one@1\n");
  ASSERT_EQ(result.differences.size(), 2U);
  EXPECT_EQ(result.differences[0], "line 4, E one@1");
  EXPECT_THAT(result.differences[1], ::testing::HasSubstr("\"one\" is no whole number"));
}

TEST(play_case, shows_a_refusal_that_is_not_written) {
  EXPECT_THAT(on_direct_runner("trigger count 2\nE a@1\n").differences,
              ElementsAre(::testing::HasSubstr("building it was refused: ")));
  EXPECT_THAT(on_direct_runner("windows sessions 5\ntransform running_count\nrefused \"coder\"\n").differences,
              ElementsAre(::testing::HasSubstr("must be refused with \"coder\", not with: ")));
}

TEST(play_case, takes_elements_after_the_end_of_the_input_as_late) {
  expect_differences("windows fixed 10\nWM max\nE a@1\n  dropped late 1\n", IsEmpty());
}

TEST(play_case, compares_numbers_in_bags_as_numbers) {
  expect_differences("windows fixed 10\ntransform mean\nthen\ntransform group\nB 1@1 1@2 2@3\nWM 10\n"
                     "  [0,10) {1.333333} @9\n",
                     IsEmpty());
}

TEST(play_case, lets_the_clock_go_as_far_as_time_does) {
  expect_differences("windows global\ntransform timers\nE A~8000000000000000@0\nPT 9000000000000000\n  global A @0\n",
                     IsEmpty());
}

TEST(play_case, plays_what_a_crash_has_undone_again) {
  expect_differences("windows fixed 10\ntransform running_count\nE a@1\n  [0,10) 1 @1\ncheckpoint\nE b@2\n"
                     "  [0,10) 2 @2\ncrash\ncrash\nE c@3\n  [0,10) 3 @3\n",
                     IsEmpty());
}

TEST(play_case, tells_the_path_of_each_step) {
  const case_result result = on_direct_runner("windows fixed 10\ntransform sum\nthen\nE a@1\n");
  ASSERT_EQ(result.paths.size(), 2U);
  EXPECT_EQ(result.paths[0].step, "step 1 sum");
  EXPECT_EQ(result.paths[0].why_not, "");
  EXPECT_EQ(result.paths[1].step, "step 2 group");
  EXPECT_EQ(result.paths[1].why_not, "not a combine");
}

// A runner that forgets to restore what a checkpoint holds.
class forgetful_session final : public job_session {
 public:
  explicit forgetful_session(const pipeline& p) : pipeline_(p), job_(std::make_unique<direct_session>(p)) {}
  void play(std::size_t event) override { job_->play(event); }
  void advance_clock(timestamp now) override { job_->advance_clock(now); }
  void checkpoint() override { job_->checkpoint(); }
  void crash(std::optional<timestamp> /*clock*/) override { job_ = std::make_unique<direct_session>(pipeline_); }
  void update(const pipeline& p, const name_mapping& names) override { job_->update(p, names); }
  void drain() override { job_->drain(); }
  void cancel() override { job_->cancel(); }
  [[nodiscard]] session_state state() const override { return job_->state(); }
  [[nodiscard]] const std::string& error() const override { return job_->error(); }
  [[nodiscard]] timestamp output_watermark(const std::string& path) const override {
    return job_->output_watermark(path);
  }
  [[nodiscard]] std::uint64_t dropped(const std::string& cause) const override { return job_->dropped(cause); }
  [[nodiscard]] const std::vector<std::string>& notices() const override { return job_->notices(); }
  [[nodiscard]] bool has_state() const override { return job_->has_state(); }

 private:
  const pipeline& pipeline_;
  std::unique_ptr<direct_session> job_;
};

TEST(play_case, finds_an_update_that_is_accepted_or_refused_otherwise_than_it_is_written) {
  const auto differences = [](const std::string& after) {
    return on_direct_runner("windows fixed 10\ntransform sum\nE 1@1\n" + after).differences;
  };
  EXPECT_THAT(differences("update trigger early(count 1)\nE 2@2\n  [0,10) 3 @9\n"), IsEmpty());
  EXPECT_THAT(differences("update windows fixed 20\n  refused \"fixed\"\nWM 10\n  [0,10) 1\n"), IsEmpty());
  EXPECT_THAT(differences("update windows fixed 20\nWM 10\n  [0,10) 1\n"),
              ElementsAre(HasSubstr("update windows fixed 20"), HasSubstr("was refused")));
  EXPECT_THAT(differences("update\n  refused \"fixed\"\nWM 10\n  [0,10) 1\n"),
              ElementsAre(HasSubstr("update"), HasSubstr("was accepted")));
  EXPECT_THAT(differences("update windows fixed 20\n  refused \"sliding\"\nWM 10\n  [0,10) 1\n"),
              ElementsAre(HasSubstr("update windows"), HasSubstr("was refused")));
}

TEST(play_case, finds_state_that_a_restart_has_lost) {
  std::istringstream in(
      "== 1 x\nwindows fixed 10\ntransform running_count\nE a@1\n  [0,10) 1 @1\ncheckpoint\ncrash\nE b@2\n"
      "  [0,10) 2 @2\n");
  const case_result result = play_case(read_transcripts(in, "test").at(0),
                                       [](const pipeline& p) { return std::make_unique<forgetful_session>(p); });
  EXPECT_THAT(result.differences,
              ElementsAre("line 8, E b@2", "  missing: [0,10) 2 @2 (line 9)", "  unexpected: [0,10) 1 @2", "at the end",
                          "  came, but was not committed: [0,10) 1 @1"));
}

}  // namespace
}  // namespace millrace::transcripts::play_case_test
