// expect: millrace: a function with an event_timer_family needs on_timer(const event_timer_family&, const Key&
#include <millrace/transforms/par_do.hpp>

#include <string>
#include <tuple>

struct watch {
  using output = int;
  auto cells() { return std::tie(alarms_); }
  void process(const millrace::kv<std::string, int>& x, millrace::emitter<int>& out) { out(x.value); }
  void on_timer(const millrace::event_timer&, const std::string&, millrace::emitter<int>&) {}
  millrace::event_timer_family alarms_{"alarms"};
};

auto wrong(const millrace::pcollection<millrace::kv<std::string, int>>& in) {
  return in | millrace::par_do("watch", watch{});
}
