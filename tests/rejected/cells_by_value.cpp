// expect: millrace: cells() returns std::tie of the members that are state or timers, not copies of them
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/par_do.hpp>

#include <tuple>

struct copies {
  using output = int;
  void process(const millrace::kv<int, int>&, millrace::emitter<int>&) {}
  auto cells() { return std::make_tuple(seen_); }
  millrace::value_state<int> seen_{"seen"};
};

auto wrong(const millrace::pcollection<millrace::kv<int, int>>& in) {
  return in | millrace::par_do("copy", copies{});
}
