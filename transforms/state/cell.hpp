#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

namespace detail {
struct cell_access;
}  // namespace detail

// One value for each key and window of a stateful function, which holds it as a member and lists it in cells(). During
// a call it stands for the value of the element's key and window; what a failed call wrote is taken back.
template <class T>
class value_state {
 public:
  using stored = std::optional<T>;

  explicit value_state(std::string name) : name_(std::move(name)) { require_codable<T>(); }

  // The value, or T{} if there is none.
  [[nodiscard]] T get() const { return slot() ? *slot() : T{}; }
  // The value, or null.
  [[nodiscard]] const T* find() const { return slot() ? &*slot() : nullptr; }
  [[nodiscard]] bool has_value() const { return slot().has_value(); }
  void set(T value) {
    keep_old();
    *slot_ = std::move(value);
  }
  void clear() {
    keep_old();
    slot_->reset();
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend struct detail::cell_access;
  [[nodiscard]] const stored& slot() const {
    check(slot_ != nullptr, "a cell is used in process, on_timer or on_window_expiration");
    return *slot_;
  }
  void keep_old() {
    static_cast<void>(slot());
    if (changed_) return;
    changed_ = true;
    old_ = std::move(*slot_);
    slot_->reset();
  }

  std::string name_;
  stored* slot_ = nullptr;
  bool changed_ = false;  // in this call
  stored old_;            // before the first change
};

// A bag of values for each key and window, of which nothing is read to add one.
template <class T>
class bag_state {
 public:
  using stored = std::vector<T>;

  explicit bag_state(std::string name) : name_(std::move(name)) { require_codable<T>(); }

  void add(T value) {
    static_cast<void>(slot());
    slot_->push_back(std::move(value));
  }
  // All values, in no promised order; valid until the bag changes.
  [[nodiscard]] const std::vector<T>& read() const { return slot(); }
  [[nodiscard]] bool empty() const { return slot().empty(); }
  [[nodiscard]] std::size_t size() const { return slot().size(); }
  void clear() {
    static_cast<void>(slot());
    if (!old_) {
      slot_->erase(slot_->begin() + static_cast<std::ptrdiff_t>(old_size_), slot_->end());
      old_ = std::exchange(*slot_, {});
    } else {
      slot_->clear();
    }
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend struct detail::cell_access;
  [[nodiscard]] const stored& slot() const {
    check(slot_ != nullptr, "a cell is used in process, on_timer or on_window_expiration");
    return *slot_;
  }

  std::string name_;
  stored* slot_ = nullptr;
  std::size_t old_size_ = 0;   // before this call
  std::optional<stored> old_;  // the values before this call, once it has cleared them
};

namespace detail {

// What the operator does with the cells of a function around each call: it points them at the storage of the key and
// window, then keeps or takes back what was written.
struct cell_access {
  template <class T>
  static void bind(value_state<T>& cell, std::optional<T>& slot) {
    cell.slot_ = &slot;
    cell.changed_ = false;
  }
  template <class T>
  static void bind(bag_state<T>& cell, std::vector<T>& slot) {
    cell.slot_ = &slot;
    cell.old_size_ = slot.size();
    cell.old_.reset();
  }
  template <class T>
  static void take_back(value_state<T>& cell) {
    if (cell.changed_) *cell.slot_ = std::move(cell.old_);
    cell.changed_ = false;
  }
  template <class T>
  static void take_back(bag_state<T>& cell) {
    std::vector<T>& slot = *cell.slot_;
    if (cell.old_) slot = std::move(*cell.old_);
    else slot.erase(slot.begin() + static_cast<std::ptrdiff_t>(cell.old_size_), slot.end());
    cell.old_.reset();
  }
  template <class T>
  static void release(value_state<T>& cell) {
    cell.slot_ = nullptr;
    if (cell.changed_) cell.old_.reset();
  }
  template <class T>
  static void release(bag_state<T>& cell) {
    cell.slot_ = nullptr;
    cell.old_.reset();
  }
  template <class T>
  static bool empty(const std::optional<T>& slot) {
    return !slot.has_value();
  }
  template <class T>
  static bool empty(const std::vector<T>& slot) {
    return slot.empty();
  }
};

}  // namespace detail

}  // namespace millrace
