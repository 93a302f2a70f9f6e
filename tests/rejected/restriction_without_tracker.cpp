// expect: millrace: the restriction's tracker needs position, try_claim, try_split, check_done and restriction()
#include <millrace/transforms/par_do_splittable.hpp>

#include <utility>

struct pairs {
  using output = int;
  std::pair<int, int> initial_restriction(const int& x) { return {0, x}; }
  void process(const int&, millrace::emitter<int>& out) { out(1); }
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do_splittable("pairs", pairs{});
}
