// expect: millrace: with_timestamps: the function must return a timestamp or a time point of the system clock
#include <millrace/transforms/timestamps.hpp>

auto wrong(const millrace::pcollection<long>& seconds) {
  return seconds | millrace::with_timestamps("at", [](const long& s) { return s; });
}
