#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/state/cell_slot.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// A set of values for each key and window.
template <class T>
class set_state {
 public:
  using stored = std::set<T, detail::cell_key_less<T>>;

  explicit set_state(std::string name) : slot_(std::move(name)) { require_key<T>(); }

  void add(T value) { static_cast<void>(add_if_absent(std::move(value))); }
  // Whether it was not there.
  bool add_if_absent(T value) {
    const auto [at, added] = slot_.write().insert(std::move(value));
    if (added) slot_.log({*at, true});
    return added;
  }
  void remove(const T& value) {
    if (auto removed = slot_.write().extract(value)) slot_.log({std::move(removed.value()), false});
  }
  [[nodiscard]] bool contains(const T& value) const { return slot_.read().contains(value); }
  // All values; valid until the set changes.
  [[nodiscard]] const stored& read() const { return slot_.read(); }
  [[nodiscard]] bool empty() const { return slot_.read().empty(); }
  [[nodiscard]] std::size_t size() const { return slot_.read().size(); }
  void clear() { slot_.clear(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  struct change {
    T value;
    bool added;
    void undo(stored& now) {
      if (added) now.erase(value);
      else now.insert(std::move(value));
    }
  };
  static constexpr std::string_view form = "set";
  [[nodiscard]] std::string kind() const { return "set of " + coder<T>::name(); }

  detail::logged_slot<stored, change> slot_;
};

}  // namespace millrace
