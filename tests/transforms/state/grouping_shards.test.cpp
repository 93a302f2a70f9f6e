#include "collected_panes.hpp"
#include "pane_lines.hpp"

#include <millrace/transforms/state/grouping.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace millrace::transcripts::grouping_shards_test {
namespace {

// A few groupings with one strategy, each with its share of the keys.
class sharded {
 public:
  sharded(const windowing_strategy& strategy, std::size_t shards) : strategy_(strategy) {
    for (std::size_t i = 0; i < shards; ++i) buffers_.push_back(std::make_unique<collected_panes>());
    for (auto& buffers : buffers_) engines_.push_back(std::make_unique<grouping>(strategy, *buffers));
  }

  void bundle(const std::vector<flowing_element>& elements) {
    for (std::size_t shard = 0; shard < engines_.size(); ++shard) {
      std::vector<std::string> rows;
      for (const flowing_element& e : elements) rows.push_back(e.value);
      buffers_[shard]->set_rows(rows);
      engines_[shard]->begin_bundle();
      for (std::uint32_t row = 0; const flowing_element& e : elements) {
        if (shard_of(e.key) == shard) engines_[shard]->add(e.key, strategy_.into.assign(e.at), e.at, row);
        ++row;
      }
      engines_[shard]->end_bundle();
    }
  }
  void advance(timestamp watermark) {
    for (auto& engine : engines_) engine->advance(watermark);
  }
  void advance_clock(timestamp now) {
    for (auto& engine : engines_) engine->advance_clock(now);
  }
  // Writes every grouping down and goes on with what was restored.
  void restore(timestamp clock) {
    for (std::size_t shard = 0; shard < engines_.size(); ++shard) {
      writer out;
      engines_[shard]->encode(out);
      engines_[shard].reset();
      auto buffers = std::make_unique<collected_panes>();
      engines_[shard] = std::make_unique<grouping>(strategy_, *buffers,
                                                   grouping_clocks{.watermark = timestamp::min(), .clock = clock});
      buffers_[shard] = std::move(buffers);
      reader in{out.bytes()};
      engines_[shard]->decode(in);
    }
  }

  // What came out since the last call, in an order of its own, with the drops and the hold.
  std::vector<std::string> observed() {
    std::vector<std::string> lines;
    dropped_elements dropped;
    timestamp hold = timestamp::max();
    for (std::size_t shard = 0; shard < engines_.size(); ++shard) {
      for (const collected_pane& pane : buffers_[shard]->take())
        lines.push_back(text_of(output_of(*result_of("group", pane))));
      dropped.late += engines_[shard]->dropped().late;
      dropped.closed_window += engines_[shard]->dropped().closed_window;
      hold = std::min(hold, engines_[shard]->output_watermark());
    }
    std::ranges::sort(lines);
    lines.push_back("dropped " + std::to_string(dropped.late) + ", " + std::to_string(dropped.closed_window));
    lines.push_back("held " + std::to_string(hold.millis()));
    return lines;
  }

 private:
  [[nodiscard]] std::size_t shard_of(const std::string& key) const {
    return static_cast<std::size_t>(key.front()) % engines_.size();
  }

  windowing_strategy strategy_;
  std::vector<std::unique_ptr<collected_panes>> buffers_;
  std::vector<std::unique_ptr<grouping>> engines_;
};

trigger any_trigger(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 12 : 6);
  const auto part = [&] { return any_trigger(depth - 1); };
  switch (kind) {
  case 0:
    return default_trigger();
  case 1:
    return never();
  case 2:
    return always();
  case 3:
    return at_watermark();
  case 4:
    return after_count(*rc::gen::inRange<std::uint64_t>(1, 4));
  case 5:
    return after_delay{duration{*rc::gen::inRange(0, 10)}};
  case 6:
    return at_watermark().early(part()).late(part());
  case 7:
    return first_of(part(), part());
  case 8:
    return all_of(part(), part());
  case 9:
    return in_order(part(), part());
  case 10:
    return part().until(part());
  default:
    return repeatedly(part());
  }
}

windowing_strategy any_strategy() {
  windowing_strategy s;
  s.into = *rc::gen::elementOf(std::vector<window_fn>{fixed(duration{10}), sliding(duration{10}, duration{5}),
                                                      sessions(duration{8}), global_windows()});
  s.fire = any_trigger(2);
  s.keep = *rc::gen::element(panes::discarding, panes::accumulating);
  s.allowed_lateness = duration{*rc::gen::element(0, 7, 20)};
  s.timestamps =
      *rc::gen::element(timestamp_combiner::end_of_window, timestamp_combiner::earliest, timestamp_combiner::latest);
  s.closing = *rc::gen::element(fires::always, fires::if_non_empty);
  s.on_time = *rc::gen::element(fires::always, fires::if_non_empty);
  return s;
}

std::vector<flowing_element> any_bundle(std::int64_t around) {
  std::vector<flowing_element> elements;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    const std::string key(1, *rc::gen::element('a', 'b', 'c', 'd', 'e'));
    const std::string value = std::to_string(*rc::gen::inRange(0, 100));
    elements.push_back(
        {.key = key, .value = value, .at = timestamp{around + *rc::gen::inRange(-20, 20)}, .windows = {}, .pane = {}});
  }
  return elements;
}

RC_GTEST_PROP(grouping_shards, give_the_same_panes_whatever_keys_share_a_shard, ()) {
  const windowing_strategy strategy = any_strategy();
  RC_LOG() << strategy.describe() << '\n';
  sharded whole{strategy, 1};
  sharded parts{strategy, 3};
  std::int64_t watermark = 0;
  std::int64_t clock = 0;
  for (int event = 0; event < 25; ++event) {
    const int kind = *rc::gen::inRange(0, 8);
    const std::vector<flowing_element> bundle = any_bundle(watermark);
    watermark += kind == 0 ? *rc::gen::inRange(0, 25) : 0;
    clock += kind == 1 ? *rc::gen::inRange(0, 12) : 0;
    if (kind == 2) parts.restore(timestamp{clock});
    for (sharded* each : {&whole, &parts}) {
      if (kind == 0) each->advance(timestamp{watermark});
      else if (kind == 1) each->advance_clock(timestamp{clock});
      else each->bundle(bundle);
    }
    RC_ASSERT(whole.observed() == parts.observed());
  }
  for (sharded* each : {&whole, &parts}) each->advance(timestamp::max());
  RC_ASSERT(whole.observed() == parts.observed());
}

}  // namespace
}  // namespace millrace::transcripts::grouping_shards_test
