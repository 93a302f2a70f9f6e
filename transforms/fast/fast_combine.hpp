#pragma once

#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/fast/fast_windowing.hpp>
#include <millrace/transforms/fast/open_windows.hpp>
#include <millrace/transforms/fast/pane_batch.hpp>
#include <millrace/transforms/fast/row_values.hpp>
#include <millrace/transforms/fast/window_table.hpp>
#include <millrace/transforms/operators/combine_form.hpp>
#include <millrace/transforms/operators/failure.hpp>
#include <millrace/transforms/operators/operator.hpp>
#include <millrace/transforms/triggers/trigger_program.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// combine_per_key on one shard, the fast path: a flat table for each open window, no trigger and no timer for a key. A
// window fires by a sweep when the watermark passes its end, late rows fire after the bundle that brought them, and
// early ones after their bundle or delay. Panes, drops and the output watermark equal those of the general path. The
// order of panes is that of windows by end, then that of the tables, which depends on the rows and their order alone;
// after a restore it may be another one.
template <class Key, class In, class Fn>
class fast_combine final : public stage_operator, public stage_head {
 public:
  using accumulator = accumulator_of<Fn>;
  using output = kv<Key, combined_by<Fn>>;

  fast_combine(const operator_environment& in, const windowing_strategy& strategy, Fn fn)
      : step_(in.step), fn_(std::move(fn)), strategy_(strategy), firing_(fast_firing_of(strategy)), clock_(in.clock),
        metrics_(in.metrics), now_(in.clock.now), out_(in), windows_(pool_) {}

  void connect(std::size_t /*output*/, receiver_ref next) override { out_.connect(next.as<output>()); }
  stage_head* as_head() override { return this; }

  void accept(const bundle& in) override {
    metrics_.elements_in += in.rows;
    advance_clock();
    std::uint32_t from = 0;
    for (const row_run& run : in.runs) {
      if (run.end > from)
        for (const window& w : in.contexts[run.context].windows) add_rows(w, in, from, run.end);
      from = std::max(from, run.end);
    }
    for (entry* w : in_bundle_) {
      w->in_bundle = false;
      fire_fresh(*w, w->rows.fresh_end());
    }
    in_bundle_.clear();
    out_.flush();
  }
  // Delays that have passed fire before the ends of windows, and see the watermark from before.
  void advance() override {
    advance_clock();
    advance_watermark();
    out_.flush();
  }
  [[nodiscard]] std::optional<timestamp> next_clock_timer() const override {
    std::optional<timestamp> next;
    for (const auto& w : windows_.all())
      if (!w->delayed.empty() && (!next || w->delayed.front().until < *next)) next = w->delayed.front().until;
    if (next) next = *next + duration{1};  // a delay has passed when the clock is above its time
    return next;
  }
  // Elements on time hold the watermark at the end of their window until it fires.
  [[nodiscard]] timestamp hold() const override {
    for (const auto& w : windows_.all())
      if (!w->past_end) return w->in.max_timestamp();
    return timestamp::max();
  }

  [[nodiscard]] bool has_state() const override { return !windows_.all().empty(); }
  void snapshot(writer& to) const override;
  void restore(reader& from) override;

 private:
  using key = slot_key_of<Key>;
  using table = window_table<key, accumulator>;
  using entry = open_window<table>;
  using early_kind = fast_firing::early_kind;
  using view = typename table::view;

  void add_rows(const window& in, const bundle& rows, std::uint32_t from, std::uint32_t end) {
    entry* w = windows_.find(in);
    if (!w) {
      if (strategy_.expiry(in) < watermark_) {
        metrics_.drop("late", elements_of<accumulator>(rows, from, end), in, watermark_);
        return;
      }
      w = &windows_.open(in);
      w->past_end = in.max_timestamp() < watermark_;
    }
    const bool fires_with_bundle = w->past_end || firing_.early == early_kind::each_bundle;
    const bool delayed = !w->past_end && firing_.early == early_kind::delay;
    if (fires_with_bundle || delayed) w->rows.track();
    const std::uint64_t fresh_before = w->rows.fresh_end();
    update(*w, rows, from, end);
    if (fires_with_bundle && !std::exchange(w->in_bundle, true)) in_bundle_.push_back(w);
    if (delayed && w->rows.fresh_end() != fresh_before) wait_for_clock(*w);
  }
  void update(entry& w, const bundle& rows, std::uint32_t from, std::uint32_t end) {
    const auto update_with = [&](auto&& key_at) {
      const auto create = [this] { return fn_.create(); };
      each_kind_of_value<In, accumulator>(rows, from, [&](auto&& value_of, auto is_accumulator) {
        w.rows.update_many(end - from, key_at, create, [&](accumulator& to, std::uint32_t i) {
          try {
            if constexpr (decltype(is_accumulator)::value) fn_.merge(to, value_of(i));
            else fn_.add(to, value_of(i));
          } catch (...) {
            fail(is_accumulator() ? "a partial result" : described(rows, from + i));
          }
        });
      });
    };
    if constexpr (fixed_width_key<Key>) {
      check(rows.keys.width() == sizeof(Key), "the keys of a bundle have the width of their type");
      const std::byte* keys = rows.keys.fixed(from);
      update_with([keys](std::uint32_t i) { return load_key_view<Key>(keys + std::size_t{i} * sizeof(Key)); });
    } else {
      check(rows.keys.width() == column::variable, "the keys of a bundle have the width of their type");
      const column::string_rows keys = rows.keys.strings();
      update_with([keys, from](std::uint32_t i) { return keys[from + i]; });
    }
  }
  // The user's functions are called once: what they have left in an accumulator when they throw cannot be taken back.
  [[noreturn, gnu::cold]] void fail(const std::string& element) {
    std::throw_with_nested(element_failure({step_, element, message_of_current_exception(), 1}));
  }
  [[gnu::cold]] static std::string described(const bundle& rows, std::uint32_t row) {
    return describe_element(kv{decode_key<Key>(rows.keys.bytes_at(row)), value_at<In>(rows.values, row)});
  }
  void wait_for_clock(entry& w) {
    const timestamp until = delayed_until(now_, firing_.steps);
    if (w.delayed.empty() || w.delayed.back().until != until) w.delayed.push_back({until, 0});
    w.delayed.back().end = w.rows.fresh_end();
  }

  void advance_clock() {
    if (clock_.now < now_) return;
    now_ = clock_.now;
    if (firing_.early != early_kind::delay) return;
    for (const auto& w : windows_.all())
      while (!w->delayed.empty() && w->delayed.front().until < now_) {
        const std::uint64_t end = w->delayed.front().end;
        w->delayed.pop_front();
        fire_fresh(*w, end);
      }
  }
  void advance_watermark() {
    if (clock_.input_watermark < watermark_) return;
    watermark_ = clock_.input_watermark;
    std::size_t expired = 0;
    for (const auto& w : windows_.all()) {
      if (w->in.max_timestamp() >= watermark_) break;
      const bool last = strategy_.expiry(w->in) < watermark_;
      if (!w->past_end) fire_end(*w, last);
      else if (last && strategy_.closing == fires::always) fire_all(*w, pane_timing::late, last);
      if (last) ++expired;
    }
    if (expired > 0) windows_.close_first(expired);
  }

  // The watermark has passed the end of the window, and maybe its expiry too.
  void fire_end(entry& w, bool last) {
    windows_.reached(w.rows.rows());
    w.past_end = true;
    w.delayed.clear();
    if (!w.rows.tracked() && last) return fire_only(w);
    const bool even_empty = strategy_.on_time == fires::always || (last && strategy_.closing == fires::always);
    if (even_empty || !w.rows.tracked()) return fire_all(w, pane_timing::on_time, last);
    out_.begin_window(w.in);
    w.rows.sweep_fresh([&](const view& k, accumulator& a, std::uint32_t row) {
      give_pane(w, {.timing = pane_timing::on_time, .is_last = last}, k, a, row);
    });
  }
  // The first and last pane of every row.
  void fire_only(entry& w) {
    out_.begin_window(w.in);
    out_.begin_pane({.timing = pane_timing::on_time});
    w.rows.sweep_out([&](const view& k, const accumulator& a, std::uint32_t /*row*/) { put(k, a); });
  }
  // A pane of every row, new elements or not.
  void fire_all(entry& w, pane_timing timing, bool last) {
    out_.begin_window(w.in);
    w.rows.sweep([&](const view& k, accumulator& a, std::uint32_t row) {
      give_pane(w, {.timing = timing, .is_last = last}, k, a, row);
    });
    w.rows.settle();
  }
  // A pane of the rows that were fresh when fresh_end() was `end`.
  void fire_fresh(entry& w, std::uint64_t end) {
    out_.begin_window(w.in);
    const pane_info pane{.timing = w.past_end ? pane_timing::late : pane_timing::early, .is_last = false};
    const auto give = [&](const view& k, accumulator& a, std::uint32_t row) { give_pane(w, pane, k, a, row); };
    if (end == w.rows.fresh_end()) w.rows.sweep_fresh(give);
    else w.rows.sweep_fresh_until(end, give);
  }
  // Numbers a pane, gives it out and empties the accumulator where panes discard.
  void give_pane(entry& w, pane_info pane, const view& k, accumulator& a, std::uint32_t row) {
    const bool early = pane.timing == pane_timing::early;
    pane_count& given = w.rows.panes(row);
    pane.index = given.all;
    pane.non_speculative_index = early ? -1 : static_cast<std::int32_t>(given.all - given.early);
    pane.is_first = given.all == 0;
    ++given.all;
    if (early) ++given.early;
    out_.begin_pane(pane);
    put(k, a);
    if (!pane.is_last && strategy_.keep == panes::discarding) a = fn_.create();
  }
  void put(const view& k, const accumulator& a) {
    if (!detail::has_result(fn_, a)) return;
    out_.put([&] {
      try {
        return output{key_from_view<Key>(k), fn_.extract(a)};
      } catch (...) {
        fail("the result of key " + describe_element(key_from_view<Key>(k)));
      }
    });
  }

  void snapshot_window(const entry& w, writer& to) const;
  void restore_window(reader& from, bool same_trigger);

  std::string step_;
  Fn fn_;
  windowing_strategy strategy_;
  fast_firing firing_;
  const stage_clock& clock_;
  metric_board& metrics_;
  // What bundles are looked at by: the watermark of the last advance(), and the time of the last bundle or advance().
  timestamp watermark_ = timestamp::min();
  timestamp now_;
  pane_batch<output> out_;
  block_pool pool_;
  open_windows<table> windows_;
  std::vector<entry*> in_bundle_;  // in the order in which the open bundle reached them
};

// The operator of a combine whose why_not_fast_combine is empty. Key is a type that owns its bytes.
template <class Key, class In, class Fn>
[[nodiscard]] std::unique_ptr<stage_operator> make_fast_combine(const operator_environment& in,
                                                                const windowing_strategy& strategy, Fn fn) {
  return make_operator<fast_combine<Key, In, Fn>>(in, strategy, std::move(fn));
}

}  // namespace millrace

#include <millrace/transforms/fast/fast_combine_snapshot.hpp>  // IWYU pragma: keep
