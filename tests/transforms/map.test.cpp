#include "one_step.hpp"

#include <millrace/transforms/map.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace millrace::testing::map_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct order {
  std::string id;
  std::int64_t amount = 0;
};

TEST(map, replaces_values_and_keeps_stamps_and_selection) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | map("double", [](const int& x) { return std::to_string(2 * x); }));
  auto& out = step.output<std::string>();
  rows<int> in{{1, 2, 3, 4}, {at(10), at(20), at(30), at(40)}, {win(0, 100), {}}, {}};
  batch<int> b = in.as_batch();
  const std::uint16_t chosen[] = {1, 3};
  b.selected = chosen;
  b.count = 2;
  step.feed(b);
  EXPECT_THAT(out.values, ElementsAre("4", "8"));
  EXPECT_THAT(out.times, ElementsAre(at(20), at(40)));
  EXPECT_EQ(out.contexts[0].windows.front(), win(0, 100));
  EXPECT_EQ(step.metrics.elements_in, 2U);
  EXPECT_EQ(step.metrics.elements_out, 2U);
}

TEST(map, gives_a_member_in_place) {
  pipeline p{"p"};
  one_step step(input_of<order>(p) | map("amount", &order::amount));
  auto& out = step.output<std::int64_t>();
  rows<order> in{{{"a", 1}, {"b", 2}}, {}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre(1, 2));
  EXPECT_THAT(out.addresses, ElementsAre(&in.values[0].amount, &in.values[1].amount));
}

TEST(map, names_step_element_cause_and_attempts_when_the_function_keeps_throwing) {
  pipeline p{"p"};
  int calls = 0;
  one_step step(input_of<order>(p)
                    | map("price",
                          [&calls](const order& o) -> std::int64_t {
                            if (o.id != "bad\n") return o.amount;
                            ++calls;
                            throw std::runtime_error("no price");
                          }),
                3);
  step.output<std::int64_t>();
  try {
    step.feed(rows<order>{{{"a", 1}, {"bad\n", 2}}, {at(5), at(7)}, {win(0, 10), {}}, {}});
    FAIL() << "the failure must leave the step";
  } catch (const element_failure& e) {
    EXPECT_EQ(e.step(), "price");
    EXPECT_EQ(e.element(), R"({"bad\n", 2} @7 [0, 10))");
    EXPECT_EQ(e.cause(), "no price");
    EXPECT_EQ(e.attempts(), 3U);
    EXPECT_THAT(e.what(), HasSubstr("step \"price\" failed on element"));
  }
  EXPECT_EQ(calls, 3);
}

TEST(map, calls_only_the_failing_element_again) {
  pipeline p{"p"};
  std::vector<int> calls;
  int failures = 2;
  one_step step(input_of<int>(p) | map("sometimes", [&](const int& x) {
                  calls.push_back(x);
                  if (x == 2 && failures-- > 0) throw std::runtime_error("not yet");
                  return std::string(40, static_cast<char>('a' + x));
                }));
  auto& out = step.output<std::string>();
  step.feed(rows<int>{{1, 2, 3}, {}, {}, {}});
  EXPECT_THAT(calls, ElementsAre(1, 2, 2, 2, 3));
  EXPECT_THAT(out.values, ElementsAre(std::string(40, 'b'), std::string(40, 'c'), std::string(40, 'd')));
}

TEST(map, sends_elements_that_fail_to_the_error_output_with_their_stamp) {
  pipeline p{"p"};
  auto [good, bad] = input_of<std::string>(p)
                     | map(
                         "parse",
                         [](const std::string& s) {
                           if (s[0] == '!') throw std::runtime_error("bad " + s);
                           return s + s + std::string(30, '.');
                         },
                         with_errors);
  one_step step(good, 2);
  auto& out = step.output<std::string>(0);
  auto& errors = step.output<failed<std::string>>(1);
  step.feed(rows<std::string>{{"!a", "b", "c", "!d", "!e", "f", "!g"},
                              {at(1), at(2), at(3), at(4), at(5), at(6), at(7)},
                              {win(0, 10), {}},
                              {}});
  const std::string dots(30, '.');
  EXPECT_THAT(out.values, ElementsAre("bb" + dots, "cc" + dots, "ff" + dots));
  EXPECT_THAT(out.times, ElementsAre(at(2), at(3), at(6)));
  EXPECT_THAT(errors.values, ElementsAre(failed<std::string>{"!a", "parse", "bad !a", 2},
                                         failed<std::string>{"!d", "parse", "bad !d", 2},
                                         failed<std::string>{"!e", "parse", "bad !e", 2},
                                         failed<std::string>{"!g", "parse", "bad !g", 2}));
  EXPECT_THAT(errors.times, ElementsAre(at(1), at(4), at(5), at(7)));
  EXPECT_EQ(errors.contexts[0].windows.front(), win(0, 10));
  EXPECT_EQ(step.metrics.error_elements, 4U);
  EXPECT_EQ(step.metrics.elements_out, 3U);
}

TEST(map, keeps_the_selection_of_a_batch_in_which_elements_fail) {
  pipeline p{"p"};
  auto [good, bad] = input_of<int>(p)
                     | map(
                         "odd",
                         [](const int& x) {
                           if (x % 2 == 0) throw std::runtime_error("even");
                           return x;
                         },
                         with_errors);
  one_step step(good);
  auto& out = step.output<int>(0);
  auto& errors = step.output<failed<int>>(1);
  rows<int> in{{1, 2, 3, 4, 5, 6}, {}, {}, {}};
  batch<int> b = in.as_batch();
  const std::uint16_t chosen[] = {0, 1, 4, 5};
  b.selected = chosen;
  b.count = 4;
  step.feed(b);
  EXPECT_THAT(out.values, ElementsAre(1, 5));
  EXPECT_EQ(errors.values.size(), 2U);
  EXPECT_EQ(errors.values[1].element, 6);
}

TEST(map, does_not_retry_or_swallow_a_broken_invariant) {
  pipeline p{"p"};
  int calls = 0;
  auto [good, bad] = input_of<int>(p)
                     | map(
                         "m",
                         [&](const int& x) {
                           ++calls;
                           check(false, "never");
                           return x;
                         },
                         with_errors);
  one_step step(good);
  step.output<int>(0);
  auto& errors = step.output<failed<int>>(1);
  EXPECT_THROW(step.feed(rows<int>{{1}, {}, {}, {}}), broken_invariant);
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(errors.values, IsEmpty());
}

TEST(map, gives_a_lambda_the_metrics_of_its_step) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | map("m", [](const int& x, metric_board& metrics) {
                  metrics.counter("seen") += x;
                  return x;
                }));
  step.output<int>();
  step.feed(rows<int>{{1, 2, 3}, {}, {}, {}});
  EXPECT_EQ(step.metrics.counter("seen"), 6);
}

TEST(map, describes_itself_by_its_types) {
  pipeline p{"p"};
  const auto out = input_of<std::string>(p) | map("m", [](const std::string& s) { return static_cast<int>(s.size()); });
  EXPECT_EQ(p.description().at(1).spec->describe(), "map string -> int32");
  EXPECT_EQ(p.description().at(1).path, "m");
  EXPECT_EQ(p.description().collection_at(out.id()).producer, 1U);
}

}  // namespace
}  // namespace millrace::testing::map_test
