// expect: millrace: a splittable function cannot keep state
#include <millrace/transforms/par_do_splittable.hpp>
#include <millrace/transforms/state/cell.hpp>

#include <tuple>

struct counting {
  using output = int;
  millrace::offset_range initial_restriction(const millrace::kv<int, int>& x) { return {0, x.value}; }
  void process(const millrace::kv<int, int>&, millrace::tracker<millrace::offset_range>&, millrace::emitter<int>&) {}
  auto cells() { return std::tie(seen_); }
  millrace::value_state<int> seen_{"seen"};
};

auto wrong(const millrace::pcollection<millrace::kv<int, int>>& in) {
  return in | millrace::par_do_splittable("count", counting{});
}
