#pragma once

#include <millrace/transforms/combine_fn.hpp>
#include <millrace/transforms/triggers/trigger.hpp>
#include <millrace/transforms/windows/windowing.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace millrace {

// When panes appear before the end of the window, as far as flat tables can tell. The end of the window and late
// bundles always fire.
struct fast_firing {
  enum class early_kind : std::uint8_t {
    none,
    each_bundle,  // whatever keys it brought
    delay         // on the processing clock, counted from the first element since the last firing
  };
  early_kind early = early_kind::none;
  std::vector<clock_step> steps;  // of the delay
};

// Why a combine with this windowing takes the general path, as part of a sentence; empty if flat tables can fire it
// exactly: windows that do not merge, panes at the end of their windows, and a trigger that fires a whole window at
// once, all keys of a bundle, or by a delay before the end.
[[nodiscard]] std::string why_not_fast(const windowing_strategy& strategy);

// Whether flat tables fire early with the bundles that bring elements. They cannot go on so where elements of other
// keys wait for their panes already, as after a change of trigger.
[[nodiscard]] bool fires_with_bundles(const windowing_strategy& strategy);

// How flat tables fire; only for a strategy that is fast.
[[nodiscard]] fast_firing fast_firing_of(const windowing_strategy& strategy);

// The most bytes of an accumulator that a table keeps beside its key.
inline constexpr std::size_t fast_accumulator_bytes_max = 256;

// An accumulator that can lie in a slot: plain memory, not too much of it.
template <class Acc>
inline constexpr bool fast_accumulator =
    std::is_trivially_copyable_v<Acc> && alignof(Acc) <= 64 && sizeof(Acc) <= fast_accumulator_bytes_max;

// The same for a whole combine: its accumulators must be plain memory too.
template <class Fn>
[[nodiscard]] std::string why_not_fast_combine(const windowing_strategy& strategy) {
  if constexpr (!fast_accumulator<accumulator_of<Fn>>)
    return "its accumulator, " + coder<accumulator_of<Fn>>::name() + ", is not plain memory of at most "
           + std::to_string(fast_accumulator_bytes_max) + " bytes";
  else return why_not_fast(strategy);
}

}  // namespace millrace
