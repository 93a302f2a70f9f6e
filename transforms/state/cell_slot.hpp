#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/check.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace millrace::detail {

// The storage that a cell stands for during a call, and its name. Every kind of cell has one.
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
  void check_bound() const { check(stored_ != nullptr, "a cell is used in process, on_timer or on_window_expiration"); }

  std::string name_;
  Stored* stored_ = nullptr;
};

// What a call has changed in a cell that is a container, so that it can be taken back at the cost of the changes alone.
// `undo(stored, change)` takes one change back; changes are taken back in reverse. A container that was cleared is kept
// aside whole, as it was before the call.
template <class Stored, class Change>
class cell_log {
 public:
  void add(Change change) {
    if (!before_) changes_.push_back(std::move(change));
  }
  template <class Undo>
  void clear(Stored& stored, Undo&& undo) {
    if (before_) return stored.clear();
    undo_all(stored, undo);
    before_ = std::exchange(stored, {});
  }
  template <class Undo>
  void take_back(Stored& stored, Undo&& undo) {
    if (before_) stored = std::move(*before_);
    else undo_all(stored, undo);
    forget();
  }
  void forget() {
    changes_.clear();
    before_.reset();
  }

 private:
  template <class Undo>
  void undo_all(Stored& stored, Undo& undo) {
    for (Change& change : std::views::reverse(changes_)) undo(stored, change);
    changes_.clear();
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
    cell.bind(to);
  }
  template <class Cell>
  static void take_back(Cell& cell) {
    cell.take_back();
  }
  template <class Cell>
  static void release(Cell& cell) {
    cell.release();
  }
  // Whether storage keeps nothing.
  template <class Cell>
  static bool empty(const typename Cell::stored& of) {
    if constexpr (requires { of.has_value(); }) return !of.has_value();
    else return of.empty();
  }
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
