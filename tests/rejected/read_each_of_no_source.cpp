// expect: read_each takes a function that gives a source for an element
#include <millrace/transforms/sources/create.hpp>
#include <millrace/transforms/sources/read_each.hpp>

void build(millrace::pipeline& p) {
  p | millrace::create("numbers", {1, 2}) | millrace::read_each("read", [](int n) { return n; });
}
