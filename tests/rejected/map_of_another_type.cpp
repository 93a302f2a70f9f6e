// expect: millrace: map: the function must be callable with an element of the collection (const T&)
#include <millrace/transforms/map.hpp>

#include <string>

struct order {
  int amount = 0;
};

auto wrong(const millrace::pcollection<std::string>& lines) {
  return lines | millrace::map("amount", [](const order& o) { return o.amount; });
}
