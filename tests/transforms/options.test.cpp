#include "operators/driven_operator.hpp"

#include <millrace/transforms/options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::options_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

pipeline_options parsed(const std::vector<std::string>& arguments) {
  pipeline_options options;
  EXPECT_TRUE(options.parse(arguments));
  return options;
}

std::string refused(const std::vector<std::string>& arguments) {
  return refusal_of<option_error>([&] {
    pipeline_options options;
    static_cast<void>(options.parse(arguments));
  });
}

TEST(options, have_names_in_both_spellings_and_values_behind_a_space_or_an_equals_sign) {
  EXPECT_EQ(parsed({"--job_name", "a"}).job_name, "a");
  EXPECT_EQ(parsed({"--jobName=b"}).job_name, "b");
  EXPECT_EQ(parsed({"--job-name=c=d"}).job_name, "c=d");
  EXPECT_EQ(parsed({"--temp_location="}).temp_location, "");
  EXPECT_EQ(parsed({"--num_workers=7"}).shards, 7U);
  EXPECT_EQ(parsed({"--numWorkers", "7"}).shards, 7U);
}

TEST(options, set_every_field) {
  const auto o = parsed({"--runner=direct", "--streaming", "--shards=4", "--checkpoints=dir",
                         "--checkpoint_every=250ms", "--attempts=2", "--bundle_rows=7", "--compression=zstd",
                         "--lift_combiners", "--fast_path=false", "--side_input_bytes=1000"});
  EXPECT_EQ(o.runner, runner_kind::direct);
  EXPECT_TRUE(o.streaming);
  EXPECT_EQ(o.shards, 4U);
  EXPECT_EQ(o.checkpoints, "dir");
  EXPECT_EQ(o.checkpoint_every, 250ms);
  EXPECT_EQ(o.attempts, 2U);
  EXPECT_EQ(o.bundle_rows, 7U);
  EXPECT_EQ(o.side_input_bytes, 1000U);
  EXPECT_EQ(o.compression, edge_compression::zstd);
  EXPECT_TRUE(o.lift_combiners);
  EXPECT_FALSE(o.fast_path);
}

TEST(options, take_the_names_of_runners_that_users_of_the_model_write) {
  EXPECT_EQ(parsed({"--runner=DirectRunner"}).runner, runner_kind::direct);
  EXPECT_EQ(parsed({"--runner=actors"}).runner, runner_kind::actors);
}

TEST(options, suggest_a_name_for_an_unknown_one) {
  EXPECT_EQ(refused({"--job_nmae=x"}), "unknown option --job_nmae; did you mean --job_name?");
  EXPECT_THAT(refused({"--runer", "direct"}), HasSubstr("did you mean --runner?"));
  EXPECT_EQ(refused({"--xyzzy_plugh_quux"}), "unknown option --xyzzy_plugh_quux; --help lists the options");
  EXPECT_THAT(refused({"-r"}), HasSubstr("two dashes"));
}

TEST(options, say_what_is_expected_instead_of_a_bad_value) {
  EXPECT_EQ(refused({"--shards=many"}), "option --shards cannot be \"many\"; it is a whole number from 0 to 256");
  EXPECT_THAT(refused({"--shards=-1"}), HasSubstr("\"-1\""));
  EXPECT_THAT(refused({"--shards=257"}), HasSubstr("from 0 to 256"));
  EXPECT_THAT(refused({"--attempts=0"}), HasSubstr("from 1"));
  EXPECT_EQ(refused({"--runner=flink"}), "option --runner cannot be \"flink\"; it is direct or actors");
  EXPECT_THAT(refused({"--compression=lz4"}), HasSubstr("automatic, none or zstd"));
  EXPECT_THAT(refused({"--checkpoint_every=soon"}), HasSubstr("a duration such as"));
  EXPECT_THAT(refused({"--streaming=maybe"}), HasSubstr("true or false"));
  EXPECT_EQ(refused({"--job_name"}), "option --job_name needs a value: --job_name TEXT");
  EXPECT_THAT(refused({"--job_name", "--streaming"}), HasSubstr("needs a value"));
  EXPECT_THAT(refused({"file"}), HasSubstr("unexpected argument \"file\""));
}

TEST(options, of_a_program_are_added_to_those_of_every_pipeline) {
  std::int32_t seed = 1;
  std::uint64_t rate = 0;
  double share = 0.5;
  std::string output = "out";
  bool verbose = false;
  duration length = 1min;
  std::vector<std::string> files;
  pipeline_options options;
  options.add("seed", &seed, "of the generator")
      .add("rate", &rate, "records a second")
      .add("too-late", &share, "share");
  options.add("output", &output, "folder").add("verbose", &verbose, "say more").add("duration", &length, "of the run");
  options.add_positional("FILE", &files, "to read");
  EXPECT_TRUE(options.parse({"--seed=-5", "a", "--rate", "10", "--too_late=1e-2", "--output", "dir", "--verbose", "b",
                             "--duration", "90", "--shards=2", "--", "--c"}));
  EXPECT_EQ(seed, -5);
  EXPECT_EQ(rate, 10U);
  EXPECT_EQ(share, 0.01);
  EXPECT_EQ(output, "dir");
  EXPECT_TRUE(verbose);
  EXPECT_EQ(length, 90s);
  EXPECT_THAT(files, ElementsAre("a", "b", "--c"));
  EXPECT_EQ(options.shards, 2U);
}

TEST(options, ask_for_the_positional_arguments_that_are_needed) {
  std::vector<std::string> files;
  pipeline_options options;
  options.add_positional("FILE", &files, "to read", 1);
  EXPECT_THAT(refusal_of<option_error>([&] { static_cast<void>(options.parse({"--streaming"})); }),
              HasSubstr("expected a FILE"));
}

TEST(options, refuse_a_program_that_adds_a_name_twice) {
  pipeline_options options;
  std::string text;
  EXPECT_THROW(options.add("jobName", &text, ""), broken_invariant);
  options.add("own", &text, "");
  EXPECT_THROW(options.add("own", &text, ""), broken_invariant);
}

TEST(options, show_help_with_defaults) {
  std::int64_t rate = 1000;
  pipeline_options options;
  options.add("rate", &rate, "records a second");
  EXPECT_FALSE(options.parse({"--rate=5", "--help"}));
  EXPECT_FALSE(options.parse({"-h"}));
  const auto text = options.help_text("telemetry", "Sensors.");
  EXPECT_THAT(text, AllOf(HasSubstr("usage: telemetry [options]"), HasSubstr("Sensors."), HasSubstr("--rate NUMBER"),
                          HasSubstr("records a second (default 5)"), HasSubstr("--checkpoint_every DURATION"),
                          HasSubstr("(default 1s)"), HasSubstr("--streaming ")));
  EXPECT_THAT(text, Not(HasSubstr("default false")));
}

TEST(options, leave_out_the_name_of_the_program) {
  const char* const arguments[] = {"program", "--job_name=x"};
  pipeline_options options;
  EXPECT_TRUE(options.parse(2, arguments));
  EXPECT_EQ(options.job_name, "x");
  EXPECT_TRUE(options.parse(0, nullptr));
}

TEST(option_value, reads_durations_with_units) {
  EXPECT_EQ(read_duration("5"), 5s);
  EXPECT_EQ(read_duration("1.5min"), 90s);
  EXPECT_EQ(read_duration("2h"), 2h);
  EXPECT_EQ(read_duration("1d"), 24h);
  for (const char* text : {"", "s", "5 s", "-1s", "5m", "1e300d", "nan"})
    EXPECT_THROW(static_cast<void>(read_duration(text)), std::invalid_argument) << text;
}

}  // namespace
}  // namespace millrace::options_test
