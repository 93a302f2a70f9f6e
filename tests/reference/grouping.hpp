#pragma once

#include "operators.hpp"
#include "strategy.hpp"
#include "triggers.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reference {

// What a grouping keeps of one key and window.
struct open_window {
  std::vector<std::string> values;
  std::int64_t fresh = 0;               // elements since the last firing
  std::optional<instant> element_hold;  // what the timestamp combiner makes of the on-time elements
  std::optional<instant> expiry_hold;   // holds the place for a pane of late elements, or for the final one
  trigger_state progress;
  std::optional<pane> last_pane;
};

// A step that collects values per key and window and gives out panes of them when the trigger says so. Windows of a key
// merge as elements come; a window whose trigger has finished is closed until it expires.
class grouping {
 public:
  grouping(strategy windowing, transform what);

  [[nodiscard]] std::vector<bundle> accept(const bundle& elements, const moment& now);
  [[nodiscard]] std::vector<bundle> advance_watermark(instant before, const moment& now);
  [[nodiscard]] std::vector<bundle> advance_clock(instant before, const moment& now);

  // The least hold of all keys and windows, else the end of time.
  [[nodiscard]] instant hold() const;

  [[nodiscard]] bool keeps_state() const { return !keys_.empty(); }
  [[nodiscard]] const drops& dropped() const { return dropped_; }

 private:
  struct key_windows {
    std::map<window, open_window> open;
    std::set<window> closed;
  };

  struct place {
    const std::string& key;
    key_windows& windows;
    moment now;  // its output watermark is what the key holds
    bundle out;
  };

  // The output watermark that the panes of a key see: what is held for other keys does not show in them.
  [[nodiscard]] static moment seen_by(const key_windows& windows, moment now, instant watermark_before);

  bundle accept_key(const std::string& key, const bundle& elements, const moment& now);
  bundle live_elements(const bundle& elements, const moment& now);
  void take(place& here, const output& element, const window& in);
  std::map<window, window> merge(place& here, const bundle& elements) const;
  void merge_open(place& here, const window& into, bool joined) const;
  open_window merged(const std::map<window, open_window>& parts, const window& into, const moment& now) const;
  void add(open_window& to, const window& in, const output& element, const moment& now) const;
  void fire_if_ready(place& here, const window& in) const;
  void fire(place& here, const window& in, bool expired) const;
  void expire(place& here) const;
  [[nodiscard]] bool must_emit(const open_window& of, const pane& which, bool final) const;
  [[nodiscard]] std::optional<output> result(const place& here, const window& in, const pane& which) const;
  [[nodiscard]] instant output_time(const open_window& of, const window& in) const;
  [[nodiscard]] std::optional<instant> hold_at_expiry(const window& in, const moment& now) const;
  [[nodiscard]] trigger_view view_of(const window& in, const moment& now) const;
  [[nodiscard]] static instant hold_of(const key_windows& windows);
  void forget_empty_keys();

  strategy windowing_;
  transform what_;
  std::map<std::string, key_windows> keys_;
  drops dropped_;
};

// The place of the next pane of a window in the order of its panes.
[[nodiscard]] pane next_pane(const std::optional<pane>& previous, const window& in, const moment& now);

}  // namespace reference
