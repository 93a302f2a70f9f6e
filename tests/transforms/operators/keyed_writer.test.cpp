#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/operators/keyed_writer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::keyed_writer_test {
namespace {

// Keeps what is sent, by shard. Shard s owns the slices that are s modulo the shards.
class kept_bundles final : public bundle_outlet {
 public:
  explicit kept_bundles(std::uint32_t shards) : sent(shards) {}
  [[nodiscard]] std::uint32_t shards() const override { return static_cast<std::uint32_t>(sent.size()); }
  [[nodiscard]] std::uint32_t owner(std::uint32_t slice) const override { return slice % shards(); }
  [[nodiscard]] bundle_ptr take() override { return std::make_shared<bundle>(); }
  void send(std::uint32_t shard, bundle_ptr rows) override { sent[shard].push_back(std::move(rows)); }

  std::vector<std::vector<bundle_ptr>> sent;
};

struct order {
  std::uint32_t id;
  double amount;
  std::uint16_t shop;
};
struct shop_of {
  std::uint16_t operator()(const order& o) const { return o.shop; }
};
struct amount_of {
  const double& operator()(const order& o) const { return o.amount; }
};

const window first{timestamp{0}, timestamp{10}};
const window second{timestamp{10}, timestamp{20}};

std::vector<order> ten_orders() {
  std::vector<order> all;
  for (std::uint32_t i = 0; i < 10; ++i) all.push_back({i, i * 1.5, static_cast<std::uint16_t>(100 + i)});
  return all;
}

TEST(keyed_writer, writes_key_and_value_of_each_selected_row) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to}, false);
  const auto orders = ten_orders();
  const std::array<std::uint16_t, 3> selected{1, 4, 9};
  const context in{first, {}};
  stamps at;
  at.contexts = {&in, 1};
  auto& head = w.input().as<order>();
  head.accept({orders.data(), sizeof(order), 10, nullptr, &at});
  head.accept({orders.data(), sizeof(order), 3, selected.data(), &at});
  head.accept({orders.data(), 2 * sizeof(order), 5, nullptr, &at});  // every other row
  w.flush();
  ASSERT_EQ(to.sent[0].size(), 1U);
  const bundle& b = *to.sent[0][0];
  const std::vector<std::uint16_t> shops{100, 101, 102, 103, 104, 105, 106, 107, 108,
                                         109, 101, 104, 109, 100, 102, 104, 106, 108};
  ASSERT_EQ(b.rows, shops.size());
  EXPECT_EQ(b.keys.width(), sizeof(std::uint16_t));
  for (std::uint32_t i = 0; i < b.rows; ++i) {
    EXPECT_EQ(value_at<std::uint16_t>(b.keys, i), shops[i]);
    EXPECT_EQ(value_at<double>(b.values, i), (shops[i] - 100) * 1.5);
  }
  ASSERT_EQ(b.runs.size(), 1U);
  EXPECT_EQ(b.runs[0].end, b.rows);
}

TEST(keyed_writer, sends_full_bundles_and_begins_others_in_the_middle_of_a_batch) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to, .bundle_rows_max = 4}, false);
  const auto orders = ten_orders();
  const context in{first, {}};
  stamps at;
  at.contexts = {&in, 1};
  w.input().as<order>().accept({orders.data(), sizeof(order), 10, nullptr, &at});
  ASSERT_EQ(to.sent[0].size(), 2U);
  w.flush();
  ASSERT_EQ(to.sent[0].size(), 3U);
  EXPECT_EQ(value_at<std::uint16_t>(to.sent[0][1]->keys, 0), 104);
  EXPECT_EQ(to.sent[0][2]->rows, 2U);
}

TEST(keyed_writer, keeps_the_bounds_of_times_that_nobody_reads_and_no_column_of_them) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to}, false);
  const auto orders = ten_orders();
  const std::array<timestamp, 10> times{timestamp{5}, timestamp{3}};
  const context in{first, {}};
  stamps at;
  at.contexts = {&in, 1};
  at.times = times.data();
  at.least = timestamp{3};
  at.greatest = timestamp{5};
  w.input().as<order>().accept({orders.data(), sizeof(order), 2, nullptr, &at});
  at.times = nullptr;
  at.least = at.greatest = timestamp{9};
  w.input().as<order>().accept({orders.data(), sizeof(order), 2, nullptr, &at});
  w.flush();
  const bundle& b = *to.sent[0][0];
  EXPECT_FALSE(b.has_times());
  EXPECT_EQ(b.least, timestamp{3});
  EXPECT_EQ(b.greatest, timestamp{9});
}

TEST(keyed_writer, keeps_the_time_of_each_row_where_they_are_read) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to}, true);
  const auto orders = ten_orders();
  std::array<timestamp, 10> times;
  for (std::size_t i = 0; i < 10; ++i) times[i] = timestamp{static_cast<std::int64_t>(i * i)};
  const std::array<std::uint16_t, 3> selected{2, 3, 7};
  const context in{first, {}};
  stamps at;
  at.contexts = {&in, 1};
  at.times = times.data();
  at.least = timestamp{0};
  at.greatest = timestamp{81};
  w.input().as<order>().accept({orders.data(), sizeof(order), 3, selected.data(), &at});
  w.flush();
  const bundle& b = *to.sent[0][0];
  EXPECT_EQ(b.time_at(0), timestamp{4});
  EXPECT_EQ(b.time_at(1), timestamp{9});
  EXPECT_EQ(b.time_at(2), timestamp{49});
  EXPECT_EQ(b.greatest, timestamp{49});
}

TEST(keyed_writer, appends_a_batch_that_straddles_the_end_of_a_window_window_by_window) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to}, false);
  const auto orders = ten_orders();
  const std::vector<context> both{{first, {}}, {second, {}}};
  const std::array<std::uint8_t, 10> codes{0, 1, 0, 1, 1, 0, 0, 0, 1, 0};
  stamps at;
  at.contexts = both;
  at.codes = codes.data();
  w.input().as<order>().accept({orders.data(), sizeof(order), 10, nullptr, &at});
  w.flush();
  const bundle& b = *to.sent[0][0];
  ASSERT_EQ(b.runs.size(), 2U);
  EXPECT_EQ(b.runs[0].end, 6U);
  EXPECT_EQ(b.contexts[b.runs[0].context].windows.front(), first);
  EXPECT_EQ(b.contexts[b.runs[1].context].windows.front(), second);
  const std::vector<std::uint16_t> shops{100, 102, 105, 106, 107, 109, 101, 103, 104, 108};
  for (std::uint32_t i = 0; i < b.rows; ++i) EXPECT_EQ(value_at<std::uint16_t>(b.keys, i), shops[i]);
}

TEST(keyed_writer, sends_every_key_to_the_owner_of_its_slice) {
  kept_bundles to(3);
  keyed_writer<kv<std::string, std::uint32_t>> w({.to = to}, false);
  std::vector<kv<std::string, std::uint32_t>> rows;
  for (std::uint32_t i = 0; i < 200; ++i) rows.push_back({"key " + std::to_string(i), i});
  const context in;
  stamps at;
  at.contexts = {&in, 1};
  w.input().as<kv<std::string, std::uint32_t>>().accept({rows.data(), sizeof(rows[0]), 200, nullptr, &at});
  w.flush();
  std::uint32_t seen = 0;
  for (std::uint32_t shard = 0; shard < 3; ++shard)
    for (const bundle_ptr& b : to.sent[shard])
      for (std::uint32_t i = 0; i < b->rows; ++i, ++seen) {
        EXPECT_EQ(slice_of(key_hash(b->keys.bytes_at(i))) % 3, shard);
        EXPECT_EQ(b->keys.bytes_at(i), "key " + std::to_string(value_at<std::uint32_t>(b->values, i)));
      }
  EXPECT_EQ(seen, 200U);
}

TEST(keyed_writer, writes_a_view_of_text_as_the_text_itself) {
  kept_bundles to(1);
  keyed_writer<kv<std::string_view, std::uint64_t>> w({.to = to}, false);
  const std::string line = "to be or not";
  const std::vector<kv<std::string_view, std::uint64_t>> words{{std::string_view{line}.substr(0, 2), 1},
                                                               {std::string_view{line}.substr(9, 3), 2}};
  const context in;
  stamps at;
  at.contexts = {&in, 1};
  w.input().as<kv<std::string_view, std::uint64_t>>().accept({words.data(), sizeof(words[0]), 2, nullptr, &at});
  w.flush();
  const bundle& b = *to.sent[0][0];
  EXPECT_EQ(b.keys.bytes_at(0), "to");
  EXPECT_EQ(b.keys.bytes_at(1), "not");
  writer scratch;
  EXPECT_EQ(hash_of_key(std::string_view{"not"}, scratch), hash_of_key(std::string{"not"}, scratch));
}

TEST(keyed_writer, keeps_the_order_of_rows_in_each_of_very_many_contexts) {
  kept_bundles to(1);
  keyed_writer<order, shop_of, amount_of> w({.to = to}, false);
  std::vector<order> orders;
  std::vector<std::uint8_t> codes;
  std::vector<context> contexts;
  for (std::int64_t c = 0; c < 256; ++c) contexts.push_back({window{timestamp{c}, timestamp{c + 1}}, {}});
  for (std::uint32_t i = 0; i < 512; ++i) {
    orders.push_back({i, 1, static_cast<std::uint16_t>(i)});
    codes.push_back(static_cast<std::uint8_t>(255 - i / 2));
  }
  stamps at;
  at.contexts = contexts;
  at.codes = codes.data();
  w.input().as<order>().accept({orders.data(), sizeof(order), 512, nullptr, &at});
  w.flush();
  const bundle& b = *to.sent[0][0];
  ASSERT_EQ(b.rows, 512U);
  ASSERT_EQ(b.runs.size(), 256U);
  for (std::uint32_t run = 0; run < 256; ++run) {
    EXPECT_EQ(b.contexts[b.runs[run].context].windows.front(), contexts[run].windows.front());
    EXPECT_EQ(value_at<std::uint16_t>(b.keys, 2 * run), 2 * (255 - run));
    EXPECT_EQ(value_at<std::uint16_t>(b.keys, 2 * run + 1), 2 * (255 - run) + 1);
  }
}

struct shop_below_105 {
  std::uint16_t operator()(const order& o) const {
    if (o.shop >= 105) throw std::out_of_range("no such shop");
    return o.shop;
  }
};

TEST(keyed_writer, names_step_and_element_whose_key_function_throws) {
  for (const std::uint32_t shards : {1U, 2U}) {
    kept_bundles to(shards);
    keyed_writer<order, shop_below_105, amount_of> w({.to = to, .step = "shops/total"}, false);
    const auto orders = ten_orders();
    const context in{first, {}};
    stamps at;
    at.contexts = {&in, 1};
    try {
      w.input().as<order>().accept({orders.data(), sizeof(order), 10, nullptr, &at});
      FAIL() << "the key function throws";
    } catch (const element_failure& e) {
      EXPECT_EQ(e.step(), "shops/total");
      EXPECT_EQ(e.element(), "{5, 7.5, 105}");
      EXPECT_EQ(e.cause(), "no such shop");
    }
  }
}

}  // namespace
}  // namespace millrace::keyed_writer_test
