#include "side.hpp"

#include "triggers.hpp"
#include "values.hpp"
#include "windows.hpp"

#include <algorithm>

namespace reference {

namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

std::string singleton(const entries& all, const std::optional<std::string>& fallback) {
  if (all.size() > 1) throw failure("a singleton side input has more than one element in a window");
  if (all.size() == 1) return all.front().second;
  if (!fallback) throw failure("Empty side input where a singleton was read");
  return *fallback;
}

std::string iterable(const entries& all) {
  std::vector<std::string> values;
  for (const auto& [key, value] : all) values.push_back(value);
  return bag_of(std::move(values));
}

std::string map_of(const entries& all) {
  std::map<std::string, std::string> unique;
  for (const auto& [key, value] : all) {
    if (!unique.emplace(key, value).second) throw failure("Duplicate values for " + key);
  }
  std::vector<std::string> pairs;
  for (const auto& [key, value] : unique) pairs.push_back(key + "=" + value);
  return bag_of(std::move(pairs));
}

std::string multimap_of(const entries& all) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& [key, value] : all) lists[key].push_back(value);
  std::vector<std::string> pairs;
  for (const auto& [key, values] : lists) pairs.push_back(key + "=" + bag_of(values));
  return bag_of(std::move(pairs));
}

}  // namespace

std::string entry_of(const std::string& key, const std::string& value) {
  return key + ":" + value;
}

void side_view::take(const std::vector<bundle>& panes, instant watermark) {
  for (const bundle& together : panes) {
    for (const output& one : together) {
      const auto known = panes_.find(one.in);
      if (known != panes_.end() && one.which.index < known->second.index) continue;
      panes_[one.in] = {one.which.index, *values_of_bag(one.value)};
    }
  }
  watermark_ = watermark;
}

window side_view::window_for(const window& main) const {
  return side_window(main, windowing_.windows);
}

bool side_view::is_ready(const window& in) const {
  if (panes_.contains(in)) return true;
  const instant fired = surely_fired_at(windowing_.firing_trigger, in);
  return watermark_ > std::min(expiry_of(in, windowing_.lateness), fired);
}

entries side_view::read(const window& in) const {
  entries all;
  const auto found = panes_.find(in);
  if (found == panes_.end()) return all;
  for (const std::string& entry : found->second.entries) {
    const std::size_t colon = entry.find(':');
    all.emplace_back(entry.substr(0, colon), entry.substr(colon + 1));
  }
  return all;
}

std::vector<bundle> side_reader::accept(const bundle& elements, const side_view& view, instant watermark) {
  bundle ready;
  for (const output& element : elements) {
    const window in = view.window_for(element.in);
    if (!view.is_ready(in)) {
      waiting_.push_back(element);
      continue;
    }
    if (is_gone(element.in, in, watermark)) {
      ++dropped_.late;
      continue;
    }
    ready.push_back(element);
    ready.back().value += read(view, in);
  }
  std::vector<bundle> out;
  pass_on(out, std::move(ready));
  return out;
}

std::vector<bundle> side_reader::retry(const side_view& view) {
  return accept(std::exchange(waiting_, {}), view, min_time);
}

bool side_reader::is_gone(const window& main, const window& side, instant watermark) const {
  return expiry_of(main, lateness_) < watermark && side != global_window && expiry_of(side, lateness_) < watermark;
}

instant side_reader::hold() const {
  instant least = max_time;
  for (const output& element : waiting_) least = std::min(least, element.time);
  return least;
}

std::string side_reader::read(const side_view& view, const window& in) const {
  const entries all = view.read(in);
  switch (what_.kind) {
  case transform_kind::side_singleton:
    return singleton(all, what_.fallback);
  case transform_kind::side_iterable:
    return iterable(all);
  case transform_kind::side_map:
    return map_of(all);
  case transform_kind::side_multimap:
    return multimap_of(all);
  default:
    throw std::logic_error("not a reader of side inputs");
  }
}

}  // namespace reference
