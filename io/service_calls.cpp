#include <millrace/io/service_calls.hpp>
#include <millrace/transforms/scattered.hpp>

#include <algorithm>
#include <thread>

namespace millrace {

service_clock service_clock::real() {
  return {[] { return timestamp{std::chrono::system_clock::now()}; },
          [](duration d) { std::this_thread::sleep_for(d); }};
}

double service_draws::draw() {
  return static_cast<double>(detail::scattered(next_++) >> 11U) * 0x1p-53;
}

duration wait_after(std::uint32_t failed, const service_retries& policy, service_draws& draws) {
  duration whole = policy.wait_first;
  for (std::uint32_t i = 1; i < failed && whole < policy.wait_most; ++i) whole *= 2;
  whole = std::min(whole, policy.wait_most);
  return duration{static_cast<std::int64_t>(static_cast<double>(whole.count()) * (0.5 + draws.draw() / 2))};
}

adaptive_throttle::second& adaptive_throttle::at(timestamp now) {
  const std::int64_t number = now.millis() / 1000;
  while (!seconds_.empty() && seconds_.front().number <= number - seconds_kept) seconds_.pop_front();
  if (seconds_.empty() || seconds_.back().number < number) seconds_.push_back({number, 0, 0});
  return seconds_.back();
}

double adaptive_throttle::probability(timestamp now) {
  static_cast<void>(at(now));
  double calls = 0;
  double accepted = 0;
  for (const second& s : seconds_) {
    calls += static_cast<double>(s.calls);
    accepted += static_cast<double>(s.accepted);
  }
  return calls < calls_least ? 0 : std::max(0.0, (calls - 2 * accepted) / (calls + 1));
}

bool adaptive_throttle::holds_back(timestamp now, service_draws& draws) {
  if (draws.draw() >= probability(now)) return false;
  ++at(now).calls;
  return true;
}

void adaptive_throttle::called(timestamp now, bool accepted) {
  second& here = at(now);
  ++here.calls;
  here.accepted += accepted ? 1 : 0;
}

}  // namespace millrace
