#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/to_string.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::testing::to_string_test {
namespace {

TEST(to_string, gives_elements_as_text) {
  pipeline p{"p"};
  expectations e;
  e.that("numbers", p | create("in", {-7, 0, 42}) | to_string("text")).contains_in_any_order({"-7", "0", "42"});
  e.that("floats", p | create("doubles", {0.1, 1e300}) | to_string("short")).contains_in_any_order({"0.1", "1e+300"});
  e.that("bools", p | create("flags", {true, false}) | to_string("flag text")).contains_in_any_order({"true", "false"});
  e.that("same", p | create("words", {"a b"}) | to_string("word text")).contains_in_any_order({"a b"});
  run_direct(p);
  e.verify();
}

TEST(to_string, joins_key_and_value_14) {
  pipeline p{"p"};
  const auto pairs = p | create("in", {kv<std::string, int>{"k", 1}});
  expectations e;
  e.that("comma", pairs | kvs_to_string("text")).contains_in_any_order({"k,1"});
  e.that("arrow", pairs | kvs_to_string("with arrow", " -> ")).contains_in_any_order({"k -> 1"});
  run_direct(p);
  e.verify();
}

TEST(to_string, joins_the_parts_of_iterables_14) {
  pipeline p{"p"};
  const auto lists = p | create("in", std::vector<std::vector<int>>{{1, 2, 3}, {}, {4}});
  expectations e;
  e.that("comma", lists | iterables_to_string("text")).contains_in_any_order({"1,2,3", "", "4"});
  e.that("none", lists | iterables_to_string("together", "")).contains_in_any_order({"123", "", "4"});
  run_direct(p);
  e.verify();
}

TEST(swap, exchanges_keys_and_values) {
  pipeline p{"p"};
  using swapped = kv<int, std::string>;
  expectations e;
  e.that("swapped", p | create("in", {kv<std::string, int>{"k", 1}}) | swap("swap"))
      .contains_in_any_order({swapped{1, "k"}});
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::testing::to_string_test
