// expect: millrace: par_do: start_bundle takes no arguments: void start_bundle()
#include <millrace/transforms/par_do.hpp>

struct begins {
  using output = int;
  void start_bundle(millrace::emitter<int>&) {}
  void process(const int& x, millrace::emitter<int>& out) { out(x); }
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do("begin", begins{});
}
