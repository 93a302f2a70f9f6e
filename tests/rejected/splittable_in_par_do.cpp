// expect: millrace: par_do: a function with initial_restriction(const T&) is splittable; apply it with
// par_do_splittable
#include <millrace/transforms/par_do.hpp>

struct counting {
  using output = int;
  millrace::offset_range initial_restriction(int n) { return {0, n}; }
  void process(int, millrace::tracker<millrace::offset_range>&, millrace::emitter<int>&) {}
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do("count", counting{});
}
