// expect: millrace: an emitter takes values of its own type, or what that type can be constructed from
#include <millrace/transforms/flat_map.hpp>

#include <string>

auto wrong(const millrace::pcollection<std::string>& lines) {
  return lines | millrace::flat_map("lengths", [](const std::string& s, millrace::emitter<int>& out) { out(s); });
}
