#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/holds.hpp>

#include <gtest/gtest.h>

namespace millrace::holds_test {
namespace {

TEST(holds, stand_nowhere_at_first) {
  EXPECT_TRUE(holds{}.empty());
  EXPECT_EQ(holds{}.least(), timestamp::max());
}

TEST(holds, keep_the_least_until_its_last_owner_lets_go) {
  holds all;
  all.add(timestamp{7});
  all.add(timestamp{3});
  all.add(timestamp{3});
  EXPECT_EQ(all.least(), timestamp{3});
  all.remove(timestamp{3});
  EXPECT_EQ(all.least(), timestamp{3});
  all.remove(timestamp{3});
  EXPECT_EQ(all.least(), timestamp{7});
}

TEST(holds, refuse_to_remove_what_does_not_stand) {
  holds all;
  all.add(timestamp{3});
  EXPECT_THROW(all.remove(timestamp{4}), broken_invariant);
}

}  // namespace
}  // namespace millrace::holds_test
