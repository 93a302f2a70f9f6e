#include "one_step.hpp"

#include <millrace/transforms/flat_map.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::testing::flat_map_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;

void letters(const std::string& s, emitter<char>& out) {
  for (const char c : s) out(c);
}

TEST(flat_map, gives_each_output_the_stamp_of_its_element) {
  pipeline p{"p"};
  one_step step(input_of<std::string>(p) | flat_map("letters", letters));
  auto& out = step.output<char>();
  step.feed(rows<std::string>{{"ab", "", "c"}, {at(1), at(2), at(3)}, {win(0, 10), {}}, {}});
  EXPECT_THAT(out.values, ElementsAre('a', 'b', 'c'));
  EXPECT_THAT(out.times, ElementsAre(at(1), at(1), at(3)));
  EXPECT_EQ(out.contexts[2].windows.front(), win(0, 10));
  EXPECT_EQ(step.metrics.elements_in, 3U);
  EXPECT_EQ(step.metrics.elements_out, 3U);
}

TEST(flat_map, keeps_the_codes_of_different_contexts) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | flat_map("twice", [](const int& x, emitter<int>& out) {
                  out(x);
                  out(-x);
                }));
  auto& out = step.output<int>();
  const context contexts[] = {{win(0, 10), {}}, {win(10, 20), {}}};
  const std::uint8_t codes[] = {1, 0};
  const int values[] = {5, 6};
  const stamps at_both{nullptr, at(3), at(3), codes, contexts};
  step.feed(batch<int>{values, sizeof(int), 2, nullptr, &at_both});
  EXPECT_THAT(out.values, ElementsAre(5, -5, 6, -6));
  EXPECT_EQ(out.contexts[1].windows.front(), win(10, 20));
  EXPECT_EQ(out.contexts[2].windows.front(), win(0, 10));
}

TEST(flat_map, accepts_a_function_that_returns_a_range) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | flat_map("count down", [](const int& n) {
                  return std::vector<std::string>(static_cast<std::size_t>(n), "x");
                }));
  auto& out = step.output<std::string>();
  step.feed(rows<int>{{2, 0, 1}, {}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre("x", "x", "x"));
}

TEST(flat_map, takes_a_generic_function_when_the_output_is_named) {
  pipeline p{"p"};
  one_step step(input_of<int>(p)
                | flat_map<std::string>("text", [](const auto& x, auto& out) { out(std::to_string(x)); }));
  auto& out = step.output<std::string>();
  step.feed(rows<int>{{2, 3}, {}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre("2", "3"));
}

TEST(flat_map, needs_no_more_than_a_batch_of_memory_for_an_element_that_explodes) {
  pipeline p{"p"};
  one_step step(input_of<int>(p) | flat_map("up to", [](const int& n, emitter<int>& out) {
                  for (int i = 0; i < n; ++i) out(i);
                }));
  auto& out = step.output<int>();
  step.feed(rows<int>{{3, 2000}, {at(1), at(2)}, {}, {}});
  EXPECT_EQ(out.values.size(), 2003U);
  EXPECT_THAT(out.batches, Each(Le(batch_max)));
  std::vector<int> expected(2000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(std::vector<int>(out.values.begin() + 3, out.values.end()), expected);
  EXPECT_EQ(out.times[2], at(1));
  EXPECT_EQ(out.times[3], at(2));
}

TEST(flat_map, may_emit_views_of_the_text_of_its_element) {
  pipeline p{"p"};
  const auto halves =
      input_of<std::string>(p) | flat_map("halves", [](const std::string& s, emitter<std::string_view>& out) {
        const std::string_view text = s;
        out(text.substr(0, text.size() / 2));
        out(text.substr(text.size() / 2));
      });
  one_step step(halves);
  auto& out = step.output<std::string_view>();
  rows<std::string> in{{"abcd"}, {}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre("ab", "cd"));
  EXPECT_EQ(out.values[1].data(), in.values[0].data() + 2);
  EXPECT_EQ(p.description().at(1).spec->describe(), "flat_map string -> string");
}

TEST(flat_map, obeys_the_bound_on_batches) {
  pipeline p{"p"};
  one_step step(input_of<std::string>(p) | flat_map("letters", letters), 4, 1);
  auto& out = step.output<char>();
  step.feed(rows<std::string>{{"a", "b", "c"}, {}, {}, {}});
  EXPECT_THAT(out.batches, ElementsAre(1U, 1U, 1U));
}

TEST(flat_map, takes_the_outputs_of_a_failed_call_back) {
  pipeline p{"p"};
  int failures = 2;
  one_step step(input_of<int>(p) | flat_map("sometimes", [&](const int& x, emitter<std::string>& out) {
                  out(std::string(40, static_cast<char>('a' + x)));
                  if (x == 1 && failures-- > 0) throw std::runtime_error("not yet");
                  out("end");
                }));
  auto& out = step.output<std::string>();
  step.feed(rows<int>{{0, 1, 2}, {}, {}, {}});
  EXPECT_THAT(out.values,
              ElementsAre(std::string(40, 'a'), "end", std::string(40, 'b'), "end", std::string(40, 'c'), "end"));
}

TEST(flat_map, takes_outputs_back_across_the_end_of_a_batch) {
  pipeline p{"p"};
  int failures = 1;
  auto many = [&](const int& x, emitter<int>& out) {
    for (int i = 0; i < 400; ++i) out(1000 * x + i);
    if (x == 1 && failures-- > 0) throw std::runtime_error("not yet");
  };
  one_step step(input_of<int>(p) | flat_map("many", many));
  auto& out = step.output<int>();
  step.feed(rows<int>{{0, 1, 2}, {at(0), at(10), at(20)}, {}, {}});
  ASSERT_EQ(out.values.size(), 1200U);
  for (int i = 0; i < 1200; ++i) {
    EXPECT_EQ(out.values[static_cast<std::size_t>(i)], 1000 * (i / 400) + i % 400);
    EXPECT_EQ(out.times[static_cast<std::size_t>(i)], at(10 * (i / 400)));
  }
}

TEST(flat_map, does_not_call_again_what_has_left_in_part) {
  pipeline p{"p"};
  int calls = 0;
  auto [good, bad] = input_of<int>(p)
                     | flat_map(
                         "explode",
                         [&](const int&, emitter<int>& out) {
                           ++calls;
                           for (int i = 0; i < 1000; ++i) out(i);
                           throw std::runtime_error("too much");
                         },
                         with_errors);
  one_step step(good);
  step.output<int>(0);
  step.output<failed<int>>(1);
  EXPECT_THROW(step.feed(rows<int>{{1}, {}, {}, {}}), element_failure);
  EXPECT_EQ(calls, 1);
}

TEST(flat_map, lays_nothing_that_a_later_step_throws_to_its_own_function) {
  struct refusing final : receiver<int> {
    void accept(const batch<int>&) override { throw std::runtime_error("disk full"); }
  };
  pipeline p{"p"};
  int calls = 0;
  one_step step(input_of<int>(p) | flat_map("many", [&](const int&, emitter<int>& out) {
                  ++calls;
                  for (int i = 0; i < 600; ++i) out(i);
                }));
  refusing to;
  step.op->connect(0, static_cast<receiver<int>&>(to));
  try {
    step.feed(rows<int>{{1}, {}, {}, {}});
    FAIL();
  } catch (const element_failure&) {
    FAIL() << "the function did not fail";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "disk full");
  }
  EXPECT_EQ(calls, 1);
}

TEST(flat_map, sends_elements_that_fail_to_the_error_output) {
  pipeline p{"p"};
  auto [good, bad] = input_of<int>(p)
                     | flat_map(
                         "halves",
                         [](const int& x, emitter<int>& out) {
                           out(x / 2);
                           if (x % 2 != 0) throw std::runtime_error("odd");
                           out(x / 2);
                         },
                         with_errors);
  one_step step(good);
  auto& out = step.output<int>(0);
  auto& errors = step.output<failed<int>>(1);
  step.feed(rows<int>{{2, 3, 4}, {}, {}, {}});
  EXPECT_THAT(out.values, ElementsAre(1, 1, 2, 2));
  ASSERT_EQ(errors.values.size(), 1U);
  EXPECT_EQ(errors.values[0], (failed<int>{3, "halves", "odd", 4}));
}

}  // namespace
}  // namespace millrace::testing::flat_map_test
