// expect: millrace: par_do: the function must name its output (using output = X;) or take an emitter<X>&
#include <millrace/transforms/par_do.hpp>

struct nameless {
  void process(const int&) {}
};

auto wrong(const millrace::pcollection<int>& numbers) {
  return numbers | millrace::par_do("nameless", nameless{});
}
