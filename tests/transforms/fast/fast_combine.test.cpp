#include <millrace/tests/transforms/fast/combine_trial.hpp>
#include <millrace/transforms/combiners.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>

namespace millrace::testing::fast_combine_test {
namespace {

using namespace std::chrono_literals;

using trial = combine_trial<std::string, std::int64_t, std::int64_t>;
using pane = pane_row<std::string, std::int64_t>;
using rows = trial::panes;

template <class Key = std::string>
auto summing(const windowing_strategy& s) {
  EXPECT_EQ(why_not_fast_combine<sum_of<std::int64_t>>(s), "");
  return [s](const operator_environment& in) {
    return make_fast_combine<Key, std::int64_t>(in, s, sum_of<std::int64_t>{});
  };
}

windowing_strategy tens(duration lateness = 0ms, panes keep = panes::discarding) {
  windowing_strategy s;
  s.into = fixed(10ms);
  s.allowed_lateness = lateness;
  s.keep = keep;
  return s;
}

const window first_ten{timestamp{0}, timestamp{10}};

input_row<std::string, std::int64_t> at(std::string key, std::int64_t value, std::int64_t time) {
  return {std::move(key), value, fixed(10ms).assign(timestamp{time})};
}

pane_info early(std::uint32_t index) {
  return {index, -1, pane_timing::early, index == 0, false};
}
pane_info on_time(std::uint32_t index, bool last = false) {
  return {index, 0, pane_timing::on_time, index == 0, last};
}
pane_info late(std::uint32_t index, std::int32_t non_speculative, bool last = false) {
  return {index, non_speculative, pane_timing::late, index == 0, last};
}

TEST(fast_combine, gives_one_pane_for_a_key_when_the_watermark_passes_the_end_of_the_window) {
  trial t(summing(tens()));
  EXPECT_EQ(t.bundle_of({at("a", 3, 1), at("b", 1, 2), at("a", 4, 9), at("a", 100, 10)}), rows{});
  EXPECT_EQ(t.advance(9), rows{});
  EXPECT_EQ(t.advance(10), (rows{{"a", 7, 9, first_ten, on_time(0, true)}, {"b", 1, 9, first_ten, on_time(0, true)}}));
  const window second{timestamp{10}, timestamp{20}};
  EXPECT_EQ(t.advance(1000), (rows{{"a", 100, 19, second, on_time(0, true)}}));
  EXPECT_EQ(t.metrics().elements_in, 4U);
  EXPECT_EQ(t.metrics().elements_out, 3U);
}

TEST(fast_combine, drops_what_comes_after_its_window_has_expired_and_counts_it_for_each_window) {
  trial t(summing(tens()));
  t.advance(9);
  t.bundle_of({at("a", 1, 9)});
  EXPECT_EQ(t.advance(10), (rows{{"a", 1, 9, first_ten, on_time(0, true)}}));
  EXPECT_EQ(t.bundle_of({at("b", 1, 9), at("c", 1, 3), at("c", 1, 10)}), rows{});
  EXPECT_EQ(t.dropped_late(), 2U);
}

TEST(fast_combine, gives_a_pane_for_each_late_bundle_until_the_window_expires) {
  trial t(summing(tens(20ms)));
  t.advance(0);
  t.bundle_of({at("k", 1, 3)});
  t.bundle_of({at("k", 2, 8)});
  EXPECT_EQ(t.advance(9), rows{});
  EXPECT_EQ(t.advance(10), (rows{{"k", 3, 9, first_ten, on_time(0)}}));
  EXPECT_EQ(t.bundle_of({at("k", 4, 5), at("k", 5, 6)}), (rows{{"k", 9, 9, first_ten, late(1, 1)}}));
  EXPECT_EQ(t.advance(29), rows{});
  EXPECT_EQ(t.bundle_of({at("k", 8, 1)}), (rows{{"k", 8, 9, first_ten, late(2, 2)}}));
  EXPECT_EQ(t.advance(30), rows{});
  EXPECT_EQ(t.bundle_of({at("k", 1, 2)}), rows{});
  EXPECT_EQ(t.dropped_late(), 1U);
}

TEST(fast_combine, repeats_everything_so_far_where_panes_accumulate) {
  windowing_strategy s = tens(20ms, panes::accumulating);
  s.closing = fires::always;
  trial t(summing(s));
  t.bundle_of({at("k", 1, 3), at("k", 2, 8)});
  EXPECT_EQ(t.advance(10), (rows{{"k", 3, 9, first_ten, on_time(0)}}));
  EXPECT_EQ(t.bundle_of({at("k", 4, 5)}), (rows{{"k", 7, 9, first_ten, late(1, 1)}}));
  EXPECT_EQ(t.advance(30), (rows{{"k", 7, 9, first_ten, late(2, 2, true)}}));
}

TEST(fast_combine, gives_a_single_pane_when_the_watermark_passes_end_and_expiry_at_once) {
  trial t(summing(tens(20ms)));
  t.bundle_of({at("k", 1, 3)});
  EXPECT_EQ(t.advance(timestamp::max().millis()), (rows{{"k", 1, 9, first_ten, on_time(0, true)}}));
}

TEST(fast_combine, calls_the_first_pane_late_where_its_key_comes_after_the_end) {
  trial t(summing(tens(20ms)));
  t.advance(29);
  EXPECT_EQ(t.bundle_of({at("k", 1, 9)}), (rows{{"k", 1, 9, first_ten, late(0, 0)}}));
  EXPECT_EQ(t.dropped_late(), 0U);
}

TEST(fast_combine, drops_an_element_of_sliding_windows_only_from_those_that_have_expired) {
  windowing_strategy s;
  s.into = sliding(10ms, 5ms);
  trial t(summing(s));
  t.advance(7);
  t.bundle_of({{"k", 1, s.into.assign(timestamp{4})}});
  EXPECT_EQ(t.dropped_late(), 1U);
  EXPECT_EQ(t.advance(100), (rows{{"k", 1, 9, first_ten, on_time(0, true)}}));
}

TEST(fast_combine, adds_an_element_to_each_of_its_sliding_windows) {
  windowing_strategy s;
  s.into = sliding(10ms, 5ms);
  trial t(summing(s));
  std::vector<input_row<std::string, std::int64_t>> ones;
  for (const std::int64_t time : {0, 4, 7, 12}) ones.push_back({"k", 1, s.into.assign(timestamp{time})});
  t.bundle_of(ones);
  rows counts = t.advance(100);
  ASSERT_EQ(counts.size(), 4U);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{{4, 2}, {9, 3}, {14, 2}, {19, 1}};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(std::pair(counts[i].time, counts[i].value), expected[i]);
}

TEST(fast_combine, gives_early_panes_for_each_bundle_and_an_on_time_pane_without_new_elements) {
  windowing_strategy s = tens();
  s.fire = at_watermark{}.early(each_element{});
  trial t(summing(s));
  EXPECT_EQ(t.bundle_of({at("k", 3, 1)}), (rows{{"k", 3, 9, first_ten, early(0)}}));
  EXPECT_EQ(t.bundle_of({at("k", 4, 2), at("k", 5, 2), at("j", 1, 2)}),
            (rows{{"j", 1, 9, first_ten, early(0)}, {"k", 9, 9, first_ten, early(1)}}));
  EXPECT_EQ(t.advance(10), (rows{{"j", 0, 9, first_ten, on_time(1, true)}, {"k", 0, 9, first_ten, on_time(2, true)}}));
}

TEST(fast_combine, leaves_out_the_on_time_pane_without_new_elements_where_it_may) {
  windowing_strategy s = tens(20ms);
  s.fire = at_watermark{}.early(each_element{}).late(each_element{});
  s.on_time = fires::if_non_empty;
  s.closing = fires::always;
  trial t(summing(s));
  EXPECT_EQ(t.bundle_of({at("k", 3, 1)}), (rows{{"k", 3, 9, first_ten, early(0)}}));
  EXPECT_EQ(t.advance(10), rows{});
  EXPECT_EQ(t.bundle_of({at("k", 4, 7)}), (rows{{"k", 4, 9, first_ten, late(1, 0)}}));
  EXPECT_EQ(t.advance(30), (rows{{"k", 0, 9, first_ten, late(2, 1, true)}}));
}

TEST(fast_combine, fires_early_when_the_clock_is_above_the_delay_of_a_keys_first_new_element) {
  windowing_strategy s;
  s.into = fixed(100ms);
  s.keep = panes::accumulating;
  s.fire = at_watermark{}.early(after_delay{10ms});
  trial t(summing(s));
  const window hundred{timestamp{0}, timestamp{100}};
  t.advance_clock(1000);
  t.bundle_of({{"a", 1, hundred}});
  EXPECT_EQ(t.next_clock_timer(), 1011);
  t.advance_clock(1005);
  t.bundle_of({{"a", 1, hundred}, {"b", 5, hundred}});
  EXPECT_EQ(t.advance_clock(1010), rows{});
  EXPECT_EQ(t.advance_clock(1011), (rows{{"a", 2, 99, hundred, early(0)}}));
  EXPECT_EQ(t.next_clock_timer(), 1016);
  EXPECT_EQ(t.advance_clock(1016), (rows{{"b", 5, 99, hundred, early(0)}}));
  EXPECT_EQ(t.next_clock_timer(), timestamp::max().millis());
  EXPECT_EQ(t.advance(100), (rows{{"a", 2, 99, hundred, on_time(1, true)}, {"b", 5, 99, hundred, on_time(1, true)}}));
}

TEST(fast_combine, holds_the_watermark_at_the_end_of_a_window_until_it_has_fired) {
  trial t(summing(tens(20ms)));
  t.advance(5);
  EXPECT_EQ(t.running().hold(), timestamp::max());
  t.bundle_of({at("k", 1, 7), at("k", 1, 15)});
  EXPECT_EQ(t.running().hold(), timestamp{9});
  t.advance(12);
  EXPECT_EQ(t.running().hold(), timestamp{19});
  t.advance(50);
  EXPECT_EQ(t.running().hold(), timestamp::max());
}

TEST(fast_combine, fires_the_global_window_at_the_end_of_the_input) {
  trial t(summing(windowing_strategy{}));
  t.bundle_of({{"k", 1, window::global()}, {"k", 2, window::global()}});
  EXPECT_EQ(t.advance(timestamp::end_of_global_window().millis()), rows{});
  EXPECT_EQ(t.advance(timestamp::max().millis()),
            (rows{{"k", 3, timestamp::end_of_global_window().millis(), window::global(), on_time(0, true)}}));
}

TEST(fast_combine, lets_an_element_without_windows_vanish) {
  windowing_strategy s;
  s.into = sliding(5ms, 10ms);
  trial t(summing(s));
  EXPECT_EQ(t.bundle_of({{"k", 1, s.into.assign(timestamp{7})}}), rows{});
  EXPECT_EQ(t.advance(timestamp::max().millis()), rows{});
  EXPECT_EQ(t.dropped_late(), 0U);
}

TEST(fast_combine, tells_keys_apart_that_begin_alike_or_have_zero_bytes) {
  trial t(summing(tens()));
  const std::string stem(16, 's');
  const std::vector<std::string> keys{"",
                                      std::string(1, '\0'),
                                      std::string(2, '\0'),
                                      stem,
                                      stem + "a",
                                      stem + "b",
                                      stem + std::string(1, '\0'),
                                      std::string(70'000, 'x'),
                                      std::string(70'001, 'x')};
  std::vector<input_row<std::string, std::int64_t>> all;
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < keys.size(); ++i) all.push_back(at(keys[i], static_cast<std::int64_t>(i) + 1, 1));
  t.bundle_of(all);
  const rows got = t.advance(10);
  ASSERT_EQ(got.size(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto found = std::ranges::find(got, keys[i], &pane::key);
    ASSERT_NE(found, got.end());
    EXPECT_EQ(found->value, 2 * (static_cast<std::int64_t>(i) + 1));
  }
}

TEST(fast_combine, sums_for_the_key_zero_and_for_keys_of_any_fixed_width) {
  const auto check_type = []<class Key>(std::vector<Key> keys) {
    combine_trial<Key, std::int64_t, std::int64_t> t(summing<Key>(tens()));
    std::vector<input_row<Key, std::int64_t>> all;
    for (const Key& k : keys)
      for (const std::int64_t value : {1, 10}) all.push_back({k, value, first_ten});
    t.bundle_of(all);
    const auto got = t.advance(10);
    ASSERT_EQ(got.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(got[i].value, 11) << i;
  };
  check_type(std::vector<std::uint8_t>{0, 1, 255});
  check_type(std::vector<std::int32_t>{0, -1, 7});
  check_type(std::vector<std::uint64_t>{0, 1, UINT64_MAX});
}

TEST(fast_combine, merges_accumulators_and_counts_the_elements_they_stand_for) {
  using part = partial<mean_parts<std::int64_t>>;
  const auto mean = [](const operator_environment& in) {
    return make_fast_combine<std::string, std::int32_t>(in, tens(), mean_of<std::int32_t>{});
  };
  combine_trial<std::string, std::int32_t, double> t(mean);
  const auto bundle_of_parts = [](std::int64_t time) {
    bundle b;
    b.clear(column::variable, column_width<part>);
    b.header.accumulators = true;
    b.contexts.push_back({fixed(10ms).assign(timestamp{time}), {}});
    b.runs.push_back({2, 0});
    b.rows = 2;
    writer scratch;
    for (const part& p : {part{3, {30, 3}}, part{1, {2, 1}}}) {
      append_key<std::string>(b.keys, "k", scratch);
      append_value<part>(b.values, p, scratch);
    }
    return b;
  };
  t.pass(bundle_of_parts(1));
  const auto got = t.advance(10);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].value, 8.0);
  t.pass(bundle_of_parts(1));
  EXPECT_EQ(t.dropped_late(), 4U);
}

TEST(fast_combine, passes_panes_on_in_batches_of_at_most_the_asked_size) {
  trial t(summing(tens()), 2);
  t.bundle_of({at("a", 1, 1), at("b", 1, 1), at("c", 1, 1), at("d", 1, 1), at("e", 1, 1)});
  t.advance(10);
  EXPECT_EQ(t.batches(), (std::vector<std::uint32_t>{2, 2, 1}));
}

TEST(fast_combine, gives_panes_in_an_order_that_depends_on_the_input_alone) {
  const auto order = [] {
    combine_trial<std::uint64_t, std::int64_t, std::int64_t> t(summing<std::uint64_t>(tens(20ms)));
    std::vector<input_row<std::uint64_t, std::int64_t>> all;
    for (std::uint64_t k = 0; k < 5000; ++k) all.push_back({k * k, 1, first_ten});
    t.bundle_of(all);
    t.advance(10);
    return t.in_order();
  };
  const auto once = order();
  EXPECT_EQ(once.size(), 5000U);
  EXPECT_EQ(once, order());
}

TEST(fast_combine, goes_on_from_a_snapshot_with_its_rows_pane_numbers_and_delays) {
  windowing_strategy s = tens(20ms, panes::accumulating);
  s.fire = at_watermark{}.early(after_delay{10ms}).late(each_element{});
  trial t(summing(s));
  t.bundle_of({at("a", 1, 1), at("b", 1, 12)});
  t.advance_clock(11);
  t.bundle_of({at("a", 1, 1), at(std::string(50, 'l'), 3, 1)});
  t.restart();
  EXPECT_EQ(t.next_clock_timer(), 22);
  EXPECT_EQ(t.advance_clock(22),
            (rows{{"a", 2, 9, first_ten, early(1)}, {std::string(50, 'l'), 3, 9, first_ten, early(0)}}));
  t.advance(10);
  t.restart();
  EXPECT_EQ(t.bundle_of({at("a", 5, 1)}), (rows{{"a", 7, 9, first_ten, late(3, 1)}}));
}

TEST(fast_combine, refuses_a_snapshot_that_is_cut_short_anywhere) {
  windowing_strategy s = tens(20ms);
  s.fire = at_watermark{}.early(after_delay{10ms}).late(each_element{});
  trial t(summing(s));
  t.bundle_of({at("a", 1, 1), at("b", 1, 12), at(std::string(20, 'x'), 1, 12)});
  writer state;
  t.running().snapshot(state);
  for (std::size_t size = 0; size < state.size(); ++size) {
    trial other(summing(s));
    reader cut(state.bytes().substr(0, size));
    EXPECT_THROW(
        {
          other.running().restore(cut);
          cut.expect_end();
        },
        decode_error)
        << size;
  }
}

TEST(fast_combine, refuses_a_snapshot_of_another_form) {
  trial t(summing(tens()));
  writer other;
  other.varint(77);
  reader from(other.bytes());
  EXPECT_THROW(t.running().restore(from), decode_error);
}

struct positive_sum : sum_of<std::int64_t> {
  void add(std::int64_t& to, std::int64_t value) const {
    if (value < 0) throw std::invalid_argument("negative");
    sum_of<std::int64_t>::add(to, value);
  }
  [[nodiscard]] std::int64_t extract(std::int64_t of) const {
    if (of > 100) throw std::overflow_error("too much");
    return of;
  }
};

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const element_failure& e) {
    return e.what();
  }
  return "nothing failed";
}

TEST(fast_combine, names_step_and_element_or_key_when_its_function_throws) {
  trial t([](const operator_environment& in) {
    return make_fast_combine<std::string, std::int64_t>(in, tens(), positive_sum{});
  });
  EXPECT_EQ(failure_of([&] { t.bundle_of({at("a", 3, 1), at("b", -1, 2)}); }),
            "step \"combine\" failed on element (\"b\", -1): negative (after 1 attempt)");
  trial u([](const operator_environment& in) {
    return make_fast_combine<std::string, std::int64_t>(in, tens(), positive_sum{});
  });
  u.bundle_of({at("c", 101, 1)});
  EXPECT_EQ(failure_of([&] { u.advance(10); }),
            "step \"combine\" failed on element the result of key \"c\": too much (after 1 attempt)");
}

}  // namespace
}  // namespace millrace::testing::fast_combine_test
