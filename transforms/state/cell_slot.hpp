#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::detail {

// The storage that a cell stands for during a call, and its name. The slots below also take back what a failed call
// did.
template <class Stored>
class cell_slot {
 public:
  explicit cell_slot(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Stored& read() const {
    check_bound();
    return *stored_;
  }
  [[nodiscard]] Stored& write() {
    check_bound();
    return *stored_;
  }
  void bind(Stored& to) { stored_ = &to; }
  void release() { stored_ = nullptr; }

 private:
  void check_bound() const {
    if (!stored_)
      throw std::logic_error("cell \"" + name_
                             + "\" is used outside of process, on_timer and on_window_expiration, or cells() does not "
                               "return it");
  }

  std::string name_;
  Stored* stored_ = nullptr;
};

// The slot of a cell whose value is one object: what it was before the call's first change is kept aside.
template <class Stored>
class replaced_slot : public cell_slot<Stored> {
 public:
  using cell_slot<Stored>::cell_slot;

  // The value, to be changed; the old one is copied first.
  [[nodiscard]] Stored& change() {
    Stored& now = this->write();
    if (!std::exchange(changed_, true)) old_ = now;
    return now;
  }
  // The value, to be replaced: in the call's first change it is moved away.
  [[nodiscard]] Stored& replace() {
    Stored& now = this->write();
    if (!std::exchange(changed_, true)) old_ = std::exchange(now, Stored{});
    return now;
  }
  void bind(Stored& to) {
    cell_slot<Stored>::bind(to);
    changed_ = false;
  }
  void take_back() {
    if (std::exchange(changed_, false)) this->write() = std::move(old_);
  }
  void release() {
    cell_slot<Stored>::release();
    if (changed_) old_ = Stored{};
  }

 private:
  bool changed_ = false;  // in this call
  Stored old_{};          // before the first change
};

// The slot of a cell whose container a call only adds to or clears: an addition is taken back by its old size.
template <class Stored>
class appended_slot : public cell_slot<Stored> {
 public:
  using cell_slot<Stored>::cell_slot;

  void clear() {
    Stored& now = this->write();
    if (old_) return now.clear();
    shrink(now);
    old_ = std::exchange(now, {});
  }
  void bind(Stored& to) {
    cell_slot<Stored>::bind(to);
    old_size_ = to.size();
    old_.reset();
  }
  void take_back() {
    if (old_) this->write() = std::move(*old_);
    else shrink(this->write());
    old_.reset();
  }
  void release() {
    cell_slot<Stored>::release();
    old_.reset();
  }

 private:
  void shrink(Stored& now) { now.erase(now.begin() + static_cast<std::ptrdiff_t>(old_size_), now.end()); }

  std::size_t old_size_ = 0;   // before this call
  std::optional<Stored> old_;  // the values before this call, once it has cleared them
};

// The slot of a cell that is a container with changes of any kind, which are taken back at their own cost alone, in
// reverse: change.undo(stored). A container that was cleared is kept aside whole, as it was before the call.
template <class Stored, class Change>
class logged_slot : public cell_slot<Stored> {
 public:
  using cell_slot<Stored>::cell_slot;

  // Notes a change that was made.
  void log(Change change) {
    if (!before_) changes_.push_back(std::move(change));
  }
  void clear() {
    Stored& now = this->write();
    if (before_) return now.clear();
    undo_all(now);
    before_ = std::exchange(now, {});
  }
  void bind(Stored& to) {
    cell_slot<Stored>::bind(to);
    forget();
  }
  void take_back() {
    if (before_) this->write() = std::move(*before_);
    else undo_all(this->write());
    forget();
  }
  void release() {
    cell_slot<Stored>::release();
    forget();
  }

 private:
  void undo_all(Stored& now) {
    for (Change& change : std::views::reverse(changes_)) change.undo(now);
    changes_.clear();
  }
  void forget() {
    changes_.clear();
    before_.reset();
  }

  std::vector<Change> changes_;
  std::optional<Stored> before_;
};

// The order of the keys of a cell: their own if they have one, else that of their encodings.
template <class Key>
struct cell_key_less {
  bool operator()(const Key& a, const Key& b) const {
    if constexpr (std::totally_ordered<Key>) return a < b;
    else return encode_whole(a) < encode_whole(b);
  }
};

// What the operator does with the cells of a function around each call: it points them at the storage of the key and
// window, then keeps or takes back what was written.
struct cell_access {
  template <class Cell>
  static void bind(Cell& cell, typename Cell::stored& to) {
    cell.slot_.bind(to);
  }
  template <class Cell>
  static void take_back(Cell& cell) {
    cell.slot_.take_back();
  }
  template <class Cell>
  static void release(Cell& cell) {
    cell.slot_.release();
  }
  // Whether storage keeps nothing.
  template <class Cell>
  static bool empty(const typename Cell::stored& of) {
    if constexpr (requires { of.has_value(); }) return !of.has_value();
    else return of.empty();
  }
  // The kind alone.
  template <class Cell>
  static constexpr std::string_view form = Cell::form;
  // For descriptions and fingerprints: kind and types.
  template <class Cell>
  static std::string kind(const Cell& cell) {
    return cell.kind();
  }
};

// A member that cells() may list as state.
template <class Cell>
concept state_cell = requires(Cell& cell, typename Cell::stored& to) {
  cell_access::bind(cell, to);
  cell_access::take_back(cell);
  cell_access::release(cell);
};

}  // namespace millrace::detail
