#pragma once

#include <millrace/io/service_calls.hpp>
#include <millrace/transforms/metrics/metric_board.hpp>
#include <millrace/transforms/operators/failure.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace millrace {

// A connection to a service that knows a value for each of some keys.
//   using value = ...;   // what it knows
//   std::vector<std::optional<value>> lookup(std::span<const Key> keys, duration timeout);
// gives one value for each key, in their order, and none where the service does not know the key. It answers or throws
// within the timeout: service_timeout if the service did not answer, service_refusal if it has too much to do, anything
// else for other faults. A client is used by one thread at a time; after a throw other than service_refusal it is
// destroyed, and another is opened when one is needed. Opening one may throw the same: at the start of a shard refusals
// and timeouts only mean that it is opened later, other faults fail the job.
template <class Client, class Key>
concept service_client = requires(Client c, std::span<const Key> keys, duration timeout) {
  typename Client::value;
  { c.lookup(keys, timeout) } -> std::same_as<std::vector<std::optional<typename Client::value>>>;
};

// Opens clients and takes turns with them. One pool belongs to one shard.
template <class Client, class Open>
class client_pool {
 public:
  client_pool(Open open, std::size_t clients) : open_(std::move(open)), clients_(clients) {}

  // Opens clients ahead of the first call. One that a busy or silent service does not give is opened when it is needed.
  void open_all() {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      try {
        open(i);
      } catch (const service_refusal&) {
        continue;
      } catch (const service_timeout&) {
        return;  // the others would wait as long
      }
    }
  }
  void close_all() noexcept {
    for (auto& c : clients_) c.reset();
  }
  // The next client, opened if it is not.
  Client& next() {
    turn_ = (turn_ + 1) % clients_.size();
    if (!clients_[turn_]) open(turn_);
    return *clients_[turn_];
  }
  // The client given last is not used again.
  void discard() { clients_[turn_].reset(); }

 private:
  void open(std::size_t i) { clients_[i] = std::make_unique<Client>(open_()); }

  Open open_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::size_t turn_ = 0;
};

// How a call that was made again and again ended.
template <class Value>
struct call_outcome {
  std::optional<std::vector<std::optional<Value>>> values;
  std::string fault;
  std::uint32_t attempts = 0;
  bool of_the_request = false;  // the service answered with a fault: another request may do
};

// Makes calls of a service until they succeed: waits longer each time, asks rarely what refuses often.
template <class Key, class Client, class Open>
class service_caller {
 public:
  using value = typename Client::value;

  service_caller(client_pool<Client, Open> pool, service_clock clock, service_retries policy, duration timeout)
      : pool_(std::move(pool)), clock_(std::move(clock)), policy_(policy), timeout_(timeout), draws_(policy.seed) {}

  void setup() { pool_.open_all(); }
  void teardown() noexcept { pool_.close_all(); }
  [[nodiscard]] timestamp now() const { return clock_.now(); }

  call_outcome<value> call(std::span<const Key> keys, metric_board& metrics) {
    call_outcome<value> outcome;
    while (outcome.attempts < policy_.attempts_max) {
      if (outcome.attempts > 0) wait(wait_after(outcome.attempts, policy_, draws_), metrics);
      ++outcome.attempts;
      if (throttle_.holds_back(clock_.now(), draws_)) {
        ++metrics.counter("calls_held_back");
        outcome.fault = "the call was held back, since the service refuses most";
        continue;
      }
      if (attempt(keys, outcome, metrics)) return outcome;
    }
    return outcome;
  }

 private:
  bool attempt(std::span<const Key> keys, call_outcome<value>& outcome, metric_board& metrics) {
    ++metrics.counter("calls");
    outcome.of_the_request = false;
    try {
      auto values = pool_.next().lookup(keys, timeout_);
      if (values.size() != keys.size())
        throw std::logic_error("the client gave " + std::to_string(values.size()) + " values for "
                               + std::to_string(keys.size()) + " keys");
      throttle_.called(clock_.now(), true);
      outcome.values = std::move(values);
      return true;
    } catch (const service_refusal& refusal) {
      throttle_.called(clock_.now(), false);
      ++metrics.counter("calls_refused");
      outcome.fault = std::string("the service refused: ") + refusal.what();
    } catch (const service_timeout& timeout) {
      pool_.discard();
      throttle_.called(clock_.now(), false);
      ++metrics.counter("calls_timed_out");
      outcome.fault = std::string("the service did not answer: ") + timeout.what();
    } catch (...) {
      pool_.discard();
      throttle_.called(clock_.now(), true);  // it had time to answer
      outcome.fault = message_of_current_exception();
      outcome.of_the_request = true;
    }
    return false;
  }
  void wait(duration d, metric_board& metrics) {
    metrics.counter("waited_ms") += d.count();
    clock_.wait(d);
  }

  client_pool<Client, Open> pool_;
  service_clock clock_;
  service_retries policy_;
  duration timeout_;
  service_draws draws_;
  adaptive_throttle throttle_;
};

}  // namespace millrace
