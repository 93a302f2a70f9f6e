#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/transforms/co_group_by_key.hpp>
#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flat_map.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/timestamps.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Programs that bring several collections together.
namespace millrace::programs::joins_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;

template <class Key, class... Values>
kv<Key, std::tuple<std::vector<Values>...>> sorted_lists(const kv<Key, std::tuple<std::vector<Values>...>>& group) {
  auto copy = group;
  std::apply([](auto&... lists) { (std::ranges::sort(lists), ...); }, copy.value);
  return copy;
}

void customer_files(pipeline& p, outputs& out) {
  const auto customers = p | create("customers", input_pairs("customers.csv"));
  const auto complaints = p | create("complaints", input_pairs("complaints.csv"));
  const auto large = p | create("orders", orders()) | filter("large", [](const order& o) { return o.cents > 3500; })
                     | map("ids", [](const order& o) { return kv<text, number>{o.customer, o.id}; });
  out.show("file", co_group_by_key("by customer", customers, large, complaints)
                       | map("sort", sorted_lists<text, text, number, text>));
  out.show("complaint", co_group_by_key("complained", customers, complaints) | filter("known", [](const auto& f) {
                          return !std::get<0>(f.value).empty();
                        }) | map("number of complaints", [](const auto& f) {
                          return kv<text, number>{f.key, std::ssize(std::get<1>(f.value))};
                        }));
}

void minute_join(pipeline& p, outputs& out) {
  const auto timed = p | create("orders", orders())
                     | with_timestamps("times", [](const order& o) { return timestamp{o.time}; })
                     | window_into("minutes", {.into = fixed(2min)});
  const auto of_region = [&](const text& region) {
    return timed | filter("in " + region, [region](const order& o) { return o.region == region; })
           | map("cents in " + region, [](const order& o) { return kv<text, number>{o.product, o.cents}; })
           | combine_per_key("revenue in " + region, sum);
  };
  out.show("joined", co_group_by_key("join", of_region("eu"), of_region("us")));
}

void converted(pipeline& p, outputs& out) {
  const auto rates =
      p | create("rates", input_pairs("rates.csv"))
      | map("percent", [](const kv<text, text>& r) { return kv<text, number>{r.key, std::stoll(r.value)}; })
      | as_map("rates by region");
  const auto all = p | create("orders", orders());
  const auto dearest = all | map("cents", &order::cents) | combine_globally("greatest", max) | as_singleton("dearest");
  using rate_map = std::map<text, number>;
  out.show("euros", all
                        | map(
                            "convert",
                            [](const order& o, const rate_map& rate) {
                              return kv<text, number>{o.region, o.cents * rate.at(o.region)};
                            },
                            with(rates))
                        | combine_per_key("sum of cents", sum));
  out.show("near the top", all
                               | filter(
                                   "at least three quarters",
                                   [](const order& o, number most) { return o.cents * 4 >= most * 3; }, with(dearest))
                               | map("id", &order::id));
}

void shares(pipeline& p, outputs& out) {
  const auto timed = p | create_timestamped("orders", timed_orders()) | window_into("windows", {.into = fixed(2min)});
  const auto total = timed | count_globally("orders in window", without_defaults) | as_singleton("total");
  const auto by_region =
      timed | combine_per_key("revenue", by(&order::region), of(&order::cents), sum) | as_map("revenue by region");
  out.show("share", timed | map("product", &order::product) | count_per_element("count of products")
                        | map(
                            "of all",
                            [](const kv<text, std::uint64_t>& c, std::uint64_t all) {
                              return kv<text, text>{c.key, std::to_string(c.value) + " of " + std::to_string(all)};
                            },
                            with(total)));
  out.show("part", timed
                       | flat_map(
                           "large part of its region",
                           [](const order& o, const std::map<text, number>& revenue, emitter<number>& emit) {
                             if (o.cents * 3 > revenue.at(o.region)) emit(o.id);
                           },
                           with(by_region)));
}

// A collection flattened with itself and with parts of itself: a diamond in the graph.
void diamond(pipeline& p, outputs& out) {
  const auto all = p | create("orders", orders());
  const auto dear = all | filter("dear", [](const order& o) { return o.cents >= 4000; });
  const auto cheap = all | filter("cheap", [](const order& o) { return o.cents < 500; }) | reshuffle("spread");
  out.show("weight", flatten("all of them", all, dear, cheap, all) | with_keys("by product", &order::product)
                         | count_per_key("count"));
  out.show("regions", flatten("two", dear, cheap) | map("region", &order::region) | count_per_element("count regions"));
}

// Looks up rates for windows of ten minutes from windows of two.
class looks_up {
 public:
  using output = kv<text, number>;
  void process(const order& o, const std::map<text, number>& most, number offset, emitter<output>& out) {
    if (o.cents == most.at(o.product)) out(output{o.product, o.id + offset});
  }
};

void dearest_of_product(pipeline& p, outputs& out) {
  const auto timed = p | create_timestamped("orders", timed_orders());
  const auto wide = timed | window_into("five minutes", {.into = fixed(5min)})
                    | combine_per_key("dearest", by(&order::product), of(&order::cents), max)
                    | as_map("dearest by product");
  const auto offset = p | create("offset", {number{1000}}) | as_singleton("offset view");
  out.show("dearest",
           timed | window_into("minutes", {.into = fixed(1min)}) | par_do("look up", looks_up{}, with(wide, offset)));
}

TEST(free_running, customer_files) {
  check_free_running({"customer_files", customer_files});
}
TEST(free_running, minute_join) {
  check_free_running({"minute_join", minute_join});
}
TEST(free_running, converted) {
  check_free_running({"converted", converted});
}
TEST(free_running, shares) {
  check_free_running({"shares", shares});
}
TEST(free_running, diamond) {
  check_free_running({"diamond", diamond});
}
TEST(free_running, dearest_of_product) {
  check_free_running({"dearest_of_product", dearest_of_product});
}

TEST(with_kills, shares) {
  check_with_kills({"shares", shares});
}

}  // namespace
}  // namespace millrace::programs::joins_test
