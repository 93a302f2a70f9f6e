#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/wait_on.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace millrace::testing::wait_on_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using text = std::string;

// Notes what passes in the order in which it does.
template <class T>
auto noted(const text& name, const std::shared_ptr<std::vector<text>>& to) {
  return par_do(name, [to, name](const T& x, emitter<T>& out) {
    if constexpr (std::is_same_v<T, text>) to->push_back(x);
    else to->push_back(std::to_string(x));
    out(x);
  });
}

TEST(wait_on, lets_elements_pass_when_the_window_of_the_signal_is_closed) {
  const auto order = std::make_shared<std::vector<text>>();
  pipeline p{"p"};
  const auto ten = [](const char* name) { return window_into(name, {.into = fixed(10ms)}); };
  const auto signal = p
                      | test_stream<text>("signal")
                            .add_at(timestamp{3}, {"first signal"})
                            .advance_watermark_to(timestamp{9})
                            .advance_processing_time(1s)
                            .add_at(timestamp{9}, {"second signal"})
                            .advance_watermark_to(timestamp{10})
                            .advance_processing_time(1s)
                            .advance_watermark_to_infinity()
                      | noted<text>("note signal", order) | ten("signal windows");
  recording<text> found;
  p
      | test_stream<text>("main")
            .add_at(timestamp{5}, {"a"})
            .add_at(timestamp{15}, {"b"})
            .advance_watermark_to(timestamp{20})
            .advance_processing_time(1s)
            .advance_watermark_to_infinity()
      | ten("main windows") | wait_on("wait", signal) | noted<text>("note main", order) | collect("found", found);
  run_direct(p);
  EXPECT_THAT(*order, ElementsAre("first signal", "second signal", "a", "b"));
  EXPECT_EQ(found.rows()[0].at.time, timestamp{5});
  EXPECT_EQ(found.rows()[0].at.in, (window{timestamp{0}, timestamp{10}}));
}

TEST(wait_on, waits_for_every_signal_and_not_for_elements_in_them) {
  pipeline p{"p"};
  const auto one = p | create<int>("no signal", {});
  const auto two = p | create("signal", {text("s")});
  expectations e;
  e.that("passed", p | create("in", {1, 2, 3}) | wait_on("wait", one, two)).contains_in_any_order({1, 2, 3});
  e.that("passed both", p | create("in again", {1, 2}) | wait_on("wait for both", two, two))
      .contains_in_any_order({1, 2});
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::testing::wait_on_test
