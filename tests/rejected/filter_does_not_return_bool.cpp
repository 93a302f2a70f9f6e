// expect: millrace: filter: the function must return bool, whether to keep the element
#include <millrace/transforms/filter.hpp>

#include <string>

auto wrong(const millrace::pcollection<std::string>& lines) {
  return lines | millrace::filter("long", [](const std::string& s) { return s.size(); });
}
