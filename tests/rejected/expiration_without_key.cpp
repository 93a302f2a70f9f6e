// expect: millrace: on_window_expiration takes (const Key&, emitter<Out>&), with the contents of side inputs between
#include <millrace/transforms/element/kv.hpp>
#include <millrace/transforms/par_do.hpp>

#include <tuple>

struct tells {
  using output = int;
  void process(const millrace::kv<int, int>&, millrace::emitter<int>&) {}
  void on_window_expiration(millrace::emitter<int>&) {}
  auto cells() { return std::tie(seen_); }
  millrace::value_state<int> seen_{"seen"};
};

auto wrong(const millrace::pcollection<millrace::kv<int, int>>& in) {
  return in | millrace::par_do("tell", tells{});
}
