#include <millrace/transforms/element/check.hpp>
#include <millrace/transforms/splittable/offset_range.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace millrace {

namespace {
std::string text_of(const offset_range& of) {
  return "[" + std::to_string(of.from) + "," + (of.bounded() ? std::to_string(of.to) : "endless") + ")";
}
}  // namespace

offset_tracker::offset_tracker(offset_range of) : range_(of) {
  if (of.to < of.from) throw std::invalid_argument("the offset range " + text_of(of) + " ends before it begins");
}

bool offset_tracker::try_claim(std::int64_t at) {
  if (at <= attempted())
    throw std::invalid_argument("offset " + std::to_string(at) + " of " + text_of(range_) + " is claimed behind "
                                + std::to_string(static_cast<std::int64_t>(attempted()))
                                + "; claims grow from one to the next");
  last_ = at;
  return at < range_.to;
}

std::optional<offset_range> offset_tracker::try_split(double fraction) {
  check(fraction >= 0 && fraction <= 1, "a restriction is split at a fraction of its rest");
  const __int128 now = attempted();
  const __int128 left = range_.to - now;
  if (left <= 0) return std::nullopt;
  const auto kept = static_cast<__int128>(static_cast<long double>(left) * static_cast<long double>(fraction));
  const __int128 at = now + std::max<__int128>(1, kept);
  if (at >= range_.to) return std::nullopt;
  const offset_range rest{static_cast<std::int64_t>(at), range_.to};
  range_.to = rest.from;
  return rest;
}

void offset_tracker::check_done() const {
  if (range_.from == range_.to || attempted() >= __int128{range_.to} - 1) return;
  const offset_range unclaimed{static_cast<std::int64_t>(attempted() + 1), range_.to};
  throw std::logic_error("offsets " + text_of(unclaimed) + " of " + text_of(range_)
                         + " were never claimed; claim until a claim is refused, or return resume()");
}

restriction_progress offset_tracker::progress() const {
  const __int128 end = std::min<__int128>(attempted() + 1, range_.to);
  return {static_cast<double>(end - range_.from), static_cast<double>(range_.to - end)};
}

}  // namespace millrace
