#include <millrace/transforms/operators/failure.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace millrace::failure_test {
namespace {

struct inner {
  int a = 0;
  std::string b;
};
struct outer {
  inner in;
  std::optional<double> weight;
  std::vector<int> all;
};
class opaque {
 public:
  explicit opaque(int x) : x_(x) {}
  [[nodiscard]] int x() const { return x_; }

 private:
  int x_;
};

TEST(describe_element, quotes_and_escapes_text) {
  EXPECT_EQ(describe_element(std::string("a\"b\\c\n\x01")), R"("a\"b\\c\n\x01")");
}

TEST(describe_element, cuts_long_text_at_a_whole_character) {
  EXPECT_EQ(describe_element(std::string(250, 'x')), "\"" + std::string(200, 'x') + "...\"");
  std::string cut_inside(199, 'x');
  cut_inside.append("\u00fcyz");
  EXPECT_EQ(describe_element(cut_inside), "\"" + std::string(199, 'x') + "...\"");
}

TEST(describe_element, shows_numbers_pairs_and_structs_by_their_fields) {
  EXPECT_EQ(describe_element(-5), "-5");
  EXPECT_EQ(describe_element(0.1), "0.1");
  EXPECT_EQ(describe_element(true), "true");
  EXPECT_EQ(describe_element(kv<std::string, int>{"k", 2}), R"(("k", 2))");
  EXPECT_EQ(describe_element(outer{{1, "x"}, std::nullopt, {1, 2}}), R"({{1, "x"}, none, [1, 2]})");
  EXPECT_EQ(describe_element(std::variant<int, std::string>{"v"}), "\"v\"");
}

TEST(describe_element, ends_long_ranges_early) {
  const std::string text = describe_element(std::vector<int>(1000, 7));
  EXPECT_LT(text.size(), 220U);
  EXPECT_THAT(text, ::testing::EndsWith(", ...]"));
}

TEST(describe_element, names_the_type_of_what_it_cannot_take_apart) {
  EXPECT_THAT(describe_element(opaque{1}), ::testing::HasSubstr("opaque"));
}

}  // namespace
}  // namespace millrace::failure_test
