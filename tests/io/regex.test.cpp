#include <millrace/io/regex.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::testing::regex_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using texts = std::vector<std::string>;

struct words {
  pipeline p{"p"};
  pcollection<std::string> in;
  expectations e;
  explicit words(const texts& all) : in(p | create("in", all)) {}
  void check() {
    run_direct(p);
    e.verify();
  }
};

TEST(regex, matches_the_whole_text_and_finds_the_first_hit_14_5) {
  words w({"aab", "xaab"});
  w.e.that("matches", w.in | regex_matches("m", "a+(b)", 1)).contains_in_any_order({"b"});
  w.e.that("finds", w.in | regex_find("f", "a+(b)", 1)).contains_in_any_order({"b", "b"});
  w.e.that("whole", w.in | regex_find("w", "a+b")).contains_in_any_order({"aab", "aab"});
  w.check();
}

TEST(regex, takes_groups_by_name) {
  words w({"k=v", "none"});
  using pair = kv<std::string, std::string>;
  w.e.that("value", w.in | regex_matches("v", "(?P<key>.*)=(?P<value>.*)", "value")).contains_in_any_order({"v"});
  w.e.that("pair", w.in | regex_matches_kv("kv", "(?P<key>.*)=(?P<value>.*)", "key", "value"))
      .contains_in_any_order({pair{"k", "v"}});
  w.e.that("found", w.in | regex_find_kv("fkv", "(.)=(.)", 2, 1)).contains_in_any_order({pair{"v", "k"}});
  w.check();
}

TEST(regex, gives_all_groups_of_a_match) {
  words w({"ab", "xab"});
  w.e.that("matches", w.in | regex_all_matches("m", "(a)(b)(c)?")).contains_in_any_order({texts{"ab", "a", "b", ""}});
  w.e.that("finds", w.in | regex_find_all("f", "(a)(b)"))
      .contains_in_any_order({texts{"ab", "a", "b"}, texts{"ab", "a", "b"}});
  w.check();
}

TEST(regex, replaces_all_or_the_first_match) {
  words w({"xj", "yj", "jj"});
  w.e.that("all", w.in | regex_replace_all("a", "[xyj]", "_")).contains_in_any_order({"__", "__", "__"});
  w.e.that("first", w.in | regex_replace_first("f", "j", "<\\0>")).contains_in_any_order({"x<j>", "y<j>", "<j>j"});
  w.check();
}

TEST(regex, splits_and_leaves_empty_parts_out_unless_asked) {
  words w({"The  quick, fox"});
  w.e.that("words", w.in | regex_split("s", "\\W")).contains_in_any_order({"The", "quick", "fox"});
  w.e.that("parts", w.in | regex_split("k", "\\W", empty_parts::kept))
      .contains_in_any_order({"The", "", "quick", "", "fox"});
  w.check();
}

TEST(regex, splits_at_no_empty_match) {
  const regex r("step", "x*");
  EXPECT_THAT(r.split("axxb"), ElementsAre("a", "b"));
  EXPECT_THAT(r.split(""), ElementsAre(""));
  EXPECT_THAT(r.split("xx"), ElementsAre("", ""));
}

template <class Transform>
std::string refusal_of(const Transform& t) {
  pipeline p{"p"};
  const auto in = p | create("in", {"a"});
  try {
    static_cast<void>(in | t);
  } catch (const pipeline_error& fault) {
    return fault.what();
  }
  return {};
}

TEST(regex, names_the_step_with_a_wrong_pattern_group_or_replacement) {
  EXPECT_THAT(refusal_of(regex_find("step", "a(")), HasSubstr("\"step\": the pattern \"a(\" is no regular expression"));
  EXPECT_THAT(refusal_of(regex_find("step", "(a)", 2)), HasSubstr("has no group 2; its groups are 0 to 1"));
  EXPECT_THAT(refusal_of(regex_find("step", "(a)", "b")), HasSubstr("has no group named \"b\""));
  EXPECT_THAT(refusal_of(regex_replace_all("step", "(a)", "\\2")), HasSubstr("the replacement \"\\2\" does not fit"));
}

}  // namespace
}  // namespace millrace::testing::regex_test
