#pragma once

#include <millrace/transforms/element/time.hpp>

#include <string>
#include <utility>

namespace millrace {

// A value and its event time, as literal inputs of tests and examples give them.
template <class T>
struct timestamped_value {
  // Not an aggregate, so that the braces of a value are never taken for those of value and time.
  timestamped_value(T v, timestamp t) : value(std::move(v)), at(t) {}

  T value;
  timestamp at;
};

template <class T>
timestamped_value(T, timestamp) -> timestamped_value<T>;
timestamped_value(const char*, timestamp) -> timestamped_value<std::string>;

}  // namespace millrace
