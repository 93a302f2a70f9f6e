#include <millrace/transforms/state/timer_rules.hpp>

#include <algorithm>
#include <stdexcept>

namespace millrace::detail {

namespace {

std::string text(timestamp t) {
  return std::to_string(t.millis());
}

}  // namespace

void timer_slot::move_to(time_domain domain, timestamp expiry) {
  if (at_expiration) fires = expiry + duration{1};
  else if (domain == time_domain::event) fires = std::min(fires, expiry);
  if (output != timestamp::max()) output = std::min(output, expiry);
}

timer_slot timer_setting::at(timestamp fires, timer_output output) const {
  if (!scope.may_set) refuse("on_window_expiration may set no timer");
  if (domain == time_domain::processing) {
    if (output.is_explicit()) check_output(output.or_else({}), scope.expiry);
    return {.pending = true, .fires = fires, .output = output.or_else(scope.at)};
  }
  if (output.is_explicit()) check_output(output.or_else({}), fires);
  if (fires > scope.expiry)
    refuse("its time " + text(fires) + " is after the expiry of the window, " + text(scope.expiry)
           + "; set it to that at most, or allow more lateness");
  return {.pending = true, .fires = fires, .output = output.or_else(fires)};
}

timer_slot timer_setting::after(duration delay, timer_output output) const {
  return at(bounded(scope.clock(domain) + delay), output);
}

timer_slot timer_setting::at_expiration(timestamp output) const {
  if (!scope.may_set) refuse("on_window_expiration may set no timer");
  check_output(output, scope.expiry);
  return {.pending = true, .fires = scope.expiry + duration{1}, .output = output, .at_expiration = true};
}

timer_slot timer_setting::aligned(duration period, duration offset, timer_output output) const {
  if (period <= duration{0}) refuse("it is aligned to a period that is not above 0");
  const timestamp now = scope.clock(domain);
  const std::int64_t past =
      ((now.millis() + offset.count() % period.count()) % period.count() + period.count()) % period.count();
  return at(bounded(past == 0 ? now : now + (period - duration{past})), output);
}

timestamp timer_setting::bounded(timestamp fires) const {
  return domain == time_domain::event ? std::min(fires, scope.expiry) : fires;
}

void timer_setting::check_output(timestamp output, timestamp latest) const {
  if (output < scope.at)
    refuse("its output timestamp " + text(output) + " is before that of the current element, " + text(scope.at));
  if (output > latest) refuse("its output timestamp " + text(output) + " is after " + text(latest));
}

void timer_setting::refuse(const std::string& why) const {
  throw std::invalid_argument("timer \"" + name + "\": " + why);
}

}  // namespace millrace::detail
