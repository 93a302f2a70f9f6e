#include <millrace/actors/transform_names.hpp>

#include <gmock/gmock.h>

#include <stdexcept>

namespace millrace::transform_names_test {
namespace {

using ::testing::HasSubstr;

TEST(transform_names, are_read_from_an_object_of_strings) {
  const name_mapping names = transform_names_from(R"({"count": "total", "old/steps": ""})");
  EXPECT_EQ(names.renamed("count"), "total");
  EXPECT_EQ(names.renamed("old/steps/read"), std::nullopt);
  EXPECT_EQ(transform_names_from("").renamed("count"), "count");
}

TEST(transform_names, says_what_is_expected_of_its_text) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      static_cast<void>(transform_names_from(text));
      return {};
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  EXPECT_THAT(refusal("count=total"), HasSubstr("JSON object"));
  EXPECT_THAT(refusal(R"(["count"])"), HasSubstr("no object"));
  EXPECT_THAT(refusal(R"({"count": 3})"), HasSubstr("\"count\" is no string"));
  EXPECT_THAT(refusal(R"({"": "a"})"), HasSubstr("empty"));
}

}  // namespace
}  // namespace millrace::transform_names_test
