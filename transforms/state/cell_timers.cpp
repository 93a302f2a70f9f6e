#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/state/cell_timers.hpp>

#include <utility>

namespace millrace {

void cell_timers::add(time_domain domain, timer_id id, timestamp output) {
  const bool added = of(domain).emplace(std::move(id), entry{output}).second;
  check(added, "a timer is pending once");
  if (output != timestamp::max()) holds_.add(output);
}

void cell_timers::remove(time_domain domain, const timer_id& id) {
  queue& from = of(domain);
  const auto found = from.find(id);
  check(found != from.end(), "a timer that is removed is pending");
  if (found->second.output != timestamp::max()) holds_.remove(found->second.output);
  from.erase(found);
}

void cell_timers::hand_out(time_domain domain, const timer_id& id, entry& e, bundle& to) {
  e.handed_out = true;
  to.timers.push_back({.key = id.key,
                       .in = id.in,
                       .cell = id.cell,
                       .tag = id.tag,
                       .processing_time = domain == time_domain::processing,
                       .fires = id.fires,
                       .output = e.output});
}

void cell_timers::hand_back(time_domain domain, const timer_id& id) {
  queue& from = of(domain);
  if (const auto found = from.find(id); found != from.end()) found->second.handed_out = false;
}

}  // namespace millrace
