#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/count.hpp>
#include <millrace/transforms/direct/direct_runner.hpp>
#include <millrace/transforms/direct/expect.hpp>
#include <millrace/transforms/direct/test_stream.hpp>
#include <millrace/transforms/group_into_batches.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/window_into.hpp>
#include <millrace/transforms/windows/fixed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace millrace::testing::group_into_batches_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using text = std::string;
using pair = kv<text, text>;
using texts = std::vector<text>;
using batch_of_key = kv<text, texts>;

timestamp seconds(std::int64_t s) {
  return timestamp{s * 1000};
}

// The batches that values of one key, in this order, come in.
std::vector<texts> batches(const texts& values, batch_limits limits) {
  pipeline p{"p"};
  std::vector<pair> pairs;
  for (const text& v : values) pairs.push_back({"k", v});
  recording<batch_of_key> found;
  p | create("in", pairs) | group_into_batches("batches", limits) | collect("found", found);
  run_direct(p);
  std::vector<texts> all;
  for (const auto& b : found.values()) all.push_back(b.value);
  return all;
}

TEST(group_into_batches, cuts_by_count_and_gives_the_rest_at_the_end_14_1) {
  EXPECT_THAT(batches({"a", "b", "c", "d", "e", "f", "g", "h"}, {.count = 3}),
              ElementsAre(texts{"a", "b", "c"}, texts{"d", "e", "f"}, texts{"g", "h"}));
}

TEST(group_into_batches, cuts_by_bytes_before_and_at_the_limit_14_1) {
  EXPECT_THAT(batches({"aaaa", "bbbb", "cccc"}, {.bytes = 10}), ElementsAre(texts{"aaaa", "bbbb"}, texts{"cccc"}));
  EXPECT_THAT(batches({"aaaaaa", "bbbb"}, {.bytes = 10}), ElementsAre(texts{"aaaaaa", "bbbb"}));
  EXPECT_THAT(batches({"aaaaaa", "bbbb", "c"}, {.bytes = 10}), ElementsAre(texts{"aaaaaa", "bbbb"}, texts{"c"}));
  EXPECT_THAT(batches({"aaaaaaaaaaaa"}, {.bytes = 10}), ElementsAre(texts{"aaaaaaaaaaaa"}));
}

TEST(group_into_batches, gives_out_what_waited_long_enough_14_2) {
  pipeline p{"p"};
  test_stream<pair> in("in");
  for (std::int64_t i = 0; i <= 9; ++i) {
    in.add_at(seconds(i), {pair{"k", std::to_string(i)}});
    in.advance_processing_time(2s);
  }
  recording<batch_of_key> found;
  p | in.advance_watermark_to_infinity() | window_into("four", {.into = fixed(4s)})
      | group_into_batches("batches", {.count = 100, .buffering = 5s}) | collect("found", found);
  run_direct(p);
  std::vector<std::pair<std::size_t, timestamp>> sizes;
  for (const auto& r : found.rows()) sizes.emplace_back(r.value.value.size(), r.at.time);
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  using size_at = std::pair<std::size_t, timestamp>;
  EXPECT_THAT(sizes, ElementsAre(size_at{3, seconds(0)}, size_at{1, seconds(3)}, size_at{3, seconds(4)},
                                 size_at{1, seconds(7)}, size_at{2, seconds(8)}));
}

TEST(group_into_batches, stamps_a_batch_with_its_earliest_value_and_holds_the_watermark_there) {
  pipeline p{"p"};
  const auto found = p
                     | test_stream<pair>("in")
                           .add_at(timestamp{12}, {pair{"k", "late"}})
                           .add_at(timestamp{7}, {pair{"k", "early"}})
                           .advance_watermark_to(timestamp{15})
                           .add_at(timestamp{16}, {pair{"k", "last"}})
                           .advance_watermark_to_infinity()
                     | group_into_batches("batches", {.count = 3});
  expectations e;
  e.that("per ten", found | window_into("ten", {.into = fixed(10ms)}) | keys("key") | count_per_element("count"))
      .in_window({timestamp{0}, timestamp{10}})
      .on_time()
      .contains_in_any_order({kv<text, std::uint64_t>{"k", 1}});
  recording<batch_of_key> rows;
  found | collect("rows", rows);
  run_direct(p);
  e.verify();
  ASSERT_EQ(rows.rows().size(), 1U);
  EXPECT_EQ(rows.rows()[0].at.time, timestamp{7});
}

TEST(group_into_batches, need_no_second_window_behind_a_grouping_V5) {
  pipeline p{"p"};
  using number = kv<text, std::int64_t>;
  const auto sums = p
                    | test_stream<number>("in")
                          .add_at(timestamp{3}, {number{"k", 1}, number{"k", 2}})
                          .advance_watermark_to(timestamp{11})
                          .advance_processing_time(1s)
                          .add_at(timestamp{15}, {number{"k", 4}})
                          .advance_watermark_to(timestamp{13})
                          .advance_processing_time(1s)
                          .advance_watermark_to_infinity()
                    | window_into("ten", {.into = fixed(10ms)}) | combine_per_key("sum", sum);
  const auto batched = sums | group_into_batches("batches", {.count = 10})
                       | window_into("ten again", {.into = fixed(10ms)}) | keys("key") | count_per_element("count");
  expectations e;
  e.that("first", batched)
      .in_window({timestamp{0}, timestamp{10}})
      .only_pane()
      .contains_in_any_order({kv<text, std::uint64_t>{"k", 1}});
  run_direct(p);
  e.verify();
}

TEST(group_into_batches, spreads_a_key_over_shards) {
  pipeline p{"p"};
  std::vector<pair> pairs(100, pair{"k", "v"});
  recording<kv<sharded_key<text>, texts>> found;
  p | create("in", pairs) | group_into_batches_sharded("batches", 4, {.count = 1000}) | collect("found", found);
  run_direct(p);
  std::size_t total = 0;
  for (const auto& b : found.values()) {
    EXPECT_EQ(b.key.key, "k");
    EXPECT_LT(b.key.shard, 4U);
    total += b.value.size();
  }
  EXPECT_EQ(found.values().size(), 4U);
  EXPECT_EQ(total, 100U);
}

TEST(group_into_batches, refuses_to_have_no_limit) {
  pipeline p{"p"};
  const auto in = p | create("in", {pair{"k", "v"}});
  try {
    static_cast<void>(in | group_into_batches("endless", {.buffering = 5s}));
    FAIL() << "batches without end were taken";
  } catch (const pipeline_error& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("\"endless\": batches have no limit"));
  }
  EXPECT_THROW(static_cast<void>(in | group_into_batches_sharded("none", 0, {.count = 1})), pipeline_error);
}

}  // namespace
}  // namespace millrace::testing::group_into_batches_test
