// expect: millrace: a splittable function needs process(const T&, tracker<restriction>&, emitter<Out>&)
#include <millrace/transforms/par_do_splittable.hpp>

struct counting {
  using output = int;
  millrace::offset_range initial_restriction(int n) { return {0, n}; }
  void process(int, millrace::emitter<int>&) {}
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do_splittable("count", counting{});
}
