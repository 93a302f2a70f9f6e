#pragma once

#include "reading.hpp"

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/metric.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <string>
#include <tuple>

namespace telemetry {

// Gives the first of the readings of a device that have one time, and forgets those times when their window expires.
class once {
 public:
  explicit once(millrace::duration lateness) : lateness_(lateness) {}

  using output = reading;
  auto cells() { return std::tie(times_, forget_); }
  auto metrics() { return std::tie(repeated_); }

  void process(const millrace::kv<std::string, reading>& r, millrace::emitter<reading>& out) {
    for (const millrace::timestamp seen : times_.read())
      if (seen == r.value.time) return repeated_.add();
    if (times_.empty()) forget_.set(out.at().in.max_timestamp() + lateness_, millrace::no_output);
    times_.add(r.value.time);
    out(r.value);
  }
  void on_timer(const millrace::event_timer& /*forget*/, const std::string& /*device*/,
                millrace::emitter<reading>& /*out*/) {
    times_.clear();
  }

 private:
  millrace::duration lateness_;
  millrace::bag_state<millrace::timestamp> times_{"times"};
  millrace::event_timer forget_{"forget"};
  millrace::counter repeated_{"repeated"};
};

}  // namespace telemetry
