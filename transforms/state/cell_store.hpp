#pragma once

#include <millrace/transforms/bundles/key_hash.hpp>
#include <millrace/transforms/coders/coder.hpp>
#include <millrace/transforms/element/window.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace {

// The hash of key bytes for tables of std::string that are asked with views.
struct key_bytes_hash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view key) const { return key_hash(key); }
};

// The state of a stateful function on one shard: a record for each window and key. Windows are the outer level, since
// rows come in runs of one window and state goes with its window. Windows are in the order of their ends, hence of
// their expiry. References to records end with the next insertion or removal in the same window.
template <class Record>
class cell_store {
 public:
  using records = boost::unordered_flat_map<std::string, Record, key_bytes_hash, std::equal_to<>>;

  // What is kept for one window.
  struct window_cells {
    records of_keys;
    std::uint64_t event_timers = 0;  // pending ones of its keys
    std::uint64_t processing_timers = 0;
    bool expired = false;  // it takes no more elements, and its processing timers are gone
    bool told = false;     // its keys were told, or a bundle that tells them is under way
  };
  struct by_end {
    bool operator()(const window& a, const window& b) const {
      return a.end != b.end ? a.end < b.end : a.start < b.start;
    }
  };
  using windows_map = std::map<window, window_cells, by_end>;

  [[nodiscard]] window_cells& at(const window& in) { return windows_[in]; }
  [[nodiscard]] window_cells* find(const window& in) {
    const auto found = windows_.find(in);
    return found == windows_.end() ? nullptr : &found->second;
  }
  void erase(const window& in) { windows_.erase(in); }
  [[nodiscard]] windows_map& windows() { return windows_; }
  [[nodiscard]] const windows_map& windows() const { return windows_; }
  [[nodiscard]] bool empty() const { return windows_.empty(); }

  // The keys of a window in the order of their bytes; the views end with the next change of the window's table.
  [[nodiscard]] static std::vector<std::string_view> sorted_keys(const records& of) {
    std::vector<std::string_view> keys;
    keys.reserve(of.size());
    for (const auto& [key, record] : of) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  // Writes everything, keys in the order of their tables: sorting them would take longer than the rest. encode_record
  // writes one record.
  template <class EncodeRecord>
  void encode(writer& to, EncodeRecord&& encode_record) const {
    to.varint(windows_.size());
    for (const auto& [in, cells] : windows_) {
      coder<window>::encode(to, in);
      to.varint(cells.of_keys.size());
      for (const auto& [key, record] : cells.of_keys) {
        to.varint(key.size());
        to.put(std::string_view{key});
        encode_record(to, record);
      }
    }
  }
  // Restores what encode wrote into an empty store; decode_record(from, window, key, record) reads one record.
  template <class DecodeRecord>
  void decode(reader& from, DecodeRecord&& decode_record) {
    const std::size_t windows = from.count(sizeof(window));
    for (std::size_t w = 0; w < windows; ++w) {
      const window in = coder<window>::decode(from);
      const std::size_t keys = from.count();
      window_cells& cells = windows_[in];
      // A damaged count takes no more memory than there are bytes.
      cells.of_keys.reserve(std::min(keys, from.remaining() / sizeof(typename records::value_type) + 1));
      for (std::size_t k = 0; k < keys; ++k) {
        const std::string key{from.take(from.count())};
        Record& record = cells.of_keys[key];
        decode_record(from, in, key, record);
      }
    }
  }

 private:
  windows_map windows_;
};

}  // namespace millrace
