#pragma once

#include "program.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace reference {

// What a trigger remembers of one window, with the same parts as the trigger.
struct trigger_state {
  bool finished = false;
  std::int64_t seen = 0;          // count: elements since it was reset
  std::optional<instant> target;  // clock triggers: fixed by the first element since it was reset
  std::vector<trigger_state> parts;
};

// What a trigger sees of the world when it is asked about a window.
struct trigger_view {
  instant window_max = 0;
  instant watermark = min_time;
  instant clock = 0;
  bool merging = false;  // the windows may merge, which can revive what is finished
};

[[nodiscard]] trigger_state fresh_state(const trigger& of);

void on_element(const trigger& of, trigger_state& state, const trigger_view& view);
[[nodiscard]] bool is_ready(const trigger& of, const trigger_state& state, const trigger_view& view);
void on_fire(const trigger& of, trigger_state& state, const trigger_view& view);

// The state of a window that those of the given states have become.
[[nodiscard]] trigger_state merged_state(const trigger& of, const std::vector<trigger_state>& states,
                                         const trigger_view& view);

// Whether the trigger wants a look when the watermark passes the end of the window.
[[nodiscard]] bool waits_for_end(const trigger& of, const trigger_state& state);

// Whether the trigger wants a look because the clock has gone from `before` past an instant it waits for.
[[nodiscard]] bool waited_for_clock(const trigger& of, const trigger_state& state, instant before, instant now);

// What the trigger becomes behind a grouping.
[[nodiscard]] trigger continuation_of(const trigger& of);

[[nodiscard]] bool may_finish(const trigger& of);

// The watermark by which the trigger has surely fired for a window that has elements.
[[nodiscard]] instant surely_fired_at(const trigger& of, const window& in);

}  // namespace reference
