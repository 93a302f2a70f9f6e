#pragma once

#include <millrace/transforms/count.hpp>
#include <millrace/transforms/filter.hpp>
#include <millrace/transforms/keys.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>

namespace millrace {

// The elements that occur at least n times, once each: pcollection<T> -> pcollection<T>.
[[nodiscard]] inline auto frequent(std::string name, std::uint64_t n,
                                   std::source_location where = std::source_location::current()) {
  return composite(std::move(name), [n, where](const auto& in) {
    return in | count_per_element("count", where)
           | filter(
               "often enough", [n](const auto& counted) { return counted.value >= n; }, where)
           | keys("element", where);
  });
}

}  // namespace millrace
