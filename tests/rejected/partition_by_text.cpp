// expect: millrace: partition: the function must return an integer, the number of the output
#include <millrace/transforms/partition.hpp>

#include <string>

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::partition<2>("parts", [](int x) { return std::to_string(x); });
}
