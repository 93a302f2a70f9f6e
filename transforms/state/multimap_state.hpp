#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/state/cell_slot.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// A bag of values for each key of a map, for each key and window of a stateful function.
template <class Key, class Value>
class multimap_state {
 public:
  using bag = std::vector<Value>;
  using stored = std::map<Key, bag, detail::cell_key_less<Key>>;

  explicit multimap_state(std::string name) : slot_(std::move(name)) {
    require_key<Key>();
    require_codable<Value>();
  }

  // Adds a value to those of a key.
  void put(Key key, Value value) {
    const auto at = slot_.write().try_emplace(std::move(key)).first;
    at->second.push_back(std::move(value));
    slot_.log({at->first, std::nullopt});
  }
  // Forgets all values of a key.
  void remove(const Key& key) {
    if (auto removed = slot_.write().extract(key)) slot_.log({std::move(removed.key()), std::move(removed.mapped())});
  }

  // The values of a key, in no promised order; valid until the multimap changes.
  [[nodiscard]] const bag& get(const Key& key) const {
    const auto at = slot_.read().find(key);
    return at == slot_.read().end() ? nothing_ : at->second;
  }
  [[nodiscard]] bool contains(const Key& key) const { return slot_.read().contains(key); }
  [[nodiscard]] std::vector<Key> keys() const {
    std::vector<Key> all;
    for (const auto& [key, values] : slot_.read()) all.push_back(key);
    return all;
  }
  // The keys with their values; valid until the multimap changes.
  [[nodiscard]] const stored& entries() const { return slot_.read(); }
  [[nodiscard]] bool empty() const { return slot_.read().empty(); }
  void clear() { slot_.clear(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  struct change {
    Key key;
    std::optional<bag> removed;  // else one value was added
    void undo(stored& now) {
      if (removed) {
        now.insert_or_assign(std::move(key), std::move(*removed));
        return;
      }
      const auto at = now.find(key);
      at->second.pop_back();
      if (at->second.empty()) now.erase(at);
    }
  };
  static constexpr std::string_view form = "multimap";
  [[nodiscard]] std::string kind() const { return "multimap of " + coder<Key>::name() + " to " + coder<Value>::name(); }

  detail::logged_slot<stored, change> slot_;
  bag nothing_;
};

}  // namespace millrace
