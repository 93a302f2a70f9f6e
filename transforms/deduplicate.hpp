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

// How long an element is remembered, and by which clock.
struct deduplication {
  duration remember = std::chrono::minutes{10};
  forgetting clock = forgetting::by_processing_time;
};

namespace detail {

// Passes the first element of each key and window, until it is forgotten. The timers hold no watermark.
template <class Key, class Value>
class first_of_key {
 public:
  using output = Value;

  first_of_key(deduplication options, windowing_strategy strategy)
      : options_(options), strategy_(std::move(strategy)) {}

  auto cells() { return std::tie(seen_, by_event_, by_clock_); }

  void process(const kv<Key, Value>& x, emitter<Value>& out) {
    if (seen_.has_value()) return;
    seen_.set(true);
    const stamp at = out.at();
    if (options_.clock == forgetting::by_processing_time) by_clock_.after(options_.remember, no_output);
    else by_event_.set(std::min(at.time + options_.remember, strategy_.expiry(at.in)), no_output);
    out(x.value);
  }
  void on_timer(const event_timer& /*t*/, const Key& /*key*/, emitter<Value>& /*out*/) { seen_.clear(); }
  void on_timer(const processing_timer& /*t*/, const Key& /*key*/, emitter<Value>& /*out*/) { seen_.clear(); }

 private:
  deduplication options_;
  windowing_strategy strategy_;
  value_state<bool> seen_{"seen"};
  event_timer by_event_{"by event time"};
  processing_timer by_clock_{"by processing time"};
};

template <class T>
void refuse_deduplication(const pcollection<T>& in, const std::string& name, duration remember) {
  if (remember.count() <= 0)
    throw pipeline_error(in.owner().path_of(name), "elements are remembered for " + std::to_string(remember.count())
                                                       + " ms; the time must be more than 0");
}

}  // namespace detail

// Passes an element unless an equal one (one with the same encoding) came in its window within the time that elements
// are remembered: pcollection<T> -> pcollection<T>. Exact; it keeps every element for that time. By event time an
// element is forgotten when the watermark passes its time plus that duration.
[[nodiscard]] inline auto deduplicate(std::string name, deduplication options = {},
                                      std::source_location where = std::source_location::current()) {
  return [name = std::move(name), options, where]<class T>(const pcollection<T>& in) {
    detail::require_group_key<T>();
    detail::refuse_deduplication(in, name, options.remember);
    const auto itself = [](const T& x) { return x; };
    const auto body = [&](const pcollection<T>& all) {
      return all | with_keys("by itself", itself, where)
             | par_do("first", detail::first_of_key<T, T>(options, all.windowing()), where);
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
        return all | with_keys("by representative", represented, where)
               | par_do("first", detail::first_of_key<key, T>(options, all.windowing()), where);
      };
      return composite(name, body)(in);
    }
  };
}

}  // namespace millrace
