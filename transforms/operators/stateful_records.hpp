#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/functions/do_fn.hpp>
#include <millrace/transforms/operators/environment.hpp>
#include <millrace/transforms/state/cell_journal.hpp>
#include <millrace/transforms/state/cell_record.hpp>
#include <millrace/transforms/state/cell_store.hpp>
#include <millrace/transforms/state/cell_timers.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::detail {

// What a stateful function keeps on one shard: records of cells by window and key, the queue of its timers, and the
// rules of both (firing order, expiry, holds). It calls no user code. Owned by the function's operator, next to the
// function.
//
// State of a window goes when the watermark is above its expiry + 1, after its event timers have fired; processing
// timers are dropped when it is above the expiry. With `calls_expiration`, each record waits for a bundle_timer of the
// cell `expiration` first, and holds the watermark at the window's last instant until then.
//
// With `Redone`, what a bundle does to records and timers can be set back until keep().
template <class Fn, bool Redone>
class stateful_records {
  using cells = function_cells<Fn>;
  using record = typename cells::record;
  using store = cell_store<record>;
  using window_cells = typename store::window_cells;

 public:
  // The numbers of the cells that bundle_timers for a window's expiration and for elements put in order bear.
  static constexpr std::uint32_t expiration = cells::size;
  static constexpr std::uint32_t sorted = cells::size + 1;
  static constexpr bool has_timers = cells::types::event_timers || cells::types::processing_timers;

  // One record that is worked on. Ends with the next open(), close() or erase() in the same window.
  struct place {
    window in;
    std::string_view key;
    window_cells* of = nullptr;
    record* at = nullptr;
  };

  stateful_records(Fn& fn, const windowing_strategy& strategy, const stage_clock& clock, bool calls_expiration)
      : cells_(fn), names_(cells_.names()), strategy_(strategy), clock_(clock), calls_expiration_(calls_expiration) {}

  // Whether elements of this window are dropped.
  [[nodiscard]] bool expired(const window& w) const { return strategy_.expiry(w) < clock_.input_watermark; }

  // The record of a window and key, made if there is none.
  place open(const window& in, std::string_view key) {
    if constexpr (Redone) journal_.note(store_, in, key);
    window_cells& of = store_.at(in);
    auto found = of.of_keys.find(key);
    if (found == of.of_keys.end()) found = of.of_keys.emplace(std::string(key), record{}).first;
    return {in, found->first, &of, &found->second};
  }
  std::optional<place> find(const window& in, std::string_view key) {
    if constexpr (Redone) journal_.note(store_, in, key);
    window_cells* of = store_.find(in);
    if (!of) return std::nullopt;
    const auto found = of->of_keys.find(key);
    if (found == of->of_keys.end()) return std::nullopt;
    return place{in, found->first, of, &found->second};
  }
  // Forgets a record that keeps nothing, unless its expiration will be told.
  void close(place& at) {
    if (!calls_expiration_ && cells::empty(*at.at)) erase(at);
  }
  void erase(place& at) {
    drop_timers(at, true);
    at.of->of_keys.erase(at.of->of_keys.find(at.key));
    if (at.of->of_keys.empty()) store_.erase(at.in);
  }

  // Around a call: the function's cells stand for this record.
  void bind(place& at, timestamp time) {
    scope_.watermark = clock_.input_watermark;
    scope_.now = clock_.now;
    scope_.expiry = strategy_.expiry(at.in);
    scope_.at = time;
    cells_.bind(*at.at, scope_);
  }
  void take_back(place& at) { cells_.take_back(*at.at); }
  void release(place& at) {
    cells_.release(*at.at, [&](const timer_place& which, const timer_slot& before, timer_slot& now) {
      if (before.pending) remove_timer(at, which, before);
      if (drained_ && now.pending) {
        if (drained_->last || (drained_->cell == which.cell && drained_->tag == which.tag)) now = {};
        else now.of_drain = true;
      }
      if (now.pending && which.domain == time_domain::processing && expired(at.in) && !keeps_clock_timers()) now = {};
      if (now.pending) add_timer(at, which, now);
    });
    drained_.reset();
  }
  void allow_timers(bool allowed) { scope_.may_set = allowed; }

  // Sets everything back to what it was before the first record of the bundle was opened or found. The bundle's timers
  // are pending again, but could be handed out again: they must be fired or handed back before take_due().
  void set_back()
    requires(Redone)
  {
    for (auto& [in, before] : journal_.take()) {
      window_cells& of = store_.at(in);
      for (auto& [key, old] : before.records) set_back(in, of, key, std::move(old));
      of.expired = before.expired;
      of.told = before.told;
      check(before.existed || of.of_keys.empty(), "a window that a bundle has made has the keys of that bundle");
      if (!before.existed) store_.erase(in);
    }
    fresh_.clear();
    drained_.reset();
    allow_timers(true);
  }
  // The bundle has succeeded.
  void keep()
    requires(Redone)
  {
    journal_.forget();
  }

  // Takes a timer that came in a bundle off the queue; false if it was cleared or set anew meanwhile.
  bool begin_firing(place& at, const bundle_timer& t) {
    bool fires = false;
    cells_.with_timer(*at.at, t.cell, [&](auto& timer, auto& stored) {
      const timer_slot* slot = timer_access::find(stored, t.tag);
      if (!slot || slot->fires != t.fires || slot->output != t.output) return;
      fires = true;
      if (drains()) drained_ = drained_timer{t.cell, t.tag, slot->of_drain};
      remove_timer(at, {timer.domain, t.cell, t.tag}, *slot);
      timer_access::erase(stored, t.tag);
    });
    return fires;
  }
  // Tells a timer of the function what its callback may ask, before each call of that.
  template <class Timer>
  void tell_firing(Timer& timer, const bundle_timer& t) const {
    timer_access::firing(timer, t.tag, t.fires, drains());
  }
  template <class F>
  void with_timer(place& at, std::uint32_t cell, F&& f) {
    cells_.with_timer(*at.at, cell, [&](auto& timer, auto&) { f(timer); });
  }
  // The timestamp of what a timer's callback emits. One that holds nothing has no output timestamp of its own.
  [[nodiscard]] static timestamp time_of(const bundle_timer& t) {
    if (t.output != timestamp::max()) return t.output;
    return t.processing_time ? t.in.max_timestamp() : t.fires;
  }

  // Appends what is due in windows for which allowed(window): event timers, expirations and what is there already by
  // time, then processing timers.
  template <class Allowed>
  void take_due(bundle& to, Allowed&& allowed) {
    fresh_.clear();
    timers_.take_due(time_domain::event, clock_.input_watermark, to, allowed);
    if (calls_expiration_) take_expirations(to, allowed);
    std::ranges::sort(to.timers, {}, [](const bundle_timer& t) {
      return std::tuple{t.fires, std::string_view{t.key}, t.in, t.cell != sorted, t.cell, std::string_view{t.tag}};
    });
    timers_.take_due(time_domain::processing, clock_.now, to, allowed);
  }
  // A timer that was handed out in a bundle is not fired in that bundle.
  void hand_back(const bundle_timer& t) {
    if (t.cell != expiration)
      return timers_.hand_back(t.processing_time ? time_domain::processing : time_domain::event,
                               {t.fires, t.key, t.in, t.cell, t.tag});
    if (window_cells* of = store_.find(t.in)) of->told = false;
  }
  // A timer of the same key that a callback of this bundle has set and that must fire before `next`.
  std::optional<bundle_timer> take_fresh_before(const bundle_timer& next) {
    const auto of_key = fresh_.find(next.key);
    if (of_key == fresh_.end()) return std::nullopt;
    auto& set = of_key->second;
    const auto first = std::ranges::min_element(set, {}, [&](const bundle_timer& t) {
      return t.processing_time == next.processing_time ? t.fires : timestamp::max();
    });
    if (first == set.end() || first->processing_time != next.processing_time || first->fires > next.fires)
      return std::nullopt;
    const bundle_timer taken = std::move(*first);
    set.erase(first);
    return taken;
  }

  // Drops what no watermark will come back for, but for the state of windows that are in use.
  template <class Used>
  void forget_expired(Used&& used) {
    fresh_.clear();
    for (auto at = store_.windows().begin(); at != store_.windows().end() && expired(at->first);) {
      const auto here = at++;
      if (waits_for_clock(here->second)) continue;
      if (!std::exchange(here->second.expired, true)) drop_processing_timers(here->first, here->second);
      if (!calls_expiration_ && here->second.event_timers == 0 && cleans_up(here->first) && !used(here->first))
        store_.erase(here->first);
    }
  }

  // The earliest processing time at which take_due() gives a timer.
  template <class Allowed>
  [[nodiscard]] std::optional<timestamp> next_clock_timer(Allowed&& allowed) const {
    const auto next = timers_.next_processing_time(allowed);
    if (!next) return std::nullopt;
    return *next + duration{1};
  }
  // The end of the first window with state, or max().
  [[nodiscard]] timestamp least_end() const {
    return store_.empty() ? timestamp::max() : store_.windows().begin()->first.max_timestamp();
  }
  [[nodiscard]] timestamp hold() const {
    timestamp least = timers_.hold();
    if (calls_expiration_) least = std::min(least, least_end());
    if (keeps_clock_timers())
      for (const auto& [in, of] : store_.windows())
        if (of.processing_timers > 0) least = std::min(least, in.max_timestamp());
    return least;
  }

  [[nodiscard]] bool empty() const { return store_.empty(); }

  // The names of the cells stand before the records, so that a function with more of them can go on.
  void encode(writer& to) const {
    coder<std::vector<std::string>>::encode(to, names_);
    store_.encode(to, [](writer& out, const record& r) { cells::encode(out, r); });
  }
  void decode(reader& from) {
    const auto written = coder<std::vector<std::string>>::decode(from);
    const bool equal = written == names_;
    const std::vector<std::uint32_t> order = equal ? std::vector<std::uint32_t>{} : numbers_of(written, from);
    store_.decode(from, [&](reader& in, const window& w, const std::string& key, record& r) {
      if (equal) cells::decode(in, r);
      else cells::decode(in, r, order);
      place at{w, key, store_.find(w), &r};
      cells_.move_timers(r, strategy_.expiry(w));
      cells_.each_pending(r, [&](const timer_place& which, const timer_slot& slot) { add_timer(at, which, slot); });
    });
    fresh_.clear();
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& written, const reader& from) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : written) {
      const auto found = std::ranges::find(names_, name);
      if (found == names_.end()) from.fail("the function has no cell \"" + name + "\", which was kept");
      numbers.push_back(static_cast<std::uint32_t>(found - names_.begin()));
    }
    return numbers;
  }
  // Whether timers fire because the job is drained.
  [[nodiscard]] bool drains() const { return clock_.draining && clock_.input_watermark == timestamp::max(); }
  // Whether the input has ended and processing timers still fire, since the function asks for that.
  [[nodiscard]] bool keeps_clock_timers() const {
    return fires_clock_timers_at_end<Fn>() && clock_.input_watermark == timestamp::max();
  }
  [[nodiscard]] bool waits_for_clock(const window_cells& of) const {
    return keeps_clock_timers() && of.processing_timers > 0;
  }
  [[nodiscard]] bool cleans_up(const window& w) const {
    return strategy_.expiry(w) + duration{1} < clock_.input_watermark;
  }

  static timer_id id_of(const place& at, const timer_place& which, const timer_slot& slot) {
    return {slot.fires, std::string(at.key), at.in, which.cell, std::string(which.tag)};
  }
  void add_timer(place& at, const timer_place& which, const timer_slot& slot) {
    timers_.add(which.domain, id_of(at, which, slot), slot.output);
    ++(which.domain == time_domain::event ? at.of->event_timers : at.of->processing_timers);
    if (slot.fires < (which.domain == time_domain::event ? clock_.input_watermark : clock_.now))
      fresh_[std::string(at.key)].push_back({.key = std::string(at.key),
                                             .in = at.in,
                                             .cell = which.cell,
                                             .tag = std::string(which.tag),
                                             .processing_time = which.domain == time_domain::processing,
                                             .fires = slot.fires,
                                             .output = slot.output});
  }
  void remove_timer(place& at, const timer_place& which, const timer_slot& slot) {
    timers_.remove(which.domain, id_of(at, which, slot));
    --(which.domain == time_domain::event ? at.of->event_timers : at.of->processing_timers);
  }
  void drop_timers(place& at, bool event_timers_too) {
    cells_.each_pending(*at.at, [&](const timer_place& which, const timer_slot& slot) {
      if (event_timers_too || which.domain == time_domain::processing) remove_timer(at, which, slot);
    });
    cells_.clear_timers(*at.at, event_timers_too);
  }
  void drop_processing_timers(const window& in, window_cells& of) {
    if constexpr (cells::types::processing_timers) {
      for (auto& [key, r] : of.of_keys) {
        place at{in, key, &of, &r};
        drop_timers(at, false);
      }
    }
  }

  void set_back(const window& in, window_cells& of, const std::string& key, std::optional<record> before) {
    if (const auto now = of.of_keys.find(key); now != of.of_keys.end()) {
      place at{in, key, &of, &now->second};
      drop_timers(at, true);
      of.of_keys.erase(now);
    }
    if (!before) return;
    place at{in, key, &of, &of.of_keys.emplace(key, std::move(*before)).first->second};
    cells_.each_pending(*at.at, [&](const timer_place& which, const timer_slot& slot) { add_timer(at, which, slot); });
  }

  template <class Allowed>
  void take_expirations(bundle& to, Allowed& allowed) {
    for (auto& [in, of] : store_.windows()) {
      if (!cleans_up(in)) return;
      if (waits_for_clock(of) || !allowed(in) || std::exchange(of.told, true)) continue;
      for (const std::string_view key : store::sorted_keys(of.of_keys))
        to.timers.push_back({.key = std::string(key),
                             .in = in,
                             .cell = expiration,
                             .processing_time = false,
                             .fires = strategy_.expiry(in) + duration{1},
                             .output = in.max_timestamp()});
    }
  }

  cells cells_;
  std::vector<std::string> names_;  // of the cells
  windowing_strategy strategy_;
  const stage_clock& clock_;
  bool calls_expiration_;
  timer_scope scope_;
  // The timer that fires because of a drain. Its callback sets other timers once, and itself in vain.
  struct drained_timer {
    std::uint32_t cell;
    std::string tag;
    bool last;  // such a callback has set it, so that its own sets nothing
  };
  std::optional<drained_timer> drained_;
  store store_;
  struct no_journal {};
  [[no_unique_address]] std::conditional_t<Redone, cell_journal<record>, no_journal> journal_;
  cell_timers timers_;
  // Timers set in the past by the calls of the open bundle, by key.
  boost::unordered_flat_map<std::string, std::vector<bundle_timer>> fresh_;
};

}  // namespace millrace::detail
