#include "plain_runs.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/custom.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

// Window functions of users that are wrong at a grouping: the failure names its step.
namespace millrace::programs::failing_windows_test {
namespace {

using ::testing::HasSubstr;

class failing_windows : public on_each_runner {};
INSTANTIATE_TEST_SUITE_P(on, failing_windows, each_runner(), runner_name);

// Merges a window that there is not.
struct merging_another {
  [[nodiscard]] window assign(timestamp t) const { return {t, t + duration{10}}; }
  [[nodiscard]] static std::vector<window_merge> merge(std::span<const window> active) {
    const window other{timestamp{5}, timestamp{7}};
    return {{active.front(), {active.front(), other}}};
  }
  [[nodiscard]] static std::string describe() { return "another"; }
};
struct merging_never : merging_another {
  [[nodiscard]] static std::vector<window_merge> merge(std::span<const window> /*active*/) {
    throw std::runtime_error("no idea");
  }
};

template <class Fn>
std::string failure_of(runner on, bool combined) {
  pipeline p("p");
  const auto in = p | create("in", {kv<int, int>{1, 2}}) | window_into("windows", {.into = custom_windows_of(Fn{})});
  if (combined) static_cast<void>(in | combine_per_key("count", count));
  else static_cast<void>(in | group_by_key("group"));
  return failure_on(on, p);
}

TEST_P(failing_windows, a_merge_of_what_is_no_active_window_names_the_step) {
  const std::string of_group = failure_of<merging_another>(GetParam(), false);
  EXPECT_THAT(of_group, HasSubstr("step \"group\" failed"));
  EXPECT_THAT(of_group, HasSubstr("another merges [5, 7), which is no active window of the key"));
  EXPECT_THAT(failure_of<merging_another>(GetParam(), true), HasSubstr("step \"count\" failed"));
}

TEST_P(failing_windows, a_merge_that_throws_names_step_and_window_function) {
  const std::string failure = failure_of<merging_never>(GetParam(), false);
  EXPECT_THAT(failure, HasSubstr("step \"group\" failed"));
  EXPECT_THAT(failure, HasSubstr("another fails to merge: no idea"));
}

}  // namespace
}  // namespace millrace::programs::failing_windows_test
