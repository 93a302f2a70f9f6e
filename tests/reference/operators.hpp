#pragma once

#include "program.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace reference {

// Elements that go to a step together; a grouping looks at its triggers once for all of them.
using bundle = std::vector<output>;

// What a step sees of the world while one event is dealt with. The input watermark is the one after the event, the
// output watermark the one before it.
struct moment {
  instant watermark = min_time;
  instant output_watermark = min_time;
  instant clock = 0;
  bool draining = false;
};

// The elements of a bundle by their keys, in the order in which they came.
[[nodiscard]] inline std::map<std::string, bundle> by_key(const bundle& elements) {
  std::map<std::string, bundle> split;
  for (const output& one : elements) split[one.key].push_back(one);
  return split;
}

// Adds what one key has given out at once: it goes on as one bundle.
inline void pass_on(std::vector<bundle>& to, bundle elements) {
  if (!elements.empty()) to.push_back(std::move(elements));
}

}  // namespace reference
