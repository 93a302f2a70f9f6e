// expect: millrace: a pointer means nothing in another process; let the element hold the value
#include <millrace/transforms/map.hpp>

auto wrong(const millrace::pcollection<int>& numbers) {
  return numbers | millrace::map("address", [](const int& x) { return &x; });
}
