// expect: millrace: a function with an event_timer needs on_timer(const event_timer&, const Key&, emitter<Out>&)
#include <millrace/transforms/all.hpp>

#include <string>
#include <tuple>

struct waits {
  using output = int;
  auto cells() { return std::tie(later_); }
  void process(const millrace::kv<std::string, int>& /*number*/, millrace::emitter<int>& out) {
    later_.set(out.at().time);
  }
  millrace::event_timer later_{"later"};
};

void refused(const millrace::pcollection<millrace::kv<std::string, int>>& numbers) {
  numbers | millrace::par_do("wait", waits{});
}
