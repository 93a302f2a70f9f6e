#include "collected_panes.hpp"

#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/grouping.hpp>

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::grouping_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using transcripts::collected_pane;
using transcripts::collected_panes;

timestamp at(std::int64_t millis) {
  return timestamp{millis};
}

struct arrival {
  std::string key;
  std::string value;
  std::int64_t at;
};

// A grouping with its buffers.
class bench {
 public:
  explicit bench(const windowing& options) : strategy(compose({}, options)), engine(strategy, buffers) {}

  void bundle(const std::vector<arrival>& elements) {
    std::vector<std::string> rows;
    for (const arrival& e : elements) rows.push_back(e.value);
    buffers.set_rows(rows);
    engine.begin_bundle();
    for (std::uint32_t row = 0; const arrival& e : elements)
      engine.add(e.key, strategy.into.assign(at(e.at)), at(e.at), row++);
    engine.end_bundle();
  }
  // What came out since the last call: key, window start, values.
  std::vector<std::string> panes() {
    std::vector<std::string> texts;
    for (const collected_pane& pane : buffers.take()) {
      std::string text = pane.key + "/" + std::to_string(pane.at.in.start.millis()) + ":";
      for (const std::string& value : pane.values) text += value;
      texts.push_back(text);
    }
    return texts;
  }

  collected_panes buffers;
  windowing_strategy strategy;
  grouping engine;
};

TEST(grouping, looks_at_keys_in_the_order_of_their_first_element) {
  bench b{{.into = fixed(10ms), .fire = always()}};
  b.bundle({{"z", "a", 1}, {"a", "b", 2}, {"m", "c", 3}, {"a", "d", 4}, {"z", "e", 5}});
  EXPECT_THAT(b.panes(), ElementsAre("z/0:ae", "a/0:bd", "m/0:c"));
}

TEST(grouping, gives_windows_out_by_time_then_key) {
  bench b{{.into = fixed(10ms)}};
  b.bundle({{"z", "a", 11}, {"a", "b", 12}, {"z", "c", 1}, {"m", "d", 2}});
  b.engine.advance(at(100));
  EXPECT_THAT(b.panes(), ElementsAre("m/0:d", "z/0:c", "a/10:b", "z/10:a"));
}

TEST(grouping, has_no_state_after_the_last_window_has_expired) {
  bench b{{.into = fixed(10ms)}};
  b.bundle({{"k", "a", 1}});
  EXPECT_EQ(b.engine.size(), 1U);
  EXPECT_EQ(b.engine.output_hold(), at(9));
  b.engine.advance(at(10));
  EXPECT_TRUE(b.engine.empty());
  EXPECT_EQ(b.engine.output_hold(), timestamp::max());
  EXPECT_EQ(b.buffers.alive(), 0U);
}

TEST(grouping, keeps_no_trace_of_a_key_whose_elements_all_were_late) {
  bench b{{.into = fixed(10ms)}};
  b.engine.advance(at(10));
  b.bundle({{"k", "a", 1}});
  EXPECT_TRUE(b.engine.empty());
  EXPECT_EQ(b.engine.dropped(), (dropped_elements{.late = 1, .closed_window = 0}));
}

TEST(grouping, ignores_a_watermark_and_a_clock_that_go_back) {
  bench b{{.into = fixed(10ms), .fire = repeatedly(after_delay{5ms})}};
  b.engine.advance(at(8));
  b.engine.advance(at(3));
  EXPECT_EQ(b.engine.input_watermark(), at(8));
  b.engine.advance_clock(at(100));
  b.engine.advance_clock(at(50));
  b.bundle({{"k", "a", 8}});
  EXPECT_EQ(b.engine.next_clock_timer(), at(105));
}

TEST(grouping, waits_for_no_clock_when_its_window_is_gone) {
  bench b{{.into = sessions(10ms), .fire = repeatedly(after_delay{5ms})}};
  b.bundle({{"k", "a", 0}});
  b.engine.advance_clock(at(2));
  b.bundle({{"k", "b", 5}});
  EXPECT_EQ(b.engine.next_clock_timer(), at(5));
  b.engine.advance(at(15));
  EXPECT_EQ(b.engine.next_clock_timer(), timestamp::max());
}

TEST(grouping, judges_lateness_for_each_key_by_its_own_holds) {
  bench b{{.into = fixed(10ms), .timestamps = timestamp_combiner::earliest}};
  b.bundle({{"x", "a", 3}});
  b.engine.advance(at(6));
  EXPECT_EQ(b.engine.output_watermark(), at(3));
  b.bundle({{"x", "b", 4}, {"y", "c", 4}});
  b.engine.advance(at(10));
  const std::vector<collected_pane> panes = b.buffers.take();
  ASSERT_EQ(panes.size(), 2U);
  EXPECT_EQ(panes[0].at.time, at(3));
  EXPECT_EQ(panes[1].at.time, at(9));  // y held nothing at 4, when the watermark was at 6
}

TEST(grouping, moves_keys_from_one_engine_to_another) {
  const windowing options{.into = sessions(10ms), .fire = repeatedly(after_delay{5ms}), .keep = panes::accumulating};
  bench from{options};
  bench to{options};
  from.bundle({{"x", "a", 1}, {"y", "b", 2}});
  to.bundle({{"z", "c", 3}});
  const auto is_x = [](std::string_view key) { return key == "x"; };
  writer out;
  from.engine.encode_keys(out, is_x);
  from.engine.erase_keys(is_x);
  EXPECT_EQ(from.buffers.alive(), 1U);
  reader in{out.bytes()};
  to.engine.decode_keys(in);
  in.expect_end();
  EXPECT_EQ(from.engine.size(), 1U);
  EXPECT_EQ(to.engine.size(), 2U);

  from.engine.advance_clock(at(6));
  to.engine.advance_clock(at(6));
  EXPECT_THAT(from.panes(), ElementsAre("y/2:b"));
  EXPECT_THAT(to.panes(), ElementsAre("x/1:a", "z/3:c"));
  from.engine.advance(timestamp::max());
  to.engine.advance(timestamp::max());
  EXPECT_THAT(to.panes(), ElementsAre("x/1:a", "z/3:c"));
  EXPECT_TRUE(from.engine.empty());
  EXPECT_EQ(from.engine.output_hold(), timestamp::max());
}

TEST(grouping, gives_out_after_a_move_what_had_been_due_there) {
  const windowing options{.into = fixed(10ms)};
  bench from{options};
  bench to{options};
  from.bundle({{"x", "a", 1}});
  to.engine.advance(at(50));
  writer out;
  from.engine.encode_keys(out, [](std::string_view) { return true; });
  reader in{out.bytes()};
  to.engine.decode_keys(in);
  EXPECT_THAT(to.panes(), IsEmpty());
  to.engine.advance(at(50));
  EXPECT_THAT(to.panes(), ElementsAre("x/0:a"));
}

TEST(grouping, gives_out_at_once_after_a_restore_what_the_clock_has_passed) {
  bench b{{.into = fixed(10ms), .fire = repeatedly(after_delay{5ms})}};
  b.bundle({{"k", "a", 1}});
  writer out;
  b.engine.encode(out);
  collected_panes buffers;
  grouping restored{b.strategy, buffers, {.watermark = timestamp::min(), .clock = at(500)}};
  reader in{out.bytes()};
  restored.decode(in);
  restored.advance_clock(at(500));
  EXPECT_EQ(buffers.take().size(), 1U);
}

TEST(grouping, writes_the_same_bytes_whatever_the_order_of_arrival) {
  const windowing options{.into = fixed(10ms)};
  bench one{options};
  bench other{options};
  one.bundle({{"x", "a", 1}, {"y", "b", 12}, {"x", "c", 12}});
  other.bundle({{"y", "b", 12}});
  other.bundle({{"x", "c", 12}, {"x", "a", 1}});
  writer first;
  writer second;
  one.engine.encode(first);
  other.engine.encode(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

TEST(grouping, refuses_bytes_that_are_cut_short_or_repeat_a_key) {
  bench b{{.into = sessions(10ms), .fire = at_watermark().early(after_count(3)).late(after_delay{5ms})}};
  b.bundle({{"x", "abc", 1}, {"y", "d", 12}, {"x", "e", 40}});
  writer out;
  b.engine.encode(out);
  for (std::size_t size = 0; size < out.size(); ++size) {
    collected_panes buffers;
    grouping restored{b.strategy, buffers};
    reader in{out.bytes().substr(0, size)};
    EXPECT_THROW(restored.decode(in), decode_error) << size;
  }
  writer keys;
  b.engine.encode_keys(keys, [](std::string_view) { return true; });
  reader in{keys.bytes()};
  EXPECT_THROW(b.engine.decode_keys(in), decode_error);
}

TEST(grouping, refuses_elements_and_watermarks_out_of_turn) {
  bench b{{.into = fixed(10ms)}};
  EXPECT_THROW(b.engine.add("k", window::global(), at(1), 0), broken_invariant);
  EXPECT_THROW(b.engine.end_bundle(), broken_invariant);
  b.engine.begin_bundle();
  EXPECT_THROW(b.engine.begin_bundle(), broken_invariant);
  EXPECT_THROW(b.engine.advance(at(1)), broken_invariant);
  EXPECT_THROW(b.engine.advance_clock(at(1)), broken_invariant);
  writer out;
  EXPECT_THROW(b.engine.encode(out), broken_invariant);
}

TEST(grouping, merges_within_one_bundle_before_it_judges_lateness) {
  bench b{{.into = sessions(10ms), .allowed_lateness = 20ms}};
  b.engine.advance(at(12));
  b.bundle({{"k", "a", 0}, {"k", "b", 9}});
  EXPECT_THAT(b.panes(), IsEmpty());
  b.engine.advance(at(19));
  EXPECT_THAT(b.panes(), ElementsAre("k/0:ab"));
}

TEST(grouping, drops_what_would_grow_a_session_into_a_closed_one) {
  bench b{{.into = sessions(10ms), .fire = after_count(2)}};
  b.bundle({{"k", "a", 0}, {"k", "b", 10 - 1}});
  EXPECT_THAT(b.panes(), ElementsAre("k/0:ab"));
  b.bundle({{"k", "c", 0}});
  b.bundle({{"k", "d", 9}});
  EXPECT_THAT(b.panes(), IsEmpty());
  EXPECT_EQ(b.engine.dropped().closed_window, 1U);
  b.bundle({{"k", "e", 0}});  // the session of c is alive, and as it was
  EXPECT_THAT(b.panes(), ElementsAre("k/0:ce"));
}

}  // namespace
}  // namespace millrace::grouping_test
