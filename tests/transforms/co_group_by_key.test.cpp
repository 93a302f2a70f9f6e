#include "operators/keyed_step.hpp"

#include <millrace/transforms/co_group_by_key.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace millrace::testing::co_group_by_key_test {
namespace {

using namespace std::chrono_literals;
using row = kv<std::string, std::string>;
using amount = kv<std::string, std::int64_t>;

windowing_strategy fixed_ten() {
  windowing_strategy s;
  s.into = fixed(duration{10});
  return s;
}

TEST(co_group_by_key, sorts_values_by_their_collection_7_4) {
  pipeline p{"p"};
  const auto a = p | test_stream<amount>("a").add_at(timestamp{1}, {{"k", 1}}).advance_watermark_to_infinity()
                 | window_into("ten a", {.into = fixed(10ms)});
  const auto b = p
                 | test_stream<row>("b").add_at(timestamp{2}, {{"k", "x"}, {"j", "y"}}).advance_watermark_to_infinity()
                 | window_into("ten b", {.into = fixed(10ms)});
  using joined = kv<std::string, std::tuple<std::vector<std::int64_t>, std::vector<std::string>>>;
  expectations e;
  e.that("joined", co_group_by_key("join", a, b))
      .in_window({timestamp{0}, timestamp{10}})
      .contains_in_any_order({joined{"k", {{1}, {"x"}}}, joined{"j", {{}, {"y"}}}});
  run_direct(p);
  e.verify();
}

TEST(co_group_by_key, tells_collections_of_one_type_apart) {
  using twice = std::variant<std::int64_t, std::int64_t>;
  const auto same = detail::sorted_out<std::int64_t, std::int64_t>(
      {twice{std::in_place_index<1>, 2}, twice{std::in_place_index<0>, 1}, twice{std::in_place_index<1>, 3}});
  EXPECT_EQ(std::get<0>(same), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(std::get<1>(same), (std::vector<std::int64_t>{2, 3}));
}

TEST(co_group_by_key, refuses_inputs_that_are_windowed_differently) {
  pipeline p{"p"};
  windowing_strategy twenty = fixed_ten();
  twenty.into = fixed(duration{20});
  const auto a = keyed_input<row>(p, fixed_ten());
  const auto b = keyed_input<row>(p, twenty);
  EXPECT_THROW(static_cast<void>(co_group_by_key("join", a, b)), pipeline_error);
}

TEST(co_group_by_key, names_its_steps_inside_its_own_name) {
  pipeline p{"p"};
  const auto a = keyed_input<row>(p, fixed_ten());
  const auto joined = co_group_by_key("join", a, a, a);
  const graph& g = p.description();
  EXPECT_EQ(g.at(g.collection_at(joined.id()).producer).path, "join/sort out");
}

TEST(distinct, gives_each_element_of_a_window_once_14_4) {
  pipeline p{"p"};
  const auto in =
      p
      | test_stream<std::string>("in")
            .add({{"x", timestamp{1}}})
            .add({{"x", timestamp{2}}})
            .add({{"y", timestamp{3}}})
            .advance_watermark_to_infinity()
      | window_into("ten",
                    {.into = fixed(10ms), .fire = each_element{}, .keep = panes::discarding, .allowed_lateness = 0ms});
  expectations e;
  e.that("once", in | distinct("distinct")).contains_in_any_order({"x", "y"});
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::testing::co_group_by_key_test
