#include <millrace/transforms/update/name_mapping.hpp>

#include <gtest/gtest.h>

namespace millrace::name_mapping_test {
namespace {

TEST(name_mapping, renames_transforms_and_all_that_is_in_a_composite) {
  const auto names = name_mapping{{{"count", "total"}, {"old", "new"}, {"old/kept", "old/kept"}, {"gone", ""}}};
  EXPECT_EQ(names.renamed("count"), "total");
  EXPECT_EQ(names.renamed("counter"), "counter");
  EXPECT_EQ(names.renamed("old/a/b"), "new/a/b");
  EXPECT_EQ(names.renamed("old"), "new");
  EXPECT_EQ(names.renamed("old/kept"), "old/kept") << "the longest name counts";
  EXPECT_EQ(names.renamed("older"), "older");
  EXPECT_EQ(names.renamed("gone/inside"), std::nullopt);
  EXPECT_EQ(names.renamed("other"), "other");
  EXPECT_EQ(name_mapping().renamed("count"), "count");
}

}  // namespace
}  // namespace millrace::name_mapping_test
