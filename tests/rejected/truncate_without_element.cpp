// expect: millrace: truncate takes the element and the restriction: std::optional<R> truncate(const T&, const R&)
#include <millrace/transforms/par_do_splittable.hpp>

#include <optional>

struct cuts {
  using output = int;
  millrace::offset_range initial_restriction(const int& x) { return {0, x}; }
  std::optional<millrace::offset_range> truncate(const millrace::offset_range& of) { return of; }
  void process(const int&, millrace::tracker<millrace::offset_range>& r, millrace::emitter<int>& out) {
    while (r.try_claim(r.restriction().from)) out(1);
  }
};

auto wrong(const millrace::pcollection<int>& in) {
  return in | millrace::par_do_splittable("cut", cuts{});
}
