#pragma once

#include <millrace/transforms/checkpoints/state_schema.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/state/cell_slot.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace::detail {

template <class Cell>
inline constexpr bool is_timer = std::derived_from<Cell, keyed_timer>;

// How a cell is stored for one key and window.
template <class Cell>
consteval void require_cell() {
  static_assert(state_cell<Cell> || is_timer<Cell>,
                "millrace: cells() returns std::tie of members that are state (value_state, bag_state, map_state, ...) "
                "or timers (event_timer, processing_timer, ...)");
}
template <class Cell>
consteval auto find_stored() {
  require_cell<Cell>();
  if constexpr (state_cell<Cell> || is_timer<Cell>) return std::type_identity<typename Cell::stored>{};
  else return std::type_identity<timer_slot>{};  // the refusal is the only error
}
template <class Cell, time_domain Domain>
consteval bool is_timer_of() {
  if constexpr (is_timer<Cell>) return Cell::domain == Domain;
  else return false;
}

template <class Cell, class Stored>
bool is_empty(const Stored& of) {
  if constexpr (is_timer<Cell>) return timer_access::empty(of);
  else return cell_access::empty<Cell>(of);
}
template <class References>
struct record_of_cells;
template <class... Cells>
struct record_of_cells<std::tuple<Cells&...>> {
  using type = std::tuple<typename decltype(find_stored<Cells>())::type...>;
  static bool empty(const type& of) {
    return std::apply([](const auto&... slot) { return (is_empty<Cells>(slot) && ...); }, of);
  }
  template <time_domain Domain>
  static constexpr bool timers_of = (is_timer_of<Cells, Domain>() || ...);
  static constexpr bool event_timers = timers_of<time_domain::event>;
  static constexpr bool processing_timers = timers_of<time_domain::processing>;
  template <class Cell>
  static constexpr bool has = (std::is_same_v<Cells, Cell> || ...);
};

template <class Cells>
inline constexpr bool is_tie = false;
template <class... Cells>
inline constexpr bool is_tie<std::tuple<Cells&...>> = true;
// Whether cells() refers to members, as std::tie does.
template <class Fn>
concept ties_cells = is_tie<decltype(std::declval<Fn&>().cells())>;

// Which timer of a record.
struct timer_place {
  time_domain domain;
  std::uint32_t cell;
  std::string_view tag;
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
  // Calls changed(timer_place, before, now) for each timer that the call has changed.
  template <class Changed>
  void release(record& to, Changed&& changed) {
    each(to, [&](auto& cell, auto&, std::uint32_t number) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>)
        timer_access::release(cell, [&](std::string_view tag, const timer_slot& before, timer_slot& now) {
          changed(timer_place{type::domain, number, tag}, before, now);
        });
      else cell_access::release(cell);
    });
  }

  // Calls f(timer, its storage) for the timer with this number.
  template <class F>
  void with_timer(record& of, std::uint32_t number, F&& f) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t n) {
      if constexpr (is_timer<std::remove_reference_t<decltype(cell)>>) {
        if (n == number) f(cell, slot);
      }
    });
  }
  // Calls f(timer_place, slot) for each pending timer of a record.
  template <class F>
  void each_pending(record& of, F&& f) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t number) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>)
        timer_access::each_pending(slot, [&](std::string_view tag, const timer_slot& pending) {
          f(timer_place{type::domain, number, tag}, pending);
        });
    });
  }
  // The windows' expiry is another one than when the record was written.
  void move_timers(record& of, timestamp expiry) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>)
        timer_access::each_slot(slot, [&](timer_slot& pending) { pending.move_to(type::domain, expiry); });
    });
  }
  // Forgets all timers of one clock, or of both.
  void clear_timers(record& of, bool event_timers_too) {
    each(of, [&](auto& cell, auto& slot, std::uint32_t) {
      using type = std::remove_reference_t<decltype(cell)>;
      if constexpr (is_timer<type>) {
        if (event_timers_too || type::domain == time_domain::processing) slot = {};
      }
    });
  }

  // Whether nothing is kept in a record.
  [[nodiscard]] static bool empty(const record& of) { return types::empty(of); }
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
  // Reads a record whose cells were written in another order, maybe fewer: `order` names the cell of each that comes.
  static void decode(reader& from, record& to, const std::vector<std::uint32_t>& order) {
    for (const std::uint32_t number : order)
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((I == number ? read_cell(from, std::get<I>(to)) : void()), ...);
      }(std::make_index_sequence<size>{});
  }

  // What is kept of each cell, for checkpoints.
  void add_to(state_schema& kept) {
    std::apply(
        [&](const auto&... cell) {
          (kept.parts.push_back({"cell \"" + cell.name() + "\"", schema_of_cell(cell), state_match::cell}), ...);
        },
        fn_.cells());
  }
  // Names and kinds in order, for descriptions and fingerprints.
  [[nodiscard]] std::string describe() {
    std::string text;
    std::apply([&](const auto&... cell) { ((text += (text.empty() ? "" : ", ") + described(cell)), ...); },
               fn_.cells());
    return text;
  }

 private:
  template <class Stored>
  static void read_cell(reader& from, Stored& to) {
    to = coder<Stored>::decode(from);
  }
  // A timer is its clock and whether there is one for each tag; state is its kind of cell and what that stores.
  template <class Cell>
  static type_schema schema_of_cell(const Cell& /*cell*/) {
    if constexpr (is_timer<Cell>) {
      const bool family = !std::is_same_v<typename Cell::stored, timer_slot>;
      return {.name = std::string(Cell::domain == time_domain::event ? "event_timer" : "processing_timer")
                      + (family ? "_family" : "")};
    } else {
      type_schema stored = schema_of<typename Cell::stored>();
      if (stored.name == "optional") stored = std::move(stored.parts.front());
      return {
          .name = std::string(cell_access::form<Cell>), .is = type_schema::form::parts, .parts = {std::move(stored)}};
    }
  }
  template <class Cell>
  static std::string described(const Cell& cell) {
    if constexpr (is_timer<Cell>) return cell.name();
    else return cell.name() + " (" + cell_access::kind(cell) + ")";
  }

  template <class F>
  void each(record& of, F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] auto cells = fn_.cells();
      (f(std::get<I>(cells), std::get<I>(of), static_cast<std::uint32_t>(I)), ...);
    }(std::make_index_sequence<size>{});
  }

  Fn& fn_;
};

}  // namespace millrace::detail
