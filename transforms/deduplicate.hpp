#pragma once

#include <millrace/transforms/combine.hpp>
#include <millrace/transforms/keys.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>

namespace millrace {

// The clock by which something is forgotten.
enum class forgetting : std::uint8_t { by_processing_time, by_event_time };

// How long an element that has passed is remembered, and by which clock.
struct deduplication {
  duration remember = std::chrono::minutes{10};
  forgetting clock = forgetting::by_processing_time;
};

namespace detail {

// Passes the first element of each key and window, until it is forgotten by the processing clock. The timer holds no
// watermark.
template <class Key, class Value>
class first_by_clock {
 public:
  using output = Value;
  static constexpr bool drops_timers = true;  // its timers only forget

  explicit first_by_clock(deduplication options) : remember_(options.remember) {}

  auto cells() { return std::tie(seen_, forget_); }

  void process(const kv<Key, Value>& x, emitter<Value>& out) {
    if (seen_.has_value()) return;
    seen_.set(true);
    forget_.after(remember_, no_output);
    out(x.value);
  }
  void on_timer(const processing_timer& /*t*/, const Key& /*key*/, emitter<Value>& /*out*/) { seen_.clear(); }

 private:
  duration remember_;
  value_state<bool> seen_{"seen"};
  processing_timer forget_{"forget"};
};

// Passes elements of each key and window that are further apart in event time. It compares times, so that what the
// watermark has come to does not matter; the timer only frees the state.
template <class Key, class Value>
class first_in_time {
 public:
  using output = Value;

  first_in_time(deduplication options, windowing_strategy strategy)
      : remember_(options.remember), strategy_(std::move(strategy)) {}

  auto cells() { return std::tie(passed_, forget_); }

  void process(const kv<Key, Value>& x, emitter<Value>& out) {
    const stamp at = out.at();
    timestamp greatest = at.time;
    for (const timestamp t : passed_.read()) {
      if (t - remember_ <= at.time && at.time <= t + remember_) return;
      greatest = std::max(greatest, t);
    }
    passed_.add(at.time);
    forget_.set(std::min(greatest + remember_, strategy_.expiry(at.in)), no_output);
    out(x.value);
  }
  void on_timer(const event_timer& /*t*/, const Key& /*key*/, emitter<Value>& /*out*/) { passed_.clear(); }

 private:
  duration remember_;
  windowing_strategy strategy_;
  bag_state<timestamp> passed_{"passed"};
  event_timer forget_{"forget"};
};

// The first of the values of each key: pcollection<kv<Key, Value>> -> pcollection<Value>.
template <class Key, class Value>
pcollection<Value> first_of_keys(const pcollection<kv<Key, Value>>& in, deduplication options,
                                 std::source_location where) {
  if (options.clock == forgetting::by_processing_time)
    return in | par_do("first", first_by_clock<Key, Value>(options), where);
  return in | par_do("first", first_in_time<Key, Value>(options, in.windowing()), where);
}

template <class T>
void refuse_deduplication(const pcollection<T>& in, const std::string& name, duration remember) {
  if (remember.count() <= 0)
    throw pipeline_error(in.owner().path_of(name), "elements are remembered for " + std::to_string(remember.count())
                                                       + " ms; the time must be more than 0");
}

}  // namespace detail

// Passes an element unless an equal one (one with the same encoding) has passed in its window and is remembered:
// pcollection<T> -> pcollection<T>. Exact; it keeps every element for the time that elements are remembered. By event
// time it drops what is no further from one that passed than that, before or after it; the state goes when the
// watermark is beyond.
[[nodiscard]] inline auto deduplicate(std::string name, deduplication options = {},
                                      std::source_location where = std::source_location::current()) {
  return [name = std::move(name), options, where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    detail::refuse_deduplication(in, name, options.remember);
    const auto itself = [](const T& x) { return x; };
    const auto body = [&](const pcollection<T>& all) {
      return detail::first_of_keys<T, T>(all | with_keys("by itself", itself, where), options, where);
    };
    return composite(name, body)(in);
  };
}

// The same for elements that are equal where a function or a member says so: `deduplicate("orders", by(&order::id))`.
template <class F>
[[nodiscard]] auto deduplicate(std::string name, key_function<F> representative, deduplication options = {},
                               std::source_location where = std::source_location::current()) {
  return [name = std::move(name), representative, options, where]<class T>(const pcollection<T>& in) {
    constexpr bool callable = std::is_invocable_v<const key_function<F>&, const T&>;
    static_assert(callable, "millrace: deduplicate: by(...) must take an element of the collection");
    if constexpr (callable) {
      using key = detail::stored_key<detail::row_part<key_function<F>, T>>;
      detail::require_group_key<key>();
      detail::refuse_deduplication(in, name, options.remember);
      const auto represented = [representative](const T& x) { return key(representative(x)); };
      const auto body = [&](const pcollection<T>& all) {
        return detail::first_of_keys<key, T>(all | with_keys("by representative", represented, where), options, where);
      };
      return composite(name, body)(in);
    }
  };
}

}  // namespace millrace
