#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/state/cell_slot.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// One value for each key and window of a stateful function, which holds it as a member and lists it in cells(). During
// a call it stands for the value of the element's key and window; what a failed call wrote is taken back.
template <class T>
class value_state {
 public:
  using stored = std::optional<T>;

  explicit value_state(std::string name) : slot_(std::move(name)) { require_codable<T>(); }

  // The value, or T{} if there is none.
  [[nodiscard]] T get() const { return slot_.read() ? *slot_.read() : T{}; }
  // The value, or null.
  [[nodiscard]] const T* find() const { return slot_.read() ? &*slot_.read() : nullptr; }
  [[nodiscard]] bool has_value() const { return slot_.read().has_value(); }
  void set(T value) { slot_.replace() = std::move(value); }
  void clear() { slot_.replace().reset(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  static constexpr std::string_view form = "value";
  [[nodiscard]] std::string kind() const { return "value of " + coder<T>::name(); }

  detail::replaced_slot<stored> slot_;
};

// A bag of values for each key and window, of which nothing is read to add one.
template <class T>
class bag_state {
 public:
  using stored = std::vector<T>;

  explicit bag_state(std::string name) : slot_(std::move(name)) { require_codable<T>(); }

  void add(T value) { slot_.write().push_back(std::move(value)); }
  // All values, in no promised order; valid until the bag changes.
  [[nodiscard]] const std::vector<T>& read() const { return slot_.read(); }
  [[nodiscard]] bool empty() const { return slot_.read().empty(); }
  [[nodiscard]] std::size_t size() const { return slot_.read().size(); }
  void clear() { slot_.clear(); }
  [[nodiscard]] const std::string& name() const { return slot_.name(); }

 private:
  friend struct detail::cell_access;
  static constexpr std::string_view form = "bag";
  [[nodiscard]] std::string kind() const { return "bag of " + coder<T>::name(); }

  detail::appended_slot<stored> slot_;
};

}  // namespace millrace
