// expect: millrace: cells() returns std::tie of members that are state (value_state, bag_state, map_state, ...)
#include <millrace/transforms/par_do.hpp>

#include <string>
#include <tuple>

struct watch {
  using output = int;
  auto cells() { return std::tie(seen_); }
  void process(const millrace::kv<std::string, int>& x, millrace::emitter<int>& out) { out(x.value + seen_); }
  int seen_ = 0;
};

auto wrong(const millrace::pcollection<millrace::kv<std::string, int>>& in) {
  return in | millrace::par_do("watch", watch{});
}
