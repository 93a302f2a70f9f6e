#include <millrace/transforms/fast/window_table.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace millrace::window_table_test {
namespace {

using number_table = window_table<word_key, std::int64_t>;
using text_table = window_table<bytes_key, std::int64_t>;

void add_all(number_table& to, const std::vector<std::uint64_t>& keys) {
  to.update_many(
      static_cast<std::uint32_t>(keys.size()), [&](std::uint32_t i) { return word_key{keys[i]}; }, [] { return 0; },
      [](std::int64_t& sum, std::uint32_t) { ++sum; });
}

std::map<std::uint64_t, std::int64_t> content(number_table& of) {
  std::map<std::uint64_t, std::int64_t> all;
  of.sweep([&](word_key k, std::int64_t sum, std::uint32_t) { EXPECT_TRUE(all.emplace(k.word, sum).second); });
  return all;
}

std::vector<std::uint64_t> fresh_keys(number_table& of) {
  std::vector<std::uint64_t> keys;
  of.sweep_fresh_until(of.fresh_end(), [&](word_key k, std::int64_t, std::uint32_t) { keys.push_back(k.word); });
  return keys;
}

RC_GTEST_PROP(window_table, holds_what_a_map_holds, (const std::vector<std::vector<std::uint16_t>>& bundles)) {
  block_pool pool;
  number_table table(pool, 0);
  std::map<std::uint64_t, std::int64_t> wanted;
  for (const auto& b : bundles) {
    const std::vector<std::uint64_t> keys(b.begin(), b.end());
    for (const std::uint64_t k : keys) ++wanted[k];
    add_all(table, keys);
  }
  RC_ASSERT(content(table) == wanted);
  RC_ASSERT(table.rows() == wanted.size());
}

TEST(window_table, grows_without_losing_rows_and_fetches_ahead_once_it_is_large) {
  block_pool pool;
  number_table table(pool, 0);
  std::vector<std::uint64_t> keys(200'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 0x9e3779b97f4a7c15ULL;
  add_all(table, keys);
  add_all(table, keys);
  EXPECT_EQ(table.rows(), keys.size());
  table.sweep([](word_key, std::int64_t sum, std::uint32_t) { ASSERT_EQ(sum, 2); });
}

TEST(window_table, begins_a_new_row_with_what_create_gives) {
  block_pool pool;
  number_table table(pool, 4);
  const auto key_at = [](std::uint32_t i) { return word_key{i % 2}; };
  table.update_many(4, key_at, [] { return 100; }, [](std::int64_t& sum, std::uint32_t i) { sum += i; });
  EXPECT_EQ(content(table), (std::map<std::uint64_t, std::int64_t>{{0, 102}, {1, 104}}));
}

TEST(window_table, is_empty_after_it_was_swept_out) {
  block_pool pool;
  {
    number_table table(pool, 0);
    add_all(table, {0, 1, 2, 3});
    std::set<std::uint64_t> seen;
    table.sweep_out([&](word_key k, std::int64_t, std::uint32_t) { seen.insert(k.word); });
    EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(table.rows(), 0U);
    EXPECT_TRUE(content(table).empty());
    add_all(table, {3});
    EXPECT_EQ(content(table), (std::map<std::uint64_t, std::int64_t>{{3, 1}}));
  }
  number_table next(pool, 0);  // in the same memory
  EXPECT_TRUE(content(next).empty());
}

TEST(window_table, names_fresh_rows_once_and_in_the_order_in_which_they_became_so) {
  block_pool pool;
  number_table table(pool, 0);
  add_all(table, {9, 8});
  table.track();
  add_all(table, {5, 0, 5, 9, 7});
  EXPECT_EQ(fresh_keys(table), (std::vector<std::uint64_t>{5, 0, 9, 7}));
  EXPECT_EQ(fresh_keys(table), std::vector<std::uint64_t>{});
  add_all(table, {7});
  EXPECT_EQ(fresh_keys(table), std::vector<std::uint64_t>{7});
}

TEST(window_table, keeps_the_order_of_fresh_rows_and_pane_numbers_when_it_grows) {
  block_pool pool;
  number_table table(pool, 0);
  table.track();
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 3000; ++i) keys.push_back(3000 - i);
  add_all(table, {keys.begin(), keys.begin() + 10});
  table.sweep(
      [&](word_key k, std::int64_t, std::uint32_t row) { table.panes(row).all = static_cast<std::uint32_t>(k.word); });
  add_all(table, keys);
  table.sweep([&](word_key k, std::int64_t, std::uint32_t row) {
    ASSERT_EQ(table.panes(row).all, k.word > 2990 ? k.word : 0);
  });
  EXPECT_EQ(fresh_keys(table), keys);
}

TEST(window_table, sweeps_the_fresh_rows_before_a_remembered_end_only) {
  block_pool pool;
  number_table table(pool, 0);
  table.track();
  add_all(table, {1, 2});
  const std::uint64_t end = table.fresh_end();
  add_all(table, {3, 1});
  std::vector<std::uint64_t> keys;
  table.sweep_fresh_until(end, [&](word_key k, std::int64_t, std::uint32_t) { keys.push_back(k.word); });
  EXPECT_EQ(keys, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(fresh_keys(table), std::vector<std::uint64_t>{3});
}

TEST(window_table, finds_text_of_any_length_again) {
  block_pool pool;
  text_table table(pool, 0);
  std::vector<std::string> keys;
  for (std::size_t n = 0; n < 100; ++n)
    keys.emplace_back(std::string(n, 'k') + std::string(bytes_key::head_bytes, '\0'));
  const auto key_at = [&](std::uint32_t i) {
    return std::string_view{keys[i]}.substr(0, keys[i].size() - bytes_key::head_bytes);
  };
  for (int round = 0; round < 3; ++round)
    table.update_many(100, key_at, [] { return 0; }, [](std::int64_t& sum, std::uint32_t i) { sum += i; });
  std::set<std::size_t> seen;
  table.sweep([&](std::string_view k, std::int64_t sum, std::uint32_t) {
    EXPECT_EQ(k, std::string(k.size(), 'k'));
    EXPECT_EQ(sum, 3 * static_cast<std::int64_t>(k.size()));
    seen.insert(k.size());
  });
  EXPECT_EQ(seen.size(), 100U);
}

TEST(window_table, tells_wide_keys_apart_by_either_half) {
  block_pool pool;
  window_table<wide_key, std::int64_t> table(pool, 0);
  const std::vector<wide_key> keys{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
  table.update_many(
      5, [&](std::uint32_t i) { return keys[i]; }, [] { return 0; }, [](std::int64_t& n, std::uint32_t) { ++n; });
  EXPECT_EQ(table.rows(), 4U);
}

}  // namespace
}  // namespace millrace::window_table_test
