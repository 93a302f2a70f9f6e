// expect: millrace: a function with cells() keeps state per key, so it takes a collection of kv; with_keys makes one
#include <millrace/transforms/all.hpp>

#include <tuple>

struct counted {
  using output = int;
  auto cells() { return std::tie(count_); }
  void process(const int& /*number*/, millrace::emitter<int>& out) { out(count_.get()); }
  millrace::value_state<int> count_{"count"};
};

void refused(const millrace::pcollection<int>& numbers) {
  numbers | millrace::par_do("count", counted{});
}
