#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/recording.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

namespace millrace::create_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(create, gives_its_values_in_order_at_the_least_timestamp) {
  pipeline p("test");
  recording<std::string> found;
  const auto words = p | create("words", {"to", "be"});
  EXPECT_TRUE(words.bounded());
  words | collect("collect", found);
  run_direct(p);
  EXPECT_THAT(found.rows(), ElementsAre(recorded<std::string>{"to", {}}, recorded<std::string>{"be", {}}));
}

TEST(create, takes_any_range_and_an_explicit_type) {
  pipeline p("test");
  recording<int> numbers;
  recording<std::int64_t> wide;
  recording<int> none;
  recording<kv<std::string, int>> pairs;
  p | create("list", std::list<int>{3, 1}) | collect("numbers", numbers);
  p | create<std::int64_t>("wide", std::vector<int>{4}) | collect("collect wide", wide);
  p | create<int>("none", {}) | collect("collect none", none);
  p | create<kv<std::string, int>>("pairs", {{"a", 1}}) | collect("collect pairs", pairs);
  run_direct(p);
  EXPECT_THAT(numbers.values(), ElementsAre(3, 1));
  EXPECT_THAT(wide.values(), ElementsAre(4));
  EXPECT_THAT(none.values(), IsEmpty());
  EXPECT_THAT(pairs.values(), ElementsAre(kv<std::string, int>{"a", 1}));
  EXPECT_TRUE(none.outcome().completed());
}

TEST(create, gives_values_their_times) {
  pipeline p("test");
  recording<std::string> found;
  p | create_timestamped<std::string>("words", {{"late", timestamp{7}}, {"early", timestamp{3}}}) | collect("c", found);
  run_direct(p);
  EXPECT_THAT(found.rows(), ElementsAre(recorded<std::string>{"late", {timestamp{7}, window::global(), {}}},
                                        recorded<std::string>{"early", {timestamp{3}, window::global(), {}}}));
}

TEST(create, divides_its_values_evenly) {
  const value_source<int> five({1, 2, 3, 4, 5}, {});
  EXPECT_THAT(five.splits(2), ElementsAre(value_range{0, 3}, value_range{3, 5}));
  EXPECT_EQ(five.splits(9).size(), 5U);
  EXPECT_THAT(value_source<int>({}, {}).splits(3), IsEmpty());
}

TEST(create, describes_what_it_holds) {
  const auto text = [](std::vector<int> v, std::vector<timestamp> t) {
    return value_source<int>(std::move(v), std::move(t)).describe();
  };
  EXPECT_EQ(text({1, 2}, {}), text({1, 2}, {}));
  EXPECT_NE(text({1, 2}, {}), text({2, 1}, {}));
  EXPECT_NE(text({1}, {timestamp{1}}), text({1}, {timestamp{2}}));
}

}  // namespace
}  // namespace millrace::create_test
