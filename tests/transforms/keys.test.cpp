#include "one_step.hpp"

#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/reshuffle.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace millrace::testing::keys_test {
namespace {

using ::testing::ElementsAre;

struct click {
  std::string user;
  int page = 0;
  friend bool operator==(const click&, const click&) = default;
};
using row = kv<std::string, int>;

TEST(with_keys, takes_a_member_as_the_key) {
  pipeline p{"p"};
  one_step step(input_of<click>(p) | with_keys("by user", &click::user));
  auto& out = step.output<kv<std::string, click>>();
  step.feed(rows<click>{{{"ann", 1}, {"bob", 2}}, {at(1), at(2)}, {}, {}});
  ASSERT_EQ(out.values.size(), 2U);
  EXPECT_EQ(out.values[1], (kv<std::string, click>{"bob", {"bob", 2}}));
  EXPECT_THAT(out.times, ElementsAre(at(1), at(2)));
}

TEST(with_keys, takes_a_function_as_the_key) {
  pipeline p{"p"};
  one_step step(input_of<click>(p) | with_keys("by parity", [](const click& c) { return c.page % 2; }));
  auto& out = step.output<kv<int, click>>();
  step.feed(rows<click>{{{"ann", 3}}, {}, {}, {}});
  EXPECT_EQ(out.values[0].key, 1);
}

TEST(keys, gives_keys_in_place) {
  pipeline p{"p"};
  one_step step(input_of<row>(p) | keys("k"));
  auto& out = step.output<std::string>();
  rows<row> in{{{"a", 1}, {"b", 2}}, {}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre("a", "b"));
  EXPECT_EQ(out.addresses[1], &in.values[1].key);
}

TEST(values, gives_values_in_place) {
  pipeline p{"p"};
  one_step step(input_of<row>(p) | values("v"));
  auto& out = step.output<int>();
  rows<row> in{{{"a", 1}, {"b", 2}}, {}, {}, {}};
  step.feed(in.as_batch());
  EXPECT_THAT(out.values, ElementsAre(1, 2));
  EXPECT_EQ(out.addresses[1], &in.values[1].value);
}

TEST(swap, makes_values_keys) {
  pipeline p{"p"};
  one_step step(input_of<row>(p) | millrace::swap("s"));
  auto& out = step.output<kv<int, std::string>>();
  step.feed(rows<row>{{{"a", 1}}, {}, {}, {}});
  EXPECT_EQ(out.values[0], (kv<int, std::string>{1, "a"}));
}

TEST(reshuffle, is_planned_as_an_edge_and_keeps_the_windowing) {
  pipeline p{"p"};
  const auto out = input_of<int>(p, "in", false) | reshuffle("r");
  EXPECT_EQ(p.description().at(1).spec->kind(), operator_kind::reshuffle);
  EXPECT_EQ(p.description().at(1).spec->describe(), "reshuffle int32");
  EXPECT_FALSE(out.bounded());
}

}  // namespace
}  // namespace millrace::testing::keys_test
