#pragma once

#include <millrace/transforms/element/window.hpp>
#include <millrace/transforms/state/cell_store.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace {

// What a bundle has found in a store, so that it can be set back to that: each record as it was before the bundle first
// touched it, or that there was none, and the same of each window. It costs a copy of a record for each that a bundle
// touches. Owned beside the store, and empty between bundles.
template <class Record>
class cell_journal {
  using store = cell_store<Record>;

 public:
  // A window as it was.
  struct window_before {
    bool existed = false;
    bool expired = false;
    bool told = false;
    boost::unordered_flat_map<std::string, std::optional<Record>, key_bytes_hash, std::equal_to<>> records;
  };
  using windows_map = std::map<window, window_before>;

  // The record of this window and key is about to be made, changed or erased.
  void note(store& of, const window& in, std::string_view key) {
    auto at = windows_.find(in);
    const auto* now = of.find(in);
    if (at == windows_.end())
      at = windows_.emplace(in, now ? window_before{true, now->expired, now->told, {}} : window_before{}).first;
    auto& records = at->second.records;
    if (records.find(key) != records.end()) return;
    std::optional<Record> before;
    if (now)
      if (const auto found = now->of_keys.find(key); found != now->of_keys.end()) before = found->second;
    records.emplace(std::string(key), std::move(before));
  }
  // Everything that was noted, which is forgotten here.
  [[nodiscard]] windows_map take() { return std::exchange(windows_, {}); }
  void forget() { windows_.clear(); }

 private:
  windows_map windows_;
};

}  // namespace millrace
