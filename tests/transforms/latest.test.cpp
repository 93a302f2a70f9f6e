#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/latest.hpp>
#include <millrace/transforms/sources/create.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace millrace::testing::latest_test {
namespace {

using timed = timestamped_value<std::string>;

TEST(latest, takes_the_greatest_encoding_of_those_at_one_time_in_every_order_14_6) {
  std::vector<int> order{0, 1, 2};
  do {
    const std::vector<timed> all{{"a", timestamp{1}}, {"b", timestamp{3}}, {"c", timestamp{3}}};
    std::vector<timed> values;
    for (const int i : order) values.push_back(all[static_cast<std::size_t>(i)]);
    pipeline p{"p"};
    expectations e;
    e.that("latest", p | create_timestamped("in", values) | latest_globally("latest of all"))
        .contains_in_any_order({"c"});
    run_direct(p);
    e.verify();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(latest, looks_at_each_key_by_itself) {
  using row = kv<std::string, int>;
  pipeline p{"p"};
  expectations e;
  e.that("latest", p
                       | create_timestamped<row>("in", {{row{"a", 1}, timestamp{9}},
                                                        {row{"a", 2}, timestamp{4}},
                                                        {row{"b", 3}, timestamp{-5}},
                                                        {row{"b", 4}, timestamp{-6}}})
                       | latest_per_key("latest of key"))
      .contains_in_any_order({row{"a", 1}, row{"b", 3}});
  run_direct(p);
  e.verify();
}

TEST(latest, gives_nothing_for_nothing) {
  pipeline p{"p"};
  expectations e;
  e.that("latest", p | create<int>("in", {}) | latest_globally("latest of all")).is_empty();
  run_direct(p);
  e.verify();
}

}  // namespace
}  // namespace millrace::testing::latest_test
