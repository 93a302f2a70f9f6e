#include "both_runners.hpp"

#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/sequence.hpp>

#include <gmock/gmock.h>

// Restarts from a snapshot: the acceptance cases of the model, section 17. The snapshot is a checkpoint.
namespace millrace::programs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class restart_cases : public both_runners {};
INSTANTIATE_TEST_SUITE_P(on, restart_cases, testing::ValuesIn(all_ways), way_name);

// Gives the numbers below its element, three a second.
struct three_a_second {
  using output = int;
  static constexpr bool bounded_per_element = true;
  static offset_range initial_restriction(int n) { return {0, n}; }
  static process_result process(int /*n*/, tracker<offset_range>& range, emitter<int>& out) {
    const auto from = range.restriction().from;
    for (auto i = from; i < from + 3; ++i) {
      if (!range.try_claim(i)) return process_result::stop();
      out(static_cast<int>(i));
    }
    return process_result::resume(1s);
  }
};

TEST_P(restart_cases, 17_5_a_source_goes_on_and_what_an_impulse_has_begun_is_not_begun_again) {
  pipeline p{"snapshot"};
  const recording<int> counted;
  const recording<std::int64_t> numbers;
  p | create("impulse", {7}) | par_do_splittable("count", three_a_second{}) | collect("counted", counted);
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
}  // namespace millrace::programs
