#include "windows.hpp"

#include <algorithm>

namespace reference {

namespace {

instant floor_mod(instant a, instant b) {
  const instant rest = a % b;
  return rest < 0 ? rest + b : rest;
}

// Every window ends with the global one at the latest.
instant cut(instant end) {
  return std::min(end, global_max_time + 1);
}

window fixed_window(const window_function& by, instant time) {
  const instant start = time - floor_mod(time - by.offset, by.size);
  return {std::max(start, min_time), cut(start + by.size)};
}

}  // namespace

instant max_of(const window& of) {
  return of.end - 1;
}

instant expiry_of(const window& of, instant lateness) {
  const instant room = global_max_time - max_of(of);
  return lateness > room ? global_max_time : max_of(of) + lateness;
}

std::vector<window> assign(const window_function& by, instant time) {
  if (time > global_max_time && by.kind != window_kind::global)
    throw failure("an element behind the end of the global window has no window");
  switch (by.kind) {
  case window_kind::global:
    return {global_window};
  case window_kind::fixed:
    return {fixed_window(by, time)};
  case window_kind::sessions:
    return {{time, cut(time + by.size)}};
  case window_kind::sliding:
    break;
  }
  std::vector<window> all;
  const instant last = time - floor_mod(time - by.offset, by.period);
  for (instant start = last; start > time - by.size; start -= by.period)
    all.push_back({std::max(start, min_time), cut(start + by.size)});
  return all;
}

bool intersect(const window& a, const window& b) {
  return a.start < b.end && b.start < a.end;
}

window span(const window& a, const window& b) {
  return {std::min(a.start, b.start), std::max(a.end, b.end)};
}

window side_window(const window& main, const window_function& side) {
  if (side.kind == window_kind::global) return global_window;
  if (main == global_window)
    throw failure("no window of the side input belongs to the global window of the main input");
  const std::vector<window> all = assign(side, max_of(main));
  if (all.empty()) throw failure("no window of the side input holds the last instant of the main window");
  return *std::min_element(all.begin(), all.end());
}

}  // namespace reference
