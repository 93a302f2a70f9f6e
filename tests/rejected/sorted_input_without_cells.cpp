// expect: millrace: par_do: time-sorted input is for functions with cells(), which have their input by key; give it
#include <millrace/transforms/par_do.hpp>

struct pass {
  static constexpr bool requires_time_sorted_input = true;
  using output = int;
  void process(const int& x, millrace::emitter<int>& out) { out(x); }
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do("pass", pass{});
}
