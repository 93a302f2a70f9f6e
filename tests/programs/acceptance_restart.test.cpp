#include "both_runners.hpp"
#include "splittable_functions.hpp"

#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <gmock/gmock.h>

// Restarts from a snapshot: the acceptance cases of the model, section 17. The snapshot is a checkpoint.
namespace millrace::programs::acceptance_restart_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class restart_cases : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, restart_cases, ::testing::ValuesIn(all_ways), way_name);

TEST_P(restart_cases, 17_5_a_source_goes_on_and_what_an_impulse_has_begun_is_not_begun_again) {
  pipeline p{"snapshot"};
  const recording<int> counted;
  const recording<std::int64_t> numbers;
  p | create("impulse", {7}) | par_do_splittable("count", counting_slowly{}) | collect("counted", counted);
  p | sequence("numbers", {.to = 4, .rate = 1}) | collect("numbers out", numbers);
  const auto job = session(p);
  job->checkpoint();
  EXPECT_THAT(texts_of(counted), ElementsAre("0", "1", "2"));
  EXPECT_THAT(texts_of(numbers), ElementsAre("0"));

  job->advance_clock(timestamp{1000});
  job->crash(std::nullopt);
  job->checkpoint();
  EXPECT_THAT(texts_of(counted), ElementsAre("0", "1", "2")) << "what came after the snapshot is taken back";
  EXPECT_THAT(texts_of(numbers), ElementsAre("0"));

  for (const auto at : {1000, 2000, 3000}) job->advance_clock(timestamp{at});
  job->checkpoint();
  EXPECT_EQ(job->error(), "");
  EXPECT_THAT(texts_of(counted), ElementsAre("0", "1", "2", "3", "4", "5", "6"));
  EXPECT_THAT(texts_of(numbers), ElementsAre("0", "1", "2", "3"));
}

}  // namespace
}  // namespace millrace::programs::acceptance_restart_test
