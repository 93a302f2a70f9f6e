#pragma once

#include <millrace/transforms/functions/emitter.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/transcripts/case_output.hpp>
#include <millrace/transforms/transcripts/case_programs.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace millrace::transcripts {

// The stateful programs of transcripts as users would write them, but for `timers`. Each passes elements on or emits
// values under their key.

// The last instant at which a window takes elements.
[[nodiscard]] inline timestamp expiry_of(const window& in, duration lateness) {
  return std::min(in.max_timestamp() + lateness, timestamp::end_of_global_window());
}

// How many elements there were so far.
class running_count_program {
 public:
  using output = case_row;
  void process(const case_row& x, emitter<case_row>& out) {
    count_.set(count_.get() + 1);
    out(case_row{x.key, std::to_string(count_.get())});
  }
  auto cells() { return std::tie(count_); }

 private:
  value_state<std::int64_t> count_{"count"};
};

// Collects values until a timer, or the end of their window, gives them out.
template <bool Expires>
class bag_program {
 public:
  using output = case_row;
  bag_program(case_transform of, duration lateness) : of_(std::move(of)), lateness_(lateness) {}

  void process(const case_row& x, emitter<case_row>& out) {
    if (values_.empty()) {
      const stamp at = out.at();
      if (of_.after) alarm_.set(std::min(at.time + *of_.after, expiry_of(at.in, lateness_)));
      if (of_.clock) clock_.after(*of_.clock);
    }
    values_.add(x.value);
  }
  void on_timer(const event_timer& /*which*/, const std::string& key, emitter<case_row>& out) { give(key, out); }
  void on_timer(const processing_timer& /*which*/, const std::string& key, emitter<case_row>& out) { give(key, out); }
  void on_window_expiration(const std::string& key, emitter<case_row>& out)
    requires Expires
  {
    if (!values_.empty()) give(key, out);
  }
  auto cells() { return std::tie(values_, alarm_, clock_); }

 private:
  void give(const std::string& key, emitter<case_row>& out) {
    out(case_row{key, bag_text(values_.read())});
    values_.clear();
  }

  case_transform of_;
  duration lateness_;
  bag_state<std::string> values_{"values"};
  event_timer alarm_{"alarm"};
  processing_timer clock_{"clock"};
};

// A timer that sets itself again.
class looping_program {
 public:
  using output = case_row;
  looping_program(case_transform of, duration lateness) : of_(std::move(of)), lateness_(lateness) {}

  void process(const case_row& /*x*/, emitter<case_row>& out) {
    if (calls_.has_value()) return;
    calls_.set(0);
    set(out.at().time + *of_.by, out.at().in);
  }
  void on_timer(const event_timer& which, const std::string& key, emitter<case_row>& out) {
    const std::uint64_t calls = calls_.get() + 1;
    calls_.set(calls);
    out(case_row{key, std::to_string(calls)});
    if (of_.count != calls) set(which.fired_at() + *of_.by, out.at().in);
  }
  auto cells() { return std::tie(calls_, alarm_); }

 private:
  void set(timestamp fires, const window& in) {
    if (fires <= expiry_of(in, lateness_)) alarm_.set(fires);
  }

  case_transform of_;
  duration lateness_;
  value_state<std::uint64_t> calls_{"calls"};
  event_timer alarm_{"alarm"};
};

// An element passes if none of its key did.
class dedup_program {
 public:
  using output = case_row;
  explicit dedup_program(duration forgotten_after) : forgotten_after_(forgotten_after) {}

  void process(const case_row& x, emitter<case_row>& out) {
    if (seen_.has_value()) return;
    seen_.set(true);
    forget_.after(forgotten_after_, no_output);
    out(x);
  }
  void on_timer(const processing_timer& /*which*/, const std::string& /*key*/, emitter<case_row>& /*out*/) {
    seen_.clear();
  }
  auto cells() { return std::tie(seen_, forget_); }

 private:
  duration forgotten_after_;
  value_state<bool> seen_{"seen"};
  processing_timer forget_{"forget"};
};

// A batch, with the least time of its values: the step after it moves it there.
struct timed_batch {
  std::string key;
  std::string values;
  timestamp least;

  friend bool operator==(const timed_batch&, const timed_batch&) = default;
};

// Bags of a number of values. A batch that waits holds the watermark at its first element.
class batches_program {
 public:
  using output = timed_batch;
  explicit batches_program(case_transform of) : of_(std::move(of)) {}

  void process(const case_row& x, emitter<timed_batch>& out) {
    const stamp at = out.at();
    if (values_.empty()) {
      hold_.at_expiration(at.time);
      if (of_.clock) flush_.after(*of_.clock, no_output);
    }
    values_.add(x.value);
    least_.set(least_.has_value() ? std::min(least_.get(), at.time.millis()) : at.time.millis());
    if (values_.size() == *of_.count) give(x.key, out);
  }
  void on_timer(const event_timer& /*which*/, const std::string& /*key*/, emitter<timed_batch>& /*out*/) {}
  void on_timer(const processing_timer& /*which*/, const std::string& key, emitter<timed_batch>& out) {
    if (!values_.empty()) give(key, out);
  }
  void on_window_expiration(const std::string& key, emitter<timed_batch>& out) {
    if (!values_.empty()) give(key, out);
  }
  auto cells() { return std::tie(values_, least_, hold_, flush_); }

 private:
  void give(const std::string& key, emitter<timed_batch>& out) {
    out(timed_batch{key, bag_text(values_.read()), timestamp{least_.get()}});
    values_.clear();
    least_.clear();
    hold_.clear();
    flush_.clear();
  }

  case_transform of_;
  bag_state<std::string> values_{"values"};
  value_state<std::int64_t> least_{"least"};
  event_timer hold_{"hold"};
  processing_timer flush_{"flush"};
};

// Passes elements on in the order of their times.
class sorted_program {
 public:
  using output = case_row;
  static constexpr bool requires_time_sorted_input = true;

  void process(const case_row& x, emitter<case_row>& out) { out(x); }
  auto cells() { return std::tie(); }
};

}  // namespace millrace::transcripts
