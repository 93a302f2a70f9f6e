#include "example_run.hpp"

#include <millrace/tests/io/temporary_folder.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// The examples that join, currency_join and orders_join, and the one inside an application.
namespace millrace::examples::joins_test {
namespace {

using lines = std::vector<std::string>;

// Work by hand: a dollar is worth 0.50 from ten to eleven (the mean of 0.75 and 0.25), then 0.875; a pound 1.25, but
// only in the first hour.
TEST(currency_join, takes_the_mean_rate_of_the_hour) {
  for (const char* runner : {"--runner=direct", "--runner=actors"}) {
    const outcome run = run_example("currency_join", {"--sales", beside_tests("input/sales.jsonl"), "--quotes",
                                                      beside_tests("input/quotes.jsonl"), runner});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), (lines{R"({"id":1,"euro_cents":625})", R"({"id":2,"euro_cents":50})",
                                            R"({"id":3,"euro_cents":875})", R"({"id":4,"euro_cents":-500})"}));
    EXPECT_EQ(sorted_lines(run.err),
              (lines{"sale 5: no rate for GBP in this hour", "sale 6: no rate for USD in this hour"}));
  }
}

TEST(currency_join, asks_for_both_files) {
  const outcome run = run_example("currency_join", {"--sales", "x"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--sales and --quotes are needed"), std::string::npos) << run.err;
}

const lines accounts{R"({"customer":18446744073709551615,"name":"Eve","orders":1,"cents":9007199254740993})",
                     R"({"customer":7,"name":"Ada","orders":2,"cents":1000})",
                     R"({"customer":8,"name":"Bob","orders":0,"cents":0})",
                     R"({"customer":9,"name":null,"orders":2,"cents":11})"};

TEST(orders_join, keeps_customers_without_orders_and_orders_without_customer) {
  for (const char* how : {"--runner=direct", "--shards=1", "--shards=4"}) {
    const outcome run = run_example("orders_join", {"--customers", beside_tests("input/customers.jsonl"), "--orders",
                                                    beside_tests("input/orders.jsonl"), how});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(sorted_lines(run.out), accounts);
  }
}

TEST(orders_join, succeeds_on_empty_files) {
  const temporary_folder folder;
  const std::string empty = folder.write("empty", "").string();
  const outcome run = run_example("orders_join", {"--customers", empty, "--orders", empty});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(orders_join, refuses_a_runner_that_is_not_there) {
  const outcome run = run_example("orders_join", {"--runner=fast"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--runner"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("direct"), std::string::npos) << run.err;
}

// Work by hand: A pays three times within 59.999 s and then begins anew; B's first payment is a minute before the
// third, so that only the fourth makes three.
TEST(embedded, delivers_alerts_to_the_dashboard_and_ends) {
  const outcome run = run_example("embedded", {beside_tests("input/payments.jsonl")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(sorted_lines(run.out),
            (lines{"10 payments", "card A spent 600 cents in a minute", "card B spent 1110 cents in a minute"}));
}

TEST(embedded, ends_at_once_without_payments) {
  const temporary_folder folder;
  const outcome run = run_example("embedded", {folder.write("none", "").string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "0 payments\n");
}

TEST(embedded, names_a_file_that_cannot_be_read) {
  const outcome run = run_example("embedded", {"/nowhere/payments"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "embedded: cannot read /nowhere/payments\n");
}

}  // namespace
}  // namespace millrace::examples::joins_test
