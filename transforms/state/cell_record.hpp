#pragma once

#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::detail {

template <class T>
inline constexpr bool is_state_cell = false;
template <class T>
inline constexpr bool is_state_cell<value_state<T>> = true;
template <class T>
inline constexpr bool is_state_cell<bag_state<T>> = true;

template <class Cell>
inline constexpr bool is_timer = std::derived_from<Cell, keyed_timer>;

// How a cell is stored for one key and window.
template <class Cell>
consteval auto find_stored() {
  static_assert(is_state_cell<Cell> || is_timer<Cell>,
                "millrace: cells() returns std::tie of members of types value_state, bag_state, event_timer and "
                "processing_timer");
  if constexpr (is_timer<Cell>) return std::type_identity<timer_slot>{};
  else return std::type_identity<typename Cell::stored>{};
}
template <class References>
struct record_of_cells;
template <class... Cells>
struct record_of_cells<std::tuple<Cells&...>> {
  using type = std::tuple<typename decltype(find_stored<Cells>())::type...>;
  static constexpr bool event_timers = (std::is_same_v<Cells, event_timer> || ...);
  static constexpr bool processing_timers = (std::is_same_v<Cells, processing_timer> || ...);
};

// The cells that a stateful function lists, as its operator sees them: numbered in the order of cells(), and stored for
// each key and window as one record. Around a call they are bound to a record; then they are released, which keeps what
// was written, or first taken back. Owned by the operator beside the function.
template <class Fn>
class function_cells {
 public:
  using types = record_of_cells<decltype(std::declval<Fn&>().cells())>;
  using record = typename types::type;
  static constexpr std::size_t size = std::tuple_size_v<record>;

  explicit function_cells(Fn& fn) : fn_(fn) {}

  // The scope must live until release().
  void bind(record& to, const timer_scope& scope) {
    each(to, [&](auto& cell, auto& slot, std::uint32_t) {
      if constexpr (is_timer<std::remove_reference_t<decltype(cell)>>) timer_access::bind(cell, slot, scope);
      else cell_access::bind(cell, slot);
    });
  }
  void take_back(record& to) {
    each(to, [](auto& cell, auto&, std::uint32_t) {
      if constexpr (is_timer<std::remove_reference_t<decltype(cell)>>) timer_access::take_back(cell);
      else cell_access::take_back(cell);
    });
  }
  // Calls changed(domain is processing time, number, before, now) for each timer that the call has changed.
  template <class Changed>
  void release(record& to, Changed&& changed) {
    each(to, [&](auto& cell, auto& slot, std::uint32_t number) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>) {
        if (timer_access::changed(cell) && !(timer_access::old(cell) == slot))
          changed(std::is_same_v<type, processing_timer>, number, timer_access::old(cell), slot);
        timer_access::release(cell);
      } else {
        cell_access::release(cell);
      }
    });
  }

  // Calls f(timer, slot) for the timer with this number.
  template <class F>
  void with_timer(record& of, std::uint32_t number, F&& f) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t n) {
      if constexpr (is_timer<std::remove_reference_t<decltype(cell)>>) {
        if (n == number) f(cell, slot);
      }
    });
  }
  // Calls f(is processing time, number, slot) for each pending timer of a record.
  template <class F>
  void each_pending(record& of, F&& f) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t number) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>) {
        if (slot.pending) f(std::is_same_v<type, processing_timer>, number, slot);
      }
    });
  }

  // Whether nothing is kept in a record.
  [[nodiscard]] static bool empty(const record& of) {
    return std::apply([](const auto&... slot) { return (is_empty(slot) && ...); }, of);
  }
  static void encode(writer& to, const record& of) {
    std::apply([&](const auto&... slot) { (coder<std::remove_cvref_t<decltype(slot)>>::encode(to, slot), ...); }, of);
  }
  static void decode(reader& from, record& to) {
    std::apply([&](auto&... slot) { ((slot = coder<std::remove_cvref_t<decltype(slot)>>::decode(from)), ...); }, to);
  }

  // The names of the cells, in order.
  [[nodiscard]] std::vector<std::string> names() {
    return std::apply([](const auto&... cell) { return std::vector<std::string>{cell.name()...}; }, fn_.cells());
  }

 private:
  static bool is_empty(const timer_slot& slot) { return !slot.pending; }
  template <class Slot>
  static bool is_empty(const Slot& slot) {
    return cell_access::empty(slot);
  }

  template <class F>
  void each(record& of, F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto cells = fn_.cells();
      (f(std::get<I>(cells), std::get<I>(of), static_cast<std::uint32_t>(I)), ...);
    }(std::make_index_sequence<size>{});
  }

  Fn& fn_;
};

}  // namespace millrace::detail
