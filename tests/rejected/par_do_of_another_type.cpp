// expect: millrace: par_do: process must be callable with an element of the collection (const T&)
#include <millrace/transforms/par_do.hpp>

#include <string>

struct lengths {
  using output = int;
  void process(const std::string& s, millrace::emitter<int>& out) { out(static_cast<int>(s.size())); }
};

auto wrong(const millrace::pcollection<int>& numbers) {
  return numbers | millrace::par_do("lengths", lengths{});
}
