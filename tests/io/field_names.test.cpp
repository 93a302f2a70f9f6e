#include <millrace/io/field_names.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millrace::field_names_test {

struct inner {
  int first;
};

struct outer {
  inner nested;
  std::optional<double> maybe_;
  std::vector<std::map<std::string, int>> many;
  bool f1;
  std::string Ünicode2;
  int (*function)(int);
  inner inner::* member;
};

struct empty {};

template <class T>
struct wrapped {
  T value;
  std::unique_ptr<T> owned;
};

struct wide {
  int a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24;
};

}  // namespace millrace::field_names_test

namespace millrace::field_names_test {
namespace {

using ::testing::ElementsAre;

struct hidden {
  int only;
};

TEST(field_names, are_those_of_the_declaration_in_its_order) {
  EXPECT_THAT(field_names<field_names_test::outer>,
              ElementsAre("nested", "maybe_", "many", "f1", "Ünicode2", "function", "member"));
}

TEST(field_names, work_for_types_without_external_linkage) {
  struct local {
    int here;
    hidden there;
  };
  EXPECT_THAT(field_names<hidden>, ElementsAre("only"));
  EXPECT_THAT(field_names<local>, ElementsAre("here", "there"));
}

TEST(field_names, work_for_templates) {
  EXPECT_THAT((field_names<field_names_test::wrapped<std::string>>), ElementsAre("value", "owned"));
  EXPECT_THAT((field_names<field_names_test::wrapped<field_names_test::wrapped<int>>>), ElementsAre("value", "owned"));
}

TEST(field_names, are_none_for_an_empty_struct) {
  EXPECT_THAT(field_names<field_names_test::empty>, ElementsAre());
}

TEST(field_names, work_up_to_the_most_fields) {
  EXPECT_EQ(field_names<field_names_test::wide>.front(), "a1");
  EXPECT_EQ(field_names<field_names_test::wide>.back(), "a24");
}

}  // namespace
}  // namespace millrace::field_names_test
