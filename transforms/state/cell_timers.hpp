#pragma once

#include <millrace/transforms/bundles/bundle.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/state/holds.hpp>
#include <millrace/transforms/state/timer_rules.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace millrace {

// The name of a pending timer: at most one for each key, window, cell and tag, as their owner sees to.
struct timer_id {
  timestamp fires;
  std::string key;
  window in;
  std::uint32_t cell = 0;
  std::string tag = {};  // of a family

  friend bool operator<(const timer_id& a, const timer_id& b) {
    return std::tie(a.fires, a.key, a.in, a.cell, a.tag) < std::tie(b.fires, b.key, b.in, b.cell, b.tag);
  }
};

// The pending user timers of one shard, by time, with their watermark holds. A timer that was handed out in a bundle
// stays pending, and is not handed out again, until whoever runs that bundle removes it. Owned by the operator of a
// stateful function, whose cells say what is pending; this is an index that is rebuilt after a restore.
class cell_timers {
 public:
  // Adds a timer with its output timestamp, or max() for one that holds nothing.
  void add(time_domain domain, timer_id id, timestamp output);
  // Removes a timer that is pending.
  void remove(time_domain domain, const timer_id& id);

  // Appends the timers that wait for a time before `now` to a bundle, by time, where `allowed(window)`.
  template <class Allowed>
  void take_due(time_domain domain, timestamp now, bundle& to, Allowed&& allowed) {
    for (auto& [id, e] : of(domain)) {
      if (id.fires >= now) return;
      if (!e.handed_out && allowed(id.in)) hand_out(domain, id, e, to);
    }
  }
  void take_due(time_domain domain, timestamp now, bundle& to) {
    take_due(domain, now, to, [](const window&) { return true; });
  }
  // A timer that was handed out is due again, if it is still pending.
  void hand_back(time_domain domain, const timer_id& id);

  // The earliest hold, or max().
  [[nodiscard]] timestamp hold() const { return holds_.least(); }
  // The time of the first processing timer that has not been handed out, where `allowed(window)`.
  template <class Allowed>
  [[nodiscard]] std::optional<timestamp> next_processing_time(Allowed&& allowed) const {
    for (const auto& [id, e] : processing_)
      if (!e.handed_out && allowed(id.in)) return id.fires;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<timestamp> next_processing_time() const {
    return next_processing_time([](const window&) { return true; });
  }
  [[nodiscard]] bool empty() const { return event_.empty() && processing_.empty(); }

 private:
  struct entry {
    timestamp output;
    bool handed_out = false;
  };
  using queue = std::map<timer_id, entry>;

  static void hand_out(time_domain domain, const timer_id& id, entry& e, bundle& to);

  queue& of(time_domain domain) { return domain == time_domain::event ? event_ : processing_; }

  queue event_;
  queue processing_;
  holds holds_;
};

}  // namespace millrace
