#pragma once

#include <millrace/transforms/element/time.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace millrace {

// Keeps values for a time, by the encodings of their keys: at most `entries_max` of them, those that were used last.
// Not part of any checkpoint: what is lost is asked for again.
template <class Value>
class lookup_cache {
 public:
  lookup_cache(std::size_t entries_max, duration time_to_live)
      : entries_max_(entries_max), time_to_live_(time_to_live) {}

  // The value of a key, or null if there is none or it is too old.
  [[nodiscard]] const Value* find(const std::string& key, timestamp now) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    if (found->second->expires <= now) {
      entries_.erase(found->second);
      places_.erase(found);
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }
  void put(const std::string& key, Value value, timestamp now) {
    if (entries_max_ == 0 || time_to_live_.count() <= 0) return;
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.erase(found->second);
      places_.erase(found);
    }
    entries_.push_front({key, std::move(value), now + time_to_live_});
    places_.emplace(key, entries_.begin());
    if (entries_.size() <= entries_max_) return;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::string key;
    Value value;
    timestamp expires;
  };

  std::size_t entries_max_;
  duration time_to_live_;
  std::list<entry> entries_;  // the one used last first
  std::unordered_map<std::string, typename std::list<entry>::iterator> places_;
};

}  // namespace millrace
