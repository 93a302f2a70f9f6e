#include <millrace/actors/protocol/watermark_merge.hpp>

#include <algorithm>

namespace millrace {

bool watermark_merge::update(std::size_t sender, const watermark& promise) {
  watermark& own = promises_.at(sender);
  own = {std::max(own.at, promise.at), promise.idle};
  bool any = false;
  timestamp least = timestamp::max();
  for (const auto& p : promises_) {
    if (p.idle && p.at < timestamp::max()) continue;
    any = true;
    least = std::min(least, p.at);
  }
  if (!any || least <= merged_) return false;
  merged_ = least;
  return true;
}

bool watermark_merge::idle() const {
  return !promises_.empty()
         && std::ranges::all_of(promises_, [](const watermark& p) { return p.idle && p.at < timestamp::max(); });
}

}  // namespace millrace
