#pragma once

#include "program.hpp"

#include <optional>
#include <vector>

namespace reference {

// The last instant of a window.
[[nodiscard]] instant max_of(const window& of);

// The last watermark at which a window is live.
[[nodiscard]] instant expiry_of(const window& of, instant lateness);

// The windows of an element at a time.
[[nodiscard]] std::vector<window> assign(const window_function& by, instant time);

// Whether two windows share an instant; windows that touch do not.
[[nodiscard]] bool intersect(const window& a, const window& b);

// The least window that holds both.
[[nodiscard]] window span(const window& a, const window& b);

// The window of a side input that belongs to a window of the main input. Throws failure where none does.
[[nodiscard]] window side_window(const window& main, const window_function& side);

}  // namespace reference
