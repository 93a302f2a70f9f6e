#pragma once

#include <millrace/transforms/element/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>

namespace millrace {

// What a client throws when the service says that it has too much to do. The call is made again later, and calls are
// made more rarely for a while.
class service_refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a client throws when no answer came in time. The call is made again later.
class service_timeout : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The clock that calls go by. Waiting blocks the shard.
struct service_clock {
  std::function<timestamp()> now;
  std::function<void(duration)> wait;

  // The clock of the machine.
  static service_clock real();
};

// How calls of a service that fails are made again.
struct service_retries {
  std::uint32_t attempts_max = 5;
  // Before the second attempt; then twice as long each time, up to `wait_most`. A random part of it, at least half.
  duration wait_first{100};
  duration wait_most{10000};
  // Of what is drawn: waits, and which calls are held back.
  std::uint64_t seed = 0;
};

// Random numbers from a seed.
class service_draws {
 public:
  explicit service_draws(std::uint64_t seed) : next_(seed) {}
  // From 0 up to 1.
  double draw();

 private:
  std::uint64_t next_;
};

// The wait before the attempt after `failed` attempts that failed.
[[nodiscard]] duration wait_after(std::uint32_t failed, const service_retries& policy, service_draws& draws);

// Holds calls back at the client when the service refuses many: within the last half minute, with c calls of which a
// were accepted, a call is held back with probability (c - 2a) / (c + 1), so that a service that accepts half of the
// calls or more is not slowed down, and one that accepts none is asked rarely.
class adaptive_throttle {
 public:
  // Whether a call should be held back now; it then counts as one that was not accepted.
  bool holds_back(timestamp now, service_draws& draws);
  // A call was made.
  void called(timestamp now, bool accepted);
  // The probability that a call is held back: 0 until a few have shown how the service is.
  [[nodiscard]] double probability(timestamp now);

 private:
  struct second {
    std::int64_t number;
    std::uint64_t calls;
    std::uint64_t accepted;
  };
  second& at(timestamp now);

  static constexpr std::int64_t seconds_kept = 30;
  static constexpr double calls_least = 8;
  std::deque<second> seconds_;
};

}  // namespace millrace
