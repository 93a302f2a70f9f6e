#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/flatten.hpp>
#include <millrace/transforms/group_by_key.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/reshuffle.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/top.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Programs of aggregations over a bounded input in the global window.
namespace millrace::programs::aggregates_test {
namespace {

using text = std::string;
using number = std::int64_t;
using amount = kv<number, number>;  // cents, id

void revenue_per_region(pipeline& p, outputs& out) {
  const auto revenue = [](const pcollection<order>& in) {
    return in | filter("paid", [](const order& o) { return o.cents > 0; }) | with_keys("by region", &order::region)
           | map("cents", [](const kv<text, order>& o) { return kv<text, number>{o.key, o.value.cents}; })
           | combine_per_key("sum", sum);
  };
  out.show("revenue", p | create("orders", orders()) | composite("revenue", revenue));
}

void region_statistics(pipeline& p, outputs& out) {
  const auto all = p | create("orders", orders());
  out.show("count", all | combine_per_key("count of cents", by(&order::region), of(&order::cents), count));
  out.show("min", all | combine_per_key("min of cents", by(&order::region), of(&order::cents), min));
  out.show("max", all | combine_per_key("max of cents", by(&order::region), of(&order::cents), max));
  out.show("mean", all | combine_per_key("mean of cents", by(&order::region), of(&order::cents), mean));
}

void grand_totals(pipeline& p, outputs& out) {
  const auto cents = p | create("orders", orders()) | map("cents", &order::cents);
  out.show("sum", cents | combine_globally("all sum", sum));
  out.show("count", cents | combine_globally("all count", count));
  out.show("min", cents | combine_globally("all min", min));
  out.show("max", cents | combine_globally("all max", max, without_defaults));
  out.show("mean", cents | combine_globally("all mean", mean));
  out.show("top", cents | top_globally("all top", 4));
}

void top_orders(pipeline& p, outputs& out) {
  const auto amounts = p | create("orders", orders())
                       | map("amount", [](const order& o) { return kv<text, amount>{o.region, {o.cents, o.id}}; });
  const auto best = amounts | top_per_key("three of each", 3);
  out.show("top", best);
  out.show("winner", best | values("lists") | map("first", [](const std::vector<amount>& list) { return list.front(); })
                         | combine_globally("greatest", max));
  out.show("all", amounts | values("amounts") | top_globally("five of all", 5, std::greater<>{}));
}

void baskets(pipeline& p, outputs& out) {
  const auto groups = p | create("orders", orders())
                      | map("ids", [](const order& o) { return kv<text, number>{o.product, o.id}; })
                      | group_by_key("group");
  out.show("basket", groups | map("sort", sorted{}));
  out.show("product", groups | keys("products"));
  out.show("sizes", groups | values("lists") | map("size", [](const std::vector<number>& ids) {
                      return static_cast<number>(ids.size());
                    }) | combine_globally("sum of sizes", sum));
}

// The lower median. Values are kept; compact() brings them in order before they travel.
struct median {
  std::vector<number> create() const { return {}; }
  void add(std::vector<number>& to, number value) const { to.push_back(value); }
  void merge(std::vector<number>& to, const std::vector<number>& other) const {
    to.insert(to.end(), other.begin(), other.end());
  }
  void compact(std::vector<number>& of) const { std::ranges::sort(of); }
  number extract(const std::vector<number>& of) const {
    auto copy = of;
    std::ranges::sort(copy);
    return copy.at((copy.size() - 1) / 2);
  }
  bool has_result(const std::vector<number>& of) const { return !of.empty(); }
};

// How many different texts there are. compact() forgets repetitions.
struct distinct {
  std::vector<text> create() const { return {}; }
  void add(std::vector<text>& to, const text& value) const { to.push_back(value); }
  void merge(std::vector<text>& to, const std::vector<text>& other) const {
    to.insert(to.end(), other.begin(), other.end());
  }
  void compact(std::vector<text>& of) const {
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
  }
  number extract(const std::vector<text>& of) const {
    auto copy = of;
    compact(copy);
    return static_cast<number>(copy.size());
  }
};

void medians(pipeline& p, outputs& out) {
  const auto all = p | create("orders", orders());
  out.show("median", all | combine_per_key("median of cents", by(&order::customer), of(&order::cents), median{}));
  out.show("overall", all | map("cents", &order::cents) | combine_globally("median of all", median{}));
}

void distinct_customers(pipeline& p, outputs& out) {
  const auto all = p | create("orders", orders()) | reshuffle("spread");
  out.show("customers",
           all | combine_per_key("distinct per product", by(&order::product), of(&order::customer), distinct{}));
  out.show("products", all | map("product", &order::product) | combine_globally("distinct products", distinct{}));
  out.show("pairs", all | map("customer and region", [](const order& o) {
                      return kv<text, text>{o.customer, o.region};
                    }) | count_per_key("orders of a customer"));
}

void no_input(pipeline& p, outputs& out) {
  using pair = kv<text, number>;
  const auto none = flatten("both", p | create<pair>("none", std::vector<pair>{}), flatten<pair>(p, "nothing"));
  out.show("per key", none | combine_per_key("sum per key", sum));
  out.show("group", none | group_by_key("groups"));
  const auto numbers = none | values("numbers");
  out.show("sum", numbers | combine_globally("sum of none", sum));
  out.show("count", none | count_globally("count of none"));
  out.show("max", numbers | combine_globally("max of none", max));
  out.show("top", numbers | top_globally("top of none", 2));
  out.show("windowed", numbers | window_into("minutes", {.into = fixed(std::chrono::minutes{1})})
                           | combine_globally("sum of windows", sum, without_defaults));
  const auto fallback = numbers | as_singleton("view", number{5});
  out.show("main", p | create("main", {number{1}, number{2}})
                       | map("plus", [](number x, number more) { return x + more; }, with(fallback)));
}

void nothing_left(pipeline& p, outputs& out) {
  const auto left = p | create("orders", orders()) | filter("none", [](const order&) { return false; })
                    | reshuffle("spread") | with_keys("by customer", &order::customer);
  out.show("customers", left | count_per_key("count per customer"));
  out.show("count", left | count_globally("count of all"));
  out.show("mean", left | map("cents", [](const kv<text, order>& o) { return o.value.cents; })
                       | combine_globally("mean of all", mean));
}

TEST(free_running, revenue_per_region) {
  check_free_running({"revenue_per_region", revenue_per_region});
}
TEST(free_running, region_statistics) {
  check_free_running({"region_statistics", region_statistics});
}
TEST(free_running, grand_totals) {
  check_free_running({"grand_totals", grand_totals});
}
TEST(free_running, top_orders) {
  check_free_running({"top_orders", top_orders});
}
TEST(free_running, baskets) {
  check_free_running({"baskets", baskets});
}
TEST(free_running, medians) {
  check_free_running({"medians", medians});
}
TEST(free_running, distinct_customers) {
  check_free_running({"distinct_customers", distinct_customers});
}
TEST(free_running, no_input) {
  check_free_running({"no_input", no_input});
}
TEST(free_running, nothing_left) {
  check_free_running({"nothing_left", nothing_left});
}

}  // namespace
}  // namespace millrace::programs::aggregates_test
