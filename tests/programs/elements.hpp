#pragma once

#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/element/time.hpp>
#include <millrace/transforms/sources/timestamped_value.hpp>

#include <cstdint>
#include <string>

// What the scripts of programs put into their test streams. A file takes the elements of one kind: `using namespace
// numbers` or `using namespace texts`.
namespace millrace::programs {

namespace scripts {
using text = std::string;
using number = std::int64_t;

inline timestamp time(number millis) {
  return timestamp{millis};
}
}  // namespace scripts

namespace numbers {
using namespace scripts;
using pair = kv<text, number>;

inline timestamped_value<pair> at(const char* key, number millis, number value = 0) {
  return {pair{key, value}, time(millis)};
}
}  // namespace numbers

namespace texts {
using namespace scripts;
using pair = kv<text, text>;

// All of one key.
inline timestamped_value<pair> at(const char* value, number millis) {
  return {pair{"k", value}, time(millis)};
}
}  // namespace texts

}  // namespace millrace::programs
