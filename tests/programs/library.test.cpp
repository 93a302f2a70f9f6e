#include "harness.hpp"
#include "input_rows.hpp"

#include <millrace/io/regex.hpp>
#include <millrace/transforms/approximate_deduplicate.hpp>
#include <millrace/transforms/approximate_distinct.hpp>
#include <millrace/transforms/approximate_quantiles.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/deduplicate.hpp>
#include <millrace/transforms/distinct.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/hot_key_fanout.hpp>
#include <millrace/transforms/joins.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/latest.hpp>
#include <millrace/transforms/partition.hpp>
#include <millrace/transforms/sample.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/to_string.hpp>
#include <millrace/transforms/wait_on.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gtest/gtest.h>

// Programs about the transforms that are made of others.
namespace millrace::programs::library_test {
namespace {

using namespace std::chrono_literals;
using text = std::string;
using number = std::int64_t;

template <class Joined>
text line_of(const Joined& row) {
  return row.key + " " + text_of(row.value.left) + " " + text_of(row.value.right);
}

void all_joins(pipeline& p, outputs& out) {
  const auto customers = p | create("customers", input_pairs("customers.csv"));
  const auto complaints = p | create("complaints", input_pairs("complaints.csv"));
  const auto line = [](const auto& row) { return line_of(row); };
  out.show("inner", inner_join("inner", customers, complaints) | map("inner lines", line));
  out.show("left", left_outer_join("left", customers, complaints) | map("left lines", line));
  out.show("right", right_outer_join("right", customers, complaints) | map("right lines", line));
  out.show("full", full_outer_join("full", customers, complaints) | map("full lines", line));
}

void latest_orders(pipeline& p, outputs& out) {
  const auto timed = p | create_timestamped("orders", timed_orders());
  out.show("latest", timed | map("ids", [](const order& o) { return kv<text, number>{o.customer, o.id}; })
                         | latest_per_key("latest of customer"));
  out.show("last", timed | map("id", &order::id) | latest_globally("latest of all"));
  out.show("of minutes", timed | window_into("minutes", {.into = fixed(5min)}) | map("id in time", &order::id)
                             | latest_globally("latest of minutes"));
}

void spread_revenue(pipeline& p, outputs& out) {
  const auto timed =
      p | create_timestamped("orders", timed_orders()) | window_into("two minutes", {.into = fixed(2min)});
  out.show("revenue", timed
                          | combine_per_key("revenue", by(&order::region), of(&order::cents), sum,
                                            with_hot_key_fanout([](const text& r) { return r == "eu" ? 5 : 1; })));
  out.show("orders", timed | combine_globally("orders", count, without_defaults, with_hot_key_fanout(3)));
  out.show("mean", p | create("orders again", orders()) | map("cents", &order::cents)
                       | combine_globally("mean", mean, with_hot_key_fanout(4)));
}

void estimates(pipeline& p, outputs& out) {
  const auto all = p | create("orders", orders());
  const auto customers = all | map("customers", [](const order& o) { return kv<text, text>{o.product, o.customer}; });
  out.show("customers", customers | approximate_distinct_per_key("distinct customers", 16));
  out.show("products", all | map("product", &order::product) | approximate_distinct_globally("distinct products", 64));
  out.show("cents", all | map("cents", [](const order& o) { return kv<text, number>{o.region, o.cents}; })
                        | approximate_quantiles_per_key("median", 3));
  out.show("sample", all | map("id", &order::id) | sample_globally("some", 10, 7)
                         | map("size", [](const std::vector<number>& s) { return s.size(); }));
  out.show("regions", all | distinct("regions", by(&order::region)) | map("region", &order::region));
}

void parts_of_orders(pipeline& p, outputs& out) {
  const auto parts = p | create("orders", orders()) | partition<3>("by price", [](const order& o) {
                       return o.cents < 1000 ? 0 : o.cents < 4000 ? 1 : 2;
                     });
  out.show("cheap", parts[0] | map("cheap product", &order::product) | count_per_element("count cheap"));
  out.show("middle", parts[1] | count_globally("count middle"));
  out.show("dear", parts[2] | with_keys("dear product", &order::product) | map("dear id", [](const auto& x) {
                     return kv<text, number>{x.key, x.value.id};
                   }) | kvs_to_string("dear text", "="));
  out.show("letters", parts[0] | map("cheap customer", &order::customer) | regex_find("letters", "[a-e]+")
                          | count_per_element("count letters"));
}

// Batches are cut as the elements come: what is fixed is their sizes.
void batched_orders(pipeline& p, outputs& out) {
  const auto by_region = p | create("orders", orders()) | with_keys("region", &order::region);
  const auto size = [](const auto& b) { return kv<text, number>{b.key, std::ssize(b.value)}; };
  out.show("size", by_region | group_into_batches("batches", {.count = 7}) | map("sizes", size));
  out.show("sharded",
           by_region | group_into_batches_sharded("in shards", 3, {.count = 10})
               | map("sizes of shards", [](const auto& b) { return kv<text, number>{b.key.key, std::ssize(b.value)}; })
               | combine_per_key("orders of shards", sum));
}

void customers_once(pipeline& p, outputs& out) {
  const auto customers = p | create("orders", orders()) | map("customer", &order::customer);
  out.show("exact", customers | deduplicate("first", {.remember = 24h}));
  out.show("bloom", customers | approximate_deduplicate("new", {.elements = 1000, .remember = 24h}));
  out.show("waited", customers | wait_on("wait", p | create("signal", {1, 2})) | count_per_element("count"));
}

TEST(free_running, all_joins) {
  check_free_running({"all_joins", all_joins});
}
TEST(free_running, latest_orders) {
  check_free_running({"latest_orders", latest_orders});
}
TEST(free_running, spread_revenue) {
  check_free_running({"spread_revenue", spread_revenue});
}
TEST(free_running, estimates) {
  check_free_running({"estimates", estimates});
}
TEST(free_running, parts_of_orders) {
  check_free_running({"parts_of_orders", parts_of_orders});
}
TEST(free_running, batched_orders) {
  check_free_running({"batched_orders", batched_orders});
}
TEST(free_running, customers_once) {
  check_free_running({"customers_once", customers_once});
}

TEST(with_kills, spread_revenue) {
  check_with_kills({"spread_revenue", spread_revenue});
}
TEST(with_kills, batched_orders) {
  check_with_kills({"batched_orders", batched_orders});
}
TEST(with_kills, customers_once) {
  check_with_kills({"customers_once", customers_once});
}

}  // namespace
}  // namespace millrace::programs::library_test
