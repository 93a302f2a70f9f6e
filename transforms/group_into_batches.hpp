#pragma once

#include <millrace/transforms/map.hpp>
#include <millrace/transforms/par_do.hpp>
#include <millrace/transforms/scattered.hpp>
#include <millrace/transforms/state/cell.hpp>
#include <millrace/transforms/state/timer.hpp>
#include <millrace/transforms/timestamps.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// When a batch is complete: at `count` values, at `bytes` (the characters of text, the encoding of other values; a
// value that would exceed them begins the next batch), or `buffering` after its first value by the processing clock.
// 0 stands for no such limit.
struct batch_limits {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  duration buffering{0};
};

// A part of a key's values. The number means nothing but that.
template <class Key>
struct sharded_key {
  Key key;
  std::uint32_t shard = 0;

  friend auto operator<=>(const sharded_key&, const sharded_key&) = default;
};

namespace detail {

// A batch and the time of its earliest value, at which it is given out.
template <class Key, class Value>
struct dated_batch {
  kv<Key, std::vector<Value>> batch;
  timestamp at;
};

// What is known of the values of a pending batch.
struct batch_extent {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  timestamp earliest;
};

template <class T>
std::uint64_t size_in_batch(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) return std::string_view(value).size();
  else return encode_whole(value).size();
}

// Keeps the values of a key and window until their batch is complete. The timer at the end of the window gives out the
// rest, and until then holds the watermark at the earliest value.
template <class Key, class Value>
class batches_of_key {
 public:
  using output = dated_batch<Key, Value>;
  using out = emitter<output>;

  batches_of_key(batch_limits limits, windowing_strategy strategy) : limits_(limits), strategy_(std::move(strategy)) {}

  auto cells() { return std::tie(values_, extent_, end_, overdue_); }

  void process(const kv<Key, Value>& x, out& to) {
    const std::uint64_t bytes = limits_.bytes > 0 ? size_in_batch(x.value) : 0;
    batch_extent extent = extent_.get();
    if (extent.count > 0 && limits_.bytes > 0 && extent.bytes + bytes > limits_.bytes) {
      give_out(x.key, to);
      extent = {};
    }
    const stamp at = to.at();
    if (extent.count == 0 && limits_.buffering.count() > 0) overdue_.after(limits_.buffering);
    if (extent.count == 0 || at.time < extent.earliest) {
      extent.earliest = at.time;
      end_.set(strategy_.expiry(at.in), at.time);
    }
    values_.add(x.value);
    ++extent.count;
    extent.bytes += bytes;
    extent_.set(extent);
    const bool full =
        (limits_.count > 0 && extent.count >= limits_.count) || (limits_.bytes > 0 && extent.bytes >= limits_.bytes);
    if (full) give_out(x.key, to);
  }
  void on_timer(const event_timer& /*end*/, const Key& key, out& to) { give_out(key, to); }
  void on_timer(const processing_timer& /*overdue*/, const Key& key, out& to) { give_out(key, to); }

 private:
  void give_out(const Key& key, out& to) {
    to(output{{key, values_.read()}, extent_.get().earliest});
    values_.clear();
    extent_.clear();
    end_.clear();
    overdue_.clear();
  }

  batch_limits limits_;
  windowing_strategy strategy_;
  bag_state<Value> values_{"values"};
  value_state<batch_extent> extent_{"extent"};
  event_timer end_{"end"};
  processing_timer overdue_{"overdue"};
};

// Gives each element of a key one of its shards in turn.
template <class T>
class spread_over_shards {
 public:
  using output = kv<sharded_key<stored_key<decltype(T::key)>>, decltype(T::value)>;
  explicit spread_over_shards(std::uint32_t shards) : shards_(shards) {}
  void process(const T& x, emitter<output>& out) {
    const auto shard = static_cast<std::uint32_t>(scattered(++elements_) % shards_);
    out(output{{stored_key<decltype(T::key)>(x.key), shard}, x.value});
  }

 private:
  std::uint32_t shards_;
  std::uint64_t elements_ = 0;
};

template <class T>
auto add_batches(const pcollection<T>& in, const std::string& name, batch_limits limits, std::source_location where) {
  using key = stored_key<decltype(T::key)>;
  using value = decltype(T::value);
  using dated = dated_batch<key, value>;
  if (limits.count == 0 && limits.bytes == 0)
    throw pipeline_error(in.owner().path_of(name), "batches have no limit; set .count or .bytes to more than 0");
  if (limits.buffering.count() < 0)
    throw pipeline_error(in.owner().path_of(name), "the buffering time of batches is negative; 0 stands for none");
  // A batch that is complete leaves with its last value and belongs to the time of its first.
  constexpr allowed_skew back{timestamp::max() - timestamp::min()};
  const auto body = [&](const pcollection<T>& all) {
    return all | par_do("batch", batches_of_key<key, value>(limits, all.windowing()), where)
           | with_timestamps(
               "time", [](const dated& d) { return d.at; }, back, where)
           | map("values", &dated::batch, where);
  };
  return composite(name, body)(in);
}

}  // namespace detail

// Batches of the values of each key and window: pcollection<kv<K, V>> -> pcollection<kv<K, std::vector<V>>>. A batch
// comes out when it is complete, the rest when its window expires; its timestamp is that of its earliest value, where
// it holds the watermark meanwhile.
//   rows | group_into_batches("batches", {.count = 100, .buffering = 5s})
[[nodiscard]] inline auto group_into_batches(std::string name, batch_limits limits,
                                             std::source_location where = std::source_location::current()) {
  return [name = std::move(name), limits, where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: group_into_batches takes a collection of kv; with_keys makes one");
    if constexpr (is_kv<T>) return detail::add_batches(in, name, limits, where);
  };
}

// The same for keys with more values than one shard can take: the values of each key are spread over `shards`, which
// have batches of their own: pcollection<kv<K, V>> -> pcollection<kv<sharded_key<K>, std::vector<V>>>.
[[nodiscard]] inline auto group_into_batches_sharded(std::string name, std::uint32_t shards, batch_limits limits,
                                                     std::source_location where = std::source_location::current()) {
  return [name = std::move(name), shards, limits, where]<class T>(const pcollection<T>& in) {
    static_assert(is_kv<T>, "millrace: group_into_batches_sharded takes a collection of kv; with_keys makes one");
    if constexpr (is_kv<T>) {
      if (shards == 0)
        throw pipeline_error(in.owner().path_of(name), "the values of a key are spread over 0 shards; give at least 1");
      const auto body = [&](const pcollection<T>& all) {
        return all | par_do("spread", detail::spread_over_shards<T>(shards), where)
               | group_into_batches("batches", limits, where);
      };
      return composite(name, body)(in);
    }
  };
}

}  // namespace millrace
