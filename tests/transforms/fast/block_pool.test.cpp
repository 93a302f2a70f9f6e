#include <millrace/transforms/fast/block_pool.hpp>
#include <millrace/transforms/fast/row_queue.hpp>
#include <millrace/transforms/fast/slot_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace millrace::block_pool_test {
namespace {

TEST(block_pool, gives_a_returned_block_out_again_instead_of_new_memory) {
  block_pool pool;
  std::byte* first = pool.take(5000);
  const std::size_t owned = pool.owned_bytes();
  pool.give(first, 5000);
  EXPECT_EQ(pool.take(5200), first);  // of the same size class
  EXPECT_EQ(pool.owned_bytes(), owned);
}

TEST(block_pool, has_room_for_what_was_asked_and_aligns_it_to_cache_lines) {
  block_pool pool;
  for (const std::size_t bytes : {1UL, 1024UL, 1536UL, 1537UL, 65536UL, 66048UL, 66049UL, 3UL << 20U}) {
    std::byte* block = pool.take(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
    std::memset(block, 1, bytes);
  }
}

TEST(block_pool, keeps_zeroed_blocks_apart_from_others) {
  block_pool pool;
  std::byte* dirty = pool.take(2000);
  std::memset(dirty, 0xff, 2000);
  pool.give(dirty, 2000);
  std::byte* zeroed = pool.take_zeroed(2000);
  EXPECT_NE(zeroed, dirty);
  EXPECT_TRUE(std::all_of(zeroed, zeroed + 2000, [](std::byte b) { return b == std::byte{0}; }));
  pool.give_zeroed(zeroed, 2000);
  EXPECT_EQ(pool.take_zeroed(2000), zeroed);
}

TEST(key_arena, finds_kept_keys_again_whatever_their_size) {
  block_pool pool;
  key_arena arena(pool);
  std::vector<std::pair<std::uint32_t, std::string>> kept;
  for (const std::size_t size : {17UL, 40'000UL, 30'000UL, 200'000UL, 18UL, 65'520UL, 65'521UL, 19UL}) {
    const std::string key(size, static_cast<char>('a' + kept.size()));
    kept.emplace_back(arena.keep(key), key);
  }
  for (const auto& [where, key] : kept) EXPECT_EQ(std::string(arena.at(where), key.size()), key);
}

TEST(row_queue, gives_rows_back_in_order_while_more_are_pushed) {
  block_pool pool;
  row_queue queue(pool);
  queue.reserve(4);
  std::uint32_t pushed = 0;
  std::uint32_t popped = 0;
  for (int round = 0; round < 100; ++round) {
    while (queue.size() < 4) queue.push(pushed++);
    EXPECT_EQ(queue.end() - queue.begin(), 4U);
    EXPECT_EQ(queue.pop(), popped++);
  }
  EXPECT_EQ(queue.begin(), popped);
  queue.reserve(50);
  EXPECT_EQ(queue.pop(), popped);
}

}  // namespace
}  // namespace millrace::block_pool_test
