#include <millrace/tests/transforms/one_step.hpp>
#include <millrace/transforms/map.hpp>
#include <millrace/transforms/side/as_view.hpp>
#include <millrace/transforms/window_into.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

namespace millrace::testing {

// Counts how many of it there are at once.
struct counted_text {
  counted_text() { most = std::max(most, ++alive); }
  explicit counted_text(std::string of) : text(std::move(of)) { most = std::max(most, ++alive); }
  counted_text(const counted_text& other) : text(other.text) { most = std::max(most, ++alive); }
  counted_text& operator=(const counted_text&) = default;
  ~counted_text() { --alive; }

  std::string text;
  static inline int alive = 0;
  static inline int most = 0;
};

}  // namespace millrace::testing

namespace millrace {

template <>
struct coder<testing::counted_text> {
  static void encode(writer& to, const testing::counted_text& x) { coder<std::string>::encode(to, x.text); }
  static testing::counted_text decode(reader& from) { return testing::counted_text(coder<std::string>::decode(from)); }
  static std::string name() { return "counted_text"; }
};

}  // namespace millrace

namespace millrace::testing::side_budget_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(element_range, decodes_one_element_at_a_time_and_may_be_read_again) {
  element_blocks all;
  for (int i = 0; i < 1000; ++i) all.add(counted_text(std::string(200, 'x') + std::to_string(i)));
  EXPECT_GT(all.blocks.size(), 3U);
  counted_text::most = counted_text::alive = 0;
  const element_range<counted_text> range(all);
  for (int pass = 0; pass < 2; ++pass) {
    int next = 0;
    for (const counted_text& one : range) EXPECT_EQ(one.text.substr(200), std::to_string(next++));
    EXPECT_EQ(next, 1000);
  }
  EXPECT_EQ(range.size(), 1000U);
  EXPECT_LE(counted_text::most, 2) << "the one that is read, and the next on its way";
}

// Pieces of a pane in one window, as a view node gives them to a consumer.
bundle pieces_of(const window& in, const std::vector<view_piece>& pieces) {
  bundle b;
  b.clear(column::variable, column_width<view_piece>);
  writer scratch;
  for (const view_piece& p : pieces) append_value(b.values, p, scratch);
  b.rows = static_cast<std::uint32_t>(pieces.size());
  b.contexts = {{in, {0, 0, pane_timing::on_time, true, false}}};
  b.runs = {{b.rows, 0}};
  return b;
}
std::vector<view_piece> pieces(const std::vector<std::string>& elements) {
  std::vector<view_piece> all;
  for (const auto& e : elements) {
    element_blocks one;
    one.add(e);
    all.push_back({one.blocks.front(), 0, false});
  }
  all.back().last = true;
  all.back().count = elements.size();
  return all;
}

struct texts_and_side {
  pipeline p{"p"};
  pcollection<std::string> main = input_of<std::string>(p, "main") | window_into("main windows", {.into = fixed(10ms)});
  pcollection<std::string> side = input_of<std::string>(p, "side") | window_into("side windows", {.into = fixed(10ms)});
};
rows<std::string> texts(std::vector<std::string> values) {
  return {std::move(values), {}, {win(0, 10), {}}, {}};
}

template <class View>
pcollection<std::string> appended(const texts_and_side& g, const View& all, const std::string& name = "append") {
  return g.main
         | map(
             name,
             [](const std::string& x, const auto& texts) {
               std::string result = x;
               for (const std::string& t : texts) result += t;
               return result;
             },
             with(all));
}

TEST(side_input, is_ready_when_the_last_piece_of_its_pane_is_there) {
  texts_and_side g;
  one_step step(appended(g, g.side | as_iterable("all")));
  auto& out = step.output<std::string>();
  auto all = pieces({"a", "b", "c"});
  step.feed(texts({"x"}));
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), {all[0], all[1]}));
  EXPECT_TRUE(out.values.empty());
  writer to;
  step.op->snapshot(to);
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), {all[2]}));
  EXPECT_THAT(out.values, ElementsAre("xabc"));

  one_step other(appended(g, g.side | as_iterable("all again"), "append again"));
  auto& after = other.output<std::string>();
  reader from(to.bytes());
  other.op->restore(from);
  from.expect_end();
  other.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), {all[2]}));
  EXPECT_THAT(after.values, ElementsAre("xabc"));
}

TEST(side_input, counts_its_bytes_while_they_are_held) {
  texts_and_side g;
  one_step step(appended(g, g.side | as_list("all")));
  step.output<std::string>();
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), pieces({"1234", "5678"})));
  EXPECT_EQ(step.side_inputs.contents_bytes, 10U) << "four characters and a length each";
  step.feed(texts({"x"}));
  EXPECT_EQ(step.side_inputs.contents_bytes, 10U + 2 * sizeof(std::string)) << "decoded, and not encoded as well";
  writer to;
  step.op->snapshot(to);
  one_step restored(appended(g, g.side | as_list("all again"), "append again"));
  auto& out = restored.output<std::string>();
  reader from(to.bytes());
  restored.op->restore(from);
  EXPECT_EQ(restored.side_inputs.contents_bytes, 10U);
  restored.feed(texts({"y"}));
  EXPECT_THAT(out.values, ElementsAre("y12345678"));
  step.clock.output_watermark = at(30);
  step.op->as_view_consumer()->advance_view(0, at(30));
  EXPECT_EQ(step.side_inputs.contents_bytes, 0U);
}

TEST(side_input, beyond_the_budget_fails_the_job_and_says_what_to_do) {
  texts_and_side g;
  auto [good, bad] = g.main
                     | map(
                         "count", [](const std::string& x, const std::vector<std::string>&) { return x; },
                         with(g.side | as_list("names")), with_errors);
  one_step step(good);
  step.output<std::string>(0);
  step.output<failed<std::string>>(1);
  step.side_inputs.bytes_max = 100;
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), pieces({std::string(80, 'a')})));
  try {
    step.op->as_view_consumer()->accept_view(0, pieces_of(win(10, 20), pieces({std::string(50, 'b')})));
    FAIL();
  } catch (const side_input_overflow& e) {
    EXPECT_STREQ(e.what(), "step \"count\": side input \"names\" takes 51 bytes in window [10, 20) and 132 in all "
                           "windows, with which the side inputs of the shard take 132, more than the 100 bytes of "
                           "--side_input_bytes that a shard may hold; raise that option, or look values up without "
                           "holding them all: enrich asks a service for single keys, co_group_by_key joins by key");
  }
}

TEST(side_input, that_grows_beyond_the_budget_when_it_is_decoded_fails_the_job_and_not_its_readers) {
  texts_and_side g;
  one_step step(appended(g, g.side | as_list("all")));
  step.output<std::string>();
  step.side_inputs.bytes_max = 60;
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), pieces({"a", "b", "c", "d"})));
  EXPECT_THROW(step.feed(texts({"x"})), side_input_overflow);
}

TEST(side_input, keeps_no_more_elements_waiting_than_the_budget_allows) {
  texts_and_side g;
  one_step step(appended(g, g.side | as_iterable("all")));
  step.output<std::string>();
  step.side_inputs.bytes_max = 500;
  step.feed(texts({std::string(300, 'x')}));
  try {
    step.feed(texts({std::string(300, 'x')}));
    FAIL();
  } catch (const side_input_overflow& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("step \"append\": "), HasSubstr("bytes of elements wait for side input "),
                                HasSubstr("\"all\", the newest in window [0, 10)"), HasSubstr("--side_input_bytes")));
  }
}

TEST(side_input, makes_reading_pause_where_the_stage_reads_its_own_source) {
  texts_and_side g;
  one_step step(appended(g, g.side | as_iterable("all")));
  auto& out = step.output<std::string>();
  step.side_inputs.bytes_max = 500;
  step.side_inputs.reading_pauses = true;
  step.feed(texts({std::string(300, 'x')}));
  EXPECT_FALSE(step.side_inputs.full());
  step.feed(texts({std::string(300, 'x')}));
  EXPECT_TRUE(step.side_inputs.full());
  step.op->as_view_consumer()->accept_view(0, pieces_of(win(0, 10), pieces({"a"})));
  EXPECT_FALSE(step.side_inputs.full());
  EXPECT_EQ(step.side_inputs.waiting_bytes, 0U);
  EXPECT_EQ(out.values.size(), 2U);
}

}  // namespace
}  // namespace millrace::testing::side_budget_test
