#pragma once

#include <millrace/transforms/coders/reader.hpp>
#include <millrace/transforms/coders/writer.hpp>
#include <millrace/transforms/element/stamp.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/state/group_buffers.hpp>
#include <millrace/transforms/state/grouping_key.hpp>
#include <millrace/transforms/state/holds.hpp>
#include <millrace/transforms/triggers/trigger_state.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace millrace {

class window_merging;

// Elements that a grouping dropped, each counted once for every window it was dropped from.
struct dropped_elements {
  std::uint64_t late = 0;           // the window had expired
  std::uint64_t closed_window = 0;  // the window's trigger had finished

  friend bool operator==(const dropped_elements&, const dropped_elements&) = default;
};

// Where a grouping stands in both times.
struct grouping_clocks {
  timestamp watermark = timestamp::min();  // of the input
  timestamp clock = timestamp{0};          // processing time
};

// The general engine of group_by_key and combine_per_key, for one shard with many keys: windows, merging, lateness,
// holds, triggers, panes and expiry, exactly as the model says, for any strategy. It sees keys as bytes and elements as
// row numbers; contents live in the operator's group_buffers, which must outlive it.
//
// A bundle, a watermark and a clock reading are one event each: all panes of an event see the input watermark after it
// and the output watermark before it. That output watermark is taken per key, min(input watermark before the event,
// holds of the key), so that no result depends on which keys share a shard. No decision and no order depends on
// hashing: keys of a bundle are looked at in the order of their first element, due windows by time, key bytes and
// window. An exception of group_buffers leaves it unusable; whoever owns it restores a checkpoint.
class grouping {
 public:
  grouping(windowing_strategy strategy, group_buffers& buffers, grouping_clocks start = {});
  grouping(const grouping&) = delete;
  grouping& operator=(const grouping&) = delete;
  ~grouping();

  // Opens a bundle. Its elements follow; triggers are looked at once, in end_bundle.
  void begin_bundle();
  // One element: the bytes of its key, its windows and time, and the row that group_buffers knows it by until
  // end_bundle returns.
  void add(std::string_view key, const window_set& windows, timestamp at, std::uint32_t row);
  // Closes the bundle and gives out the panes that it makes ready.
  void end_bundle();

  // The input watermark is now `watermark`; a lower one than before is ignored. Gives out the panes of windows that end
  // or expire. After a restore it is called with the current watermark, even if that did not move.
  void advance(timestamp watermark);
  // The processing clock reads `now`; an earlier reading than before is ignored. Gives out the panes of delays that
  // have passed. After a restore it is called with the current time, even if that did not move.
  void advance_clock(timestamp now);

  // The least of all holds: the output watermark is min(input watermark, this). max() if there is none. Windows that
  // wait for their end or expiry need no hold of their own, since the input watermark has not passed it.
  [[nodiscard]] timestamp output_hold() const { return holds_.least(); }
  // min(input watermark, output_hold()).
  [[nodiscard]] timestamp output_watermark() const;
  // A time for which some trigger waits: advance_clock has something to do when the clock is above it. max() if there
  // is none.
  [[nodiscard]] timestamp next_clock_timer() const;

  [[nodiscard]] timestamp input_watermark() const { return clocks_.watermark; }
  [[nodiscard]] const dropped_elements& dropped() const { return dropped_; }
  // The windows from which it has last dropped elements for each cause. Not part of a snapshot.
  [[nodiscard]] const window& last_late() const { return last_late_; }
  [[nodiscard]] const window& last_closed() const { return last_closed_; }
  // Keys with state.
  [[nodiscard]] std::size_t size() const { return ids_.size(); }
  // No key has state.
  [[nodiscard]] bool empty() const { return ids_.empty(); }

  // Writes everything: watermark, counters and all keys, in the order of their bytes. Not inside a bundle.
  void encode(writer& out) const;
  // Restores what encode wrote into a grouping without keys. Trigger and lateness may have changed since: windows that
  // had another trigger are taken over by this one at the time that the clock reads. The clock is not restored.
  void decode(reader& in);

  // A window of a key as another engine has kept it until now, whose contents are in the buffer.
  struct taken_window {
    window in;
    bool past_end = false;  // the watermark has passed its end
    bool fresh = false;     // elements wait in it for a pane
    pane_tracker panes = {};
    buffer_id buffer = 0;
  };
  // Goes on with it, in a grouping without a trigger that has finished, whose panes are stamped with the ends of their
  // windows. False if the key has that window already.
  [[nodiscard]] bool take_over(std::string_view key, const taken_window& at);
  // Says where the watermark stood when take_over's windows were kept.
  void resume_at(timestamp watermark) { clocks_.watermark = watermark; }

  // Which keys a snapshot is about.
  using key_filter = std::function<bool(std::string_view key)>;
  // Writes the keys that `which` accepts, in the order of their bytes: all of the shard's slice, say.
  void encode_keys(writer& out, const key_filter& which) const;
  // Adds the keys that encode_keys wrote; none of them may have state here.
  void decode_keys(reader& in);
  // Forgets the keys that `which` accepts, without giving anything out.
  void erase_keys(const key_filter& which);

 private:
  using key_id = std::uint32_t;
  struct timer_entry {
    key_id key;
    window in;
  };
  // Entries by time. An entry counts only while its window still waits for that time; others are left behind by merging
  // and resetting, and are passed over.
  using timer_buckets = std::map<timestamp, std::vector<timer_entry>>;
  struct due_window {
    timestamp at;
    key_id key;
    window in;
  };
  // What a window in a bucket must still wait for, or its entry is stale.
  using timer_of = std::optional<timestamp> (grouping::*)(const group_window&) const;

  key_id key_of(std::string_view key);
  key_id new_key(std::string_view key);
  void erase_key(key_id id);
  void erase_if_idle(key_id id);
  // The first time in an event: notes the key's output watermark, and that panes may come.
  void touch(key_id id, timestamp watermark_before);

  [[nodiscard]] group_window new_window(const window& in) const;
  group_window& window_of(key_id id, const window& in);
  void add_to(key_id id, const window& in, const pending_element& e);
  void add_pending(key_id id);
  // Merges the key's windows that have become `result`, with those of `pending`, which have no state yet.
  void merge(key_id id, const window& result, const window_merging& merges, bool joined);
  group_window merged_window(const window& result, std::vector<group_window>& merging);
  void merge_holds(group_window& merged, std::vector<group_window>& merging);

  void look_at_touched(key_id id);
  void look(key_id id, group_window& at);
  void fire(const group_key& key, group_window& at);
  void give_pane(const group_key& key, group_window& at, bool last);
  void close(group_window& at);
  void expire(key_id id, group_window& at);

  [[nodiscard]] std::vector<due_window> take_due(timer_buckets& from, timestamp now, timer_of waits_for);
  void drop_stale_timers(timer_buckets& from, timer_of waits_for);
  void wait_for_watermark(key_id id, const group_window& at);
  void wait_for_clock(key_id id, group_window& at);
  // The watermark above which a window is looked at: its end, then its expiry.
  [[nodiscard]] std::optional<timestamp> event_timer(const group_window& at) const;
  [[nodiscard]] std::optional<timestamp> clock_timer(const group_window& at) const { return at.clock_timer; }

  void hold_element(const group_key& key, group_window& at, timestamp t);
  void set_element_hold(group_window& at, timestamp t);
  void set_expiry_hold(group_window& at);
  void clear_holds(group_window& at);
  [[nodiscard]] trigger_facts facts_of(const group_window& at) const;

  void encode_window(const group_window& at, writer& out) const;
  // How the triggers of a snapshot are read: as they are, or passed over since they are another's.
  struct trigger_shape {
    bool same = true;
    std::size_t words = 0;
    std::size_t slots = 0;
  };
  void decode_keys(reader& in, const trigger_shape& triggers);
  void decode_key(reader& in, const trigger_shape& triggers);
  group_window decode_window(reader& in, const trigger_shape& triggers);
  group_window& restored(key_id id, group_window at);

  windowing_strategy strategy_;
  group_buffers& buffers_;
  grouping_clocks clocks_;
  trigger_program program_;
  bool merges_;
  bool in_bundle_ = false;
  std::uint64_t event_ = 0;
  std::deque<group_key> keys_;
  std::vector<key_id> free_;
  boost::unordered_flat_map<std::string_view, key_id> ids_;
  std::vector<key_id> touched_;
  timer_buckets event_timers_;
  timer_buckets clock_timers_;
  holds holds_;
  dropped_elements dropped_;
  window last_late_;
  window last_closed_;
};

}  // namespace millrace
