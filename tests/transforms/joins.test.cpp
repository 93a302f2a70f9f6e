#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/joins.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace millrace::testing::joins_test {
namespace {

using name = kv<std::string, std::string>;
using amount = kv<std::string, std::int64_t>;

// Keys a: two by two; b: left alone; c: right alone.
struct two_sides {
  pipeline p{"p"};
  pcollection<name> left = p | create("left", {name{"a", "x"}, name{"a", "y"}, name{"b", "z"}});
  pcollection<amount> right = p | create("right", {amount{"a", 1}, amount{"a", 2}, amount{"c", 3}});
  expectations e;
};

TEST(joins, inner_gives_all_pairs_of_a_key) {
  two_sides s;
  using row = kv<std::string, joined<std::string, std::int64_t>>;
  s.e.that("rows", inner_join("join", s.left, s.right))
      .contains_in_any_order({row{"a", {"x", 1}}, row{"a", {"x", 2}}, row{"a", {"y", 1}}, row{"a", {"y", 2}}});
  run_direct(s.p);
  s.e.verify();
}

TEST(joins, left_outer_keeps_what_the_right_lacks) {
  two_sides s;
  using row = kv<std::string, joined<std::string, std::optional<std::int64_t>>>;
  s.e.that("rows", left_outer_join("join", s.left, s.right))
      .contains_in_any_order({row{"a", {"x", 1}}, row{"a", {"x", 2}}, row{"a", {"y", 1}}, row{"a", {"y", 2}},
                              row{"b", {"z", std::nullopt}}});
  run_direct(s.p);
  s.e.verify();
}

TEST(joins, right_outer_keeps_what_the_left_lacks) {
  two_sides s;
  using row = kv<std::string, joined<std::optional<std::string>, std::int64_t>>;
  s.e.that("rows", right_outer_join("join", s.left, s.right))
      .contains_in_any_order({row{"a", {"x", 1}}, row{"a", {"x", 2}}, row{"a", {"y", 1}}, row{"a", {"y", 2}},
                              row{"c", {std::nullopt, 3}}});
  run_direct(s.p);
  s.e.verify();
}

TEST(joins, full_outer_keeps_both) {
  two_sides s;
  using row = kv<std::string, joined<std::optional<std::string>, std::optional<std::int64_t>>>;
  s.e.that("rows", full_outer_join("join", s.left, s.right))
      .contains_in_any_order({row{"a", {"x", 1}}, row{"a", {"x", 2}}, row{"a", {"y", 1}}, row{"a", {"y", 2}},
                              row{"b", {"z", std::nullopt}}, row{"c", {std::nullopt, 3}}});
  run_direct(s.p);
  s.e.verify();
}

TEST(joins, values_meet_only_in_their_window) {
  pipeline p{"p"};
  using namespace std::chrono_literals;
  const auto of = [&](const char* step, std::initializer_list<timestamped_value<amount>> values) {
    return p | create_timestamped<amount>(step, values)
           | window_into(std::string(step) + " ten", {.into = fixed(10ms)});
  };
  const auto left = of("left", {{amount{"a", 1}, timestamp{1}}, {amount{"a", 2}, timestamp{11}}});
  const auto right = of("right", {{amount{"a", 10}, timestamp{9}}, {amount{"a", 20}, timestamp{10}}});
  using row = kv<std::string, joined<std::int64_t, std::int64_t>>;
  const auto rows = inner_join("join", left, right);
  expectations e;
  e.that("first", rows).in_window({timestamp{0}, timestamp{10}}).contains_in_any_order({row{"a", {1, 10}}});
  e.that("second", rows).in_window({timestamp{10}, timestamp{20}}).contains_in_any_order({row{"a", {2, 20}}});
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::testing::joins_test
