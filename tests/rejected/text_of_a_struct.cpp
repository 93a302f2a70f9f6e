// expect: millrace: to_string takes a collection of text, numbers, bool or char
#include <millrace/transforms/to_string.hpp>

struct point {
  int x = 0;
};

auto wrong(const millrace::pcollection<point>& in) {
  return in | millrace::to_string("text");
}
