#include <millrace/actors/protocol/credit.hpp>

#include <gtest/gtest.h>

namespace millrace::credit_test {
namespace {

// A bundle of `rows` values of 8 bytes.
bundle_ptr bundle_of(std::uint32_t rows) {
  auto b = std::make_shared<bundle>();
  b->clear(column::variable, 8);
  if (rows > 0) b->values.grow(rows);
  b->rows = rows;
  return b;
}

TEST(credit_window, lets_through_what_the_window_covers_and_one_bundle_more) {
  credit_window w(100);
  for (int i = 0; i < 3; ++i) w.offer(bundle_of(10));
  EXPECT_TRUE(w.next());
  EXPECT_TRUE(w.next()) << "20 bytes are left, which is more than none";
  EXPECT_FALSE(w.next());
  EXPECT_TRUE(w.blocked());
  EXPECT_EQ(w.waiting_bytes(), 80U);
  w.granted(60);
  EXPECT_FALSE(w.next()) << "the overdraft is not paid back yet";
  w.granted(80);
  EXPECT_TRUE(w.next());
  EXPECT_FALSE(w.blocked());
}

TEST(credit_window, passes_a_bundle_larger_than_the_window) {
  credit_window w(1);
  w.offer(bundle_of(1000));
  EXPECT_TRUE(w.next());
}

TEST(credit_window, a_bundle_without_rows_costs_nothing_and_keeps_its_place) {
  credit_window w(8);
  w.offer(bundle_of(1));
  w.offer(bundle_of(1));
  w.offer(bundle_of(0));
  EXPECT_EQ((*w.next())->rows, 1U);
  EXPECT_FALSE(w.next()) << "the watermark must not overtake the rows before it";
  w.granted(8);
  EXPECT_EQ((*w.next())->rows, 1U);
  EXPECT_EQ((*w.next())->rows, 0U);
}

}  // namespace
}  // namespace millrace::credit_test
