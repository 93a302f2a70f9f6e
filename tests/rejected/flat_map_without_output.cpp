// expect: millrace: flat_map: the function must take an element of the collection and an emitter<U>&, or return a range
#include <millrace/transforms/flat_map.hpp>

#include <string>

auto wrong(const millrace::pcollection<std::string>& lines) {
  return lines | millrace::flat_map("first", [](const std::string& s) { return s.size(); });
}
