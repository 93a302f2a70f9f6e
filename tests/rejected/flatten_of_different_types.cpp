// expect: millrace: flatten takes collections of one element type
#include <millrace/transforms/flatten.hpp>

auto wrong(const millrace::pcollection<int>& a, const millrace::pcollection<long>& b) {
  return millrace::flatten("both", a, b);
}
