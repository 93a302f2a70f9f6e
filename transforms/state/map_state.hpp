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

// A map for each key and window of a stateful function. Values are written and read one by one.
template <class Key, class Value>
class map_state {
 public:
  using stored = std::map<Key, Value, detail::cell_key_less<Key>>;

  explicit map_state(std::string name) : slot_(std::move(name)) {
    require_key<Key>();
    require_codable<Value>();
  }

  void put(Key key, Value value) {
    const auto [at, added] = slot_.write().try_emplace(std::move(key));
    slot_.log({at->first, added ? std::nullopt : std::optional<Value>{std::move(at->second)}});
    at->second = std::move(value);
  }
  // The value that is there, or null if there was none and `value` was put.
  const Value* put_if_absent(Key key, Value value) {
    if (const Value* there = find(key)) return there;
    put(std::move(key), std::move(value));
    return nullptr;
  }
  // The value of a key, that of make(key) being put first if there is none.
  template <class Make>
  const Value& compute_if_absent(const Key& key, Make&& make) {
    if (const Value* there = find(key)) return *there;
    put(key, make(key));
    return *find(key);
  }
  void remove(const Key& key) {
    if (auto removed = slot_.write().extract(key)) slot_.log({std::move(removed.key()), std::move(removed.mapped())});
  }

  // The value of a key, or null; valid until the map changes.
  [[nodiscard]] const Value* find(const Key& key) const {
    const auto at = slot_.read().find(key);
    return at == slot_.read().end() ? nullptr : &at->second;
  }
  // The value of a key, or Value{} if there is none.
  [[nodiscard]] Value get(const Key& key) const { return get_or(key, Value{}); }
  [[nodiscard]] Value get_or(const Key& key, Value fallback) const {
    const Value* there = find(key);
    return there ? *there : std::move(fallback);
  }
  [[nodiscard]] bool contains(const Key& key) const { return slot_.read().contains(key); }
  [[nodiscard]] std::vector<Key> keys() const {
    std::vector<Key> all;
    for (const auto& [key, value] : slot_.read()) all.push_back(key);
    return all;
  }
  [[nodiscard]] std::vector<Value> values() const {
    std::vector<Value> all;
    for (const auto& [key, value] : slot_.read()) all.push_back(value);
    return all;
  }
  // All pairs; valid until the map changes.
  [[nodiscard]] const stored& entries() const { return slot_.read(); }
  [[nodiscard]] bool empty() const { return slot_.read().empty(); }
  [[nodiscard]] std::size_t size() const { return slot_.read().size(); }
  void clear() { slot_.clear(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  struct change {
    Key key;
    std::optional<Value> before;
    void undo(stored& now) {
      if (before) now.insert_or_assign(std::move(key), std::move(*before));
      else now.erase(key);
    }
  };
  static constexpr std::string_view form = "map";
  [[nodiscard]] std::string kind() const { return "map of " + coder<Key>::name() + " to " + coder<Value>::name(); }

  detail::logged_slot<stored, change> slot_;
};

}  // namespace millrace
