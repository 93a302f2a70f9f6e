#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/state/cell_slot.hpp>

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// Values with timestamps, in their order, for each key and window of a stateful function. Equal pairs are kept as often
// as they are added.
template <class Value>
class ordered_list_state {
 public:
  using stored = std::multimap<timestamp, Value>;
  using range = std::ranges::subrange<typename stored::const_iterator>;

  explicit ordered_list_state(std::string name) : slot_(std::move(name)) { require_codable<Value>(); }

  void add(timestamp at, Value value) {
    slot_.write().emplace(at, std::move(value));
    slot_.log({at, std::nullopt});
  }
  // All pairs of a timestamp and a value, by timestamp; valid until the list changes.
  [[nodiscard]] const stored& read() const { return slot_.read(); }
  // Those with a timestamp in [from, to).
  [[nodiscard]] range read_range(timestamp from, timestamp to) const {
    const stored& now = slot_.read();
    if (to <= from) return {now.end(), now.end()};
    return {now.lower_bound(from), now.lower_bound(to)};
  }
  // Removes those with a timestamp in [from, to).
  void clear_range(timestamp from, timestamp to) {
    stored& now = slot_.write();
    for (auto at = now.lower_bound(from); at != now.end() && at->first < to; at = now.erase(at))
      slot_.log({at->first, std::move(at->second)});
  }
  [[nodiscard]] bool empty() const { return slot_.read().empty(); }
  [[nodiscard]] std::size_t size() const { return slot_.read().size(); }
  void clear() { slot_.clear(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  struct change {
    timestamp at;
    std::optional<Value> removed;  // else one was added, behind those with its timestamp
    void undo(stored& now) {
      if (removed) now.emplace_hint(now.lower_bound(at), at, std::move(*removed));
      else now.erase(std::prev(now.upper_bound(at)));
    }
  };
  static constexpr std::string_view form = "ordered_list";
  [[nodiscard]] std::string kind() const { return "ordered list of " + coder<Value>::name(); }

  detail::logged_slot<stored, change> slot_;
};

}  // namespace millrace
