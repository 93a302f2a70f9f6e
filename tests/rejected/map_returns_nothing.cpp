// expect: millrace: map: the function must return the new element, not void
#include <millrace/transforms/map.hpp>

auto wrong(const millrace::pcollection<int>& numbers) {
  return numbers | millrace::map("nothing", [](const int&) {});
}
