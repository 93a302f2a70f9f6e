#include <millrace/transforms/windows/window_fn.hpp>

#include <chrono>
#include <cstdlib>

// Compiled against a copy of the tree with the window function that CONTRIBUTING.md adds: see add_window_function.
int main() {
  using namespace std::chrono_literals;
  using millrace::timestamp;
  using millrace::window;
  const millrace::window_fn fn = millrace::day_and_night(6h, 22h);
  const auto at = [](millrace::duration since_1970) { return timestamp{since_1970.count()}; };
  const bool right =
      fn.assign_one(at(6h)) == window{at(6h), at(22h)} && fn.assign_one(at(22h)) == window{at(22h), at(30h)}
      && fn.assign_one(at(1h)) == window{at(-2h), at(6h)} && fn.assign(at(-1ms)).front() == window{at(-2h), at(6h)}
      && fn.single() && !fn.merging() && fn.describe() == "day_and_night(6h, 22h)";
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
