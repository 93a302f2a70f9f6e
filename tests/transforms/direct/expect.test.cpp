#include <millrace/tests/transforms/operators/driven_operator.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::expect_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A pipeline that gives 1, 2 and 2, and what is expected of it.
struct expecting {
  pipeline p{"test"};
  pcollection<int> numbers = p | create("numbers", {1, 2, 2});
  expectations expected;

  std::vector<std::string> failures() {
    run_direct(p);
    return expected.failures();
  }
};

TEST(expect, holds_for_the_same_elements_in_any_order) {
  expecting of;
  of.expected.that("e", of.numbers).contains_in_any_order({2, 1, 2}).equals({1, 2, 2});
  of.expected.that("nothing early", of.numbers).early().is_empty().only_pane().contains_in_any_order({1, 2, 2});
  EXPECT_THAT(of.failures(), IsEmpty());
}

TEST(expect, names_what_is_missing_and_what_was_not_expected) {
  expecting of;
  of.expected.that("e", of.numbers).contains_in_any_order({1, 2, 3});
  EXPECT_THAT(of.failures(),
              ElementsAre(AllOf(HasSubstr("\"e\": missing 3; unexpected 2"), HasSubstr("expect.test.cpp:"))));
}

TEST(expect, counts_repeated_elements) {
  expecting of;
  of.expected.that("e", of.numbers).contains_in_any_order({1, 2});
  EXPECT_THAT(of.failures(), ElementsAre(HasSubstr("unexpected 2")));
}

TEST(expect, looks_at_the_order_where_it_is_asked_to) {
  expecting of;
  of.expected.that("e", of.numbers).equals({2, 1, 2});
  EXPECT_THAT(of.failures(), ElementsAre(HasSubstr("the order differs; it came as 1, 2, 2")));
}

TEST(expect, filters_by_window_for_one_assertion) {
  expecting of;
  of.expected.that("e", of.numbers)
      .in_window({timestamp{0}, timestamp{10}})
      .is_empty()
      .in_window(window::global())
      .is_empty()
      .contains_in_any_order({1, 2, 2});
  EXPECT_THAT(of.failures(), ElementsAre(HasSubstr("in window global: unexpected 1, 2, 2")));
}

TEST(expect, asks_a_function) {
  expecting of;
  of.expected.that("e", of.numbers).satisfies([](const std::vector<int>& all) -> std::string {
    if (all.size() == 3) throw std::runtime_error("three is too many");
    return {};
  });
  EXPECT_THAT(of.failures(), ElementsAre(HasSubstr("three is too many")));
}

TEST(expect, tells_panes_apart) {
  const auto takes = [](row_filter::which panes, pane_info pane) {
    return row_filter{.in = {}, .panes = panes}.takes({timestamp{0}, window::global(), pane});
  };
  using which = row_filter::which;
  const pane_info early{.timing = pane_timing::early, .is_last = false};
  const pane_info last{.index = 1, .timing = pane_timing::on_time, .is_first = false};
  EXPECT_TRUE(takes(which::early, early));
  EXPECT_FALSE(takes(which::on_time, early));
  EXPECT_FALSE(takes(which::last, early));
  EXPECT_TRUE(takes(which::on_time, last));
  EXPECT_TRUE(takes(which::last, last));
  EXPECT_FALSE(takes(which::only, last));
  EXPECT_FALSE(takes(which::late, last));
}

TEST(expect, fails_when_no_job_ran) {
  expecting of;
  of.expected.that("e", of.numbers).contains_in_any_order({1, 2, 2});
  EXPECT_THAT(refusal_of<expectation_failure>([&] { of.expected.verify(); }), HasSubstr("no job ran the pipeline"));
}

TEST(expect, fails_when_it_states_nothing) {
  expecting of;
  of.expected.that("e", of.numbers);
  EXPECT_THAT(of.failures(), ElementsAre(HasSubstr("states nothing")));
}

TEST(expect, fails_when_nobody_verifies) {
  const auto text = refusal_of<expectation_failure>([] {
    expectations forgotten;
    pipeline p("test");
    forgotten.that("e", p | create("numbers", {1})).is_empty();
  });
  EXPECT_THAT(text, HasSubstr("never verified"));
}

TEST(expect, lists_every_failure) {
  expecting of;
  of.expected.that("one", of.numbers).is_empty();
  of.expected.that("two", of.numbers).is_empty();
  run_direct(of.p);
  EXPECT_THAT(refusal_of<expectation_failure>([&] { of.expected.verify(); }),
              AllOf(HasSubstr("2 expectations did not hold"), HasSubstr("\"one\""), HasSubstr("\"two\"")));
}

}  // namespace
}  // namespace millrace::expect_test
