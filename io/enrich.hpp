#pragma once

#include <millrace/io/batch_calls.hpp>
#include <millrace/io/lookup_cache.hpp>
#include <millrace/io/service_client.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/joins.hpp>
#include <millrace/transforms/scattered.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace millrace {

// How a service is asked.
struct enrich_options {
  // The most keys, and bytes of their encodings, in one call.
  std::size_t keys_max = 100;
  std::size_t bytes_max = 1U << 20U;
  duration timeout{5000};
  service_retries retries = {};
  // Answers, and that there is none, are kept for this long, on each shard; 0: not at all.
  duration cache_for{0};
  std::size_t cached_max = 10000;
  // Connections of each shard, which take turns.
  std::size_t clients = 1;
  service_clock clock = service_clock::real();
};

namespace detail {

// Answers for batches of elements from the cache, and from the service for the keys that are not there. Elements with
// one key share an answer.
template <class T, class Key, class KeyOf, class Client, class Open>
class lookups {
  using known = std::optional<typename Client::value>;

 public:
  using value = known;
  using answers = std::vector<call_answer<value>>;

  lookups(KeyOf key_of, const Open& open, const enrich_options& options)
      : key_of_(std::move(key_of)), open_(open), options_(options), cache_(options.cached_max, options.cache_for) {}

  // Shards wait for times of their own, so that they do not all come back together.
  void in_shard(std::uint32_t shard) { options_.retries.seed ^= scattered(shard); }
  void setup() {
    caller_ = std::make_shared<caller>(client_pool<Client, Open>(open_, options_.clients), options_.clock,
                                       options_.retries, options_.timeout);
    caller_->setup();
  }
  void teardown() noexcept {
    if (caller_) caller_->teardown();
  }

  void answer(const std::vector<const T*>& elements, answers& to, metric_board& metrics) {
    keys_.clear();
    encodings_.clear();
    waiting_.clear();
    numbers_.clear();
    const timestamp now = caller_->now();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      try {
        find(key_of_(*elements[i]), now, i, to[i], metrics);
      } catch (...) {
        to[i].fault = message_of_current_exception();
      }
    }
    std::size_t bytes = 0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const std::size_t more = encodings_[k].size();
      if (k > first && (k - first >= options_.keys_max || bytes + more > options_.bytes_max)) {
        ask(first, k, to, metrics);
        first = k;
        bytes = 0;
      }
      bytes += more;
    }
    if (first < keys_.size()) ask(first, keys_.size(), to, metrics);
  }

 private:
  using caller = service_caller<Key, Client, Open>;

  void find(Key key, timestamp now, std::size_t element, call_answer<value>& to, metric_board& metrics) {
    std::string encoding = encode_whole(key);
    if (const known* kept = cache_.find(encoding, now)) {
      ++metrics.counter("cache_hits");
      to.value = *kept;
      return;
    }
    const auto [number, is_new] = numbers_.try_emplace(encoding, keys_.size());
    if (is_new) {
      keys_.push_back(std::move(key));
      encodings_.push_back(std::move(encoding));
      waiting_.emplace_back();
    }
    waiting_[number->second].push_back(element);
  }
  void ask(std::size_t from, std::size_t until, answers& to, metric_board& metrics) {
    auto outcome = caller_->call(std::span<const Key>(keys_).subspan(from, until - from), metrics);
    if (!outcome.values && outcome.of_the_request && until - from > 1) {
      // One key may spoil the call for the others: each is tried alone.
      for (std::size_t k = from; k < until; ++k) ask(k, k + 1, to, metrics);
      return;
    }
    const timestamp now = caller_->now();
    for (std::size_t k = from; k < until; ++k) {
      for (const std::size_t element : waiting_[k]) {
        to[element].attempts = outcome.attempts;
        if (outcome.values) to[element].value = (*outcome.values)[k - from];
        else to[element].fault = outcome.fault;
      }
      if (outcome.values) cache_.put(encodings_[k], std::move((*outcome.values)[k - from]), now);
    }
  }

  KeyOf key_of_;
  Open open_;
  enrich_options options_;
  std::shared_ptr<caller> caller_;  // once it is set up
  lookup_cache<known> cache_;
  // Of the batch that is answered: the keys to ask for, their encodings, and the elements that wait for each.
  std::vector<Key> keys_;
  std::vector<std::string> encodings_;
  std::vector<std::vector<std::size_t>> waiting_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

inline void refuse_enrichment(const std::string& path, const enrich_options& options) {
  if (options.keys_max == 0) throw pipeline_error(path, "a call asks for 0 keys; set .keys_max to at least 1");
  if (options.clients == 0) throw pipeline_error(path, "there are 0 clients; set .clients to at least 1");
  if (options.retries.attempts_max == 0)
    throw pipeline_error(path, "a call is attempted 0 times; set .retries.attempts_max to at least 1");
  if (options.timeout.count() <= 0) throw pipeline_error(path, "the timeout of calls must be more than 0");
}

template <class T, class Open, class KeyOf, class Options>
auto add_enrich(const pcollection<T>& in, const std::string& name, const Open& open, const KeyOf& key_of,
                const enrich_options& options, const Options& outputs, std::source_location where) {
  constexpr bool callable = std::is_invocable_v<const KeyOf&, const T&>;
  static_assert(callable, "millrace: enrich: the key function must be callable with an element of the collection "
                          "(const T&)");
  if constexpr (callable) {
    using key = std::remove_cvref_t<std::invoke_result_t<const KeyOf&, const T&>>;
    using client = std::remove_cvref_t<std::invoke_result_t<const Open&>>;
    constexpr bool fits = service_client<client, key>;
    static_assert(fits, "millrace: enrich: the client needs `value` and std::vector<std::optional<value>> "
                        "lookup(std::span<const Key>, duration) for the keys that the key function gives");
    if constexpr (fits) {
      require_key<key>();
      using output = joined<T, std::optional<typename client::value>>;
      refuse_enrichment(in.owner().path_of(name), options);
      return add_batch_calls<output>(in, name, "enrich", lookups<T, key, KeyOf, client, Open>(key_of, open, options),
                                     outputs, where);
    }
  }
}

}  // namespace detail

// Asks a service about the key of each element and puts what it knows beside it: pcollection<T> ->
// pcollection<joined<T, std::optional<V>>>, where V is the value of the clients that open() returns (see
// service_client). Each shard opens its clients before its first element, asks for the keys of a batch of elements
// together, once for each, and waits for the answer. Calls that fail are made again, later each time. Elements whose
// calls failed for good fail the job. Counters of the step: calls, calls_refused, calls_timed_out, calls_held_back,
// cache_hits, waited_ms.
//   orders | enrich("customers", [] { return customer_client("host"); }, &order::customer, {.cache_for = 5min})
template <class Open, class KeyOf>
[[nodiscard]] auto enrich(std::string name, Open open, KeyOf key_of, enrich_options options = {},
                          std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_enrich(in, name, open, detail::as_function(key_of), options, detail::step_options<false>{},
                              where);
  };
}
// The same with an error output for elements whose calls failed for good: gives {enriched, failed elements}.
template <class Open, class KeyOf>
[[nodiscard]] auto enrich(std::string name, Open open, KeyOf key_of, enrich_options options, error_output /*wanted*/,
                          std::source_location where = std::source_location::current()) {
  return [=, name = std::move(name)]<class T>(const pcollection<T>& in) {
    return detail::add_enrich(in, name, open, detail::as_function(key_of), options, detail::step_options<true>{},
                              where);
  };
}

}  // namespace millrace
